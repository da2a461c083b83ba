export { constantRandom, scriptedRandom, virtualClock } from './lib/testing.js';
