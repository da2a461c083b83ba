// @ts-check
export { constantRandom, scriptedRandom, virtualClock } from '../testing/index.js';
