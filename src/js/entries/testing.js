export { virtualClock } from '../testing/clock.js';
export { constantRandom, scriptedRandom } from '../testing/random.js';
