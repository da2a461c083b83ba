export * from './lib/protection/machines.js';
export { load } from './lib/protection-inline.js';
