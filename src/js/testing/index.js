// @ts-check
// rejitter/testing: time that moves by hand, and known draws, for the tests of programs that retry.

export { virtualClock } from './clock.js';
export { constantRandom, scriptedRandom } from './random.js';
