// The queue of a limiter: places in the order in which their operations came.

/** The place of an operation in the order in which they come. */
export class Place {
  /** Units that the start of the next attempt takes, and the number of that, once it was weighed. */
  weight = 1;
  weighed = 0;
  /** When the attempt came, while it waits. @type {number | undefined} */
  since;
  /** Has the operation ask again, while it waits. @type {() => void} */
  wake = () => {};
  /** Whether another limiter lets it start. */
  granted = false;

  /** @param {number} arrival its number, whole @param {import('../run/operation.js').Operation} op */
  constructor(arrival, op) {
    this.arrival = arrival;
    this.op = op;
  }
}

/** A plain array: a few microseconds for each of a thousand places, the most that wait by default. */
export class Queue {
  /** @type {Place[]} */
  places = [];

  get size() {
    return this.places.length;
  }

  /** The place whose turn is next. @type {Place | undefined} */
  get first() {
    return this.places[0];
  }

  /** Returns the weight of all places that came before. @param {number} arrival */
  ahead(arrival) {
    let ahead = 0;
    for (const place of this.places) {
      if (place.arrival >= arrival) break;
      ahead += place.weight;
    }
    return ahead;
  }

  /** @param {Place} place */
  add(place) {
    // Nearly all came last. A retry goes before those that came later than its operation.
    let at = this.size;
    while (at > 0 && this.places[at - 1].arrival > place.arrival) at--;
    this.places.splice(at, 0, place);
  }

  /** @param {Place} place which is in the queue */
  remove(place) {
    this.places.splice(this.places.indexOf(place), 1);
  }
}
