export { constantRandom, scriptedRandom, virtualClock } from './lib/testing/index.js';
