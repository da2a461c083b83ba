// The queue of a limiter: places in the order in which their operations came.

import { isFunction, isWithin } from '../options/checks.js';
import { problemOf } from '../options/messages.js';

export const isUnits = (/** @type {unknown} */ value) => isWithin(value, Number.MIN_VALUE, Number.MAX_VALUE);

/** The place of an operation in the order in which they come. */
export class Place {
  /** Units that the start of the next attempt takes, once it was weighed. */
  weight = 1;
  /** The number of that attempt. */
  #weighed = 0;
  /** When the attempt came, while it waits. @type {number | undefined} */
  since;
  /** Has the operation ask again, while it waits. @type {() => void} */
  wake = () => {};
  /** Whether another limiter lets it start. */
  granted = false;

  /** @param {number} arrival its number, whole @param {import('./guard.js').Guarded} op */
  constructor(arrival, op) {
    this.arrival = arrival;
    this.op = op;
  }

  /** Returns the units that the next attempt takes. A function is called once per attempt. */
  weigh() {
    const { attempts, settings } = this.op;
    const attempt = attempts + 1;
    if (this.#weighed !== attempt) {
      const { weight = 1 } = settings;
      const answer = isFunction(weight) ? /** @type {(attempt: number) => number} */ (weight)(attempt) : weight;
      if (!isUnits(answer)) throw problemOf('weight', answer, ['number', 'units'], 'return');
      this.weight = /** @type {number} */ (answer);
      this.#weighed = attempt;
    }
    return this.weight;
  }
}

// A queue is a plain array: a few microseconds for each of a thousand places, the most that wait by default.

/** Returns the weight of all places that came before. @type {(queue: Place[], arrival: number) => number} */
export function weightAhead(queue, arrival) {
  let ahead = 0;
  for (const place of queue) {
    if (place.arrival >= arrival) break;
    ahead += place.weight;
  }
  return ahead;
}

/** @type {(queue: Place[], place: Place) => void} */
export function join(queue, place) {
  // Nearly all came last. A retry goes before those that came later than its operation.
  let at = queue.length;
  while (at > 0 && queue[at - 1].arrival > place.arrival) at--;
  queue.splice(at, 0, place);
}
