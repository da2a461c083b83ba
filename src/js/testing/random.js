// Known draws.

import { failure, problemOf } from '../options/messages.js';
import { requireValid } from '../options/reader.js';

/** @type {import('../options/reader.js').Rule} */
const DRAW = ['number', (draw) => typeof draw === 'number' && draw >= 0 && draw < 1, 'draw'];

/** @param {any} draws */
export function scriptedRandom(draws) {
  if (!Array.isArray(draws)) throw problemOf('draws', draws, ['', 'an array of numbers in [0, 1)']);
  const script = [...draws];
  for (const [i, draw] of script.entries()) requireValid(`draws[${i}]`, draw, DRAW);
  let used = 0;
  const random = () => {
    if (used === script.length) {
      throw failure(
        RangeError,
        `the script of ${used} ${used === 1 ? 'draw' : 'draws'} is exhausted: the operation drew more often than ` +
          'the test expected. Add draws, or limit the attempts',
      );
    }
    return script[used++];
  };
  return Object.defineProperty(random, 'left', { get: () => script.length - used });
}
