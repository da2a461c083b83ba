export { virtualClock } from '../testing/clock.js';
export { scriptedRandom } from '../testing/random.js';
