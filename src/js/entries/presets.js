export * from '../presets/index.js';
