// @ts-check
export * from '../presets/index.js';
