// The queue of a limiter: places in the order in which their operations came. A treap, so that each step takes
// logarithmic time, and the weight of all places before another one is known.

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
  /** What is below it in the tree. @type {Place | undefined} */
  left;
  /** @type {Place | undefined} */
  right;
  /** The weight of all that, and its own. */
  sum = 0;

  /** @param {number} arrival its number, whole @param {import('../run/operation.js').Operation} op */
  constructor(arrival, op) {
    this.arrival = arrival;
    this.op = op;
  }
}

export class Queue {
  /** @type {Place | undefined} */
  #root;
  size = 0;

  /** The place whose turn is next. */
  get first() {
    let first = this.#root;
    while (first?.left) first = first.left;
    return first;
  }

  /** Returns the weight of all places that came before. @param {number} arrival */
  ahead(arrival) {
    let ahead = 0;
    for (let at = this.#root; at; ) {
      if (at.arrival < arrival) {
        ahead += at.sum - (at.right?.sum ?? 0);
        at = at.right;
      } else {
        at = at.left;
      }
    }
    return ahead;
  }

  /** @param {Place} place */
  add(place) {
    this.size++;
    const [before, after] = split(this.#root, place.arrival);
    place.left = place.right = undefined;
    this.#root = merge(merge(before, summed(place)), after);
  }

  /** @param {Place} place which is in the queue */
  remove({ arrival }) {
    this.size--;
    const [before, rest] = split(this.#root, arrival);
    this.#root = merge(before, split(rest, arrival + 1)[1]);
  }

  /** Returns the places, in their order. */
  places(at = this.#root, found = /** @type {Place[]} */ ([])) {
    if (at?.left) this.places(at.left, found);
    if (at) found.push(at);
    if (at?.right) this.places(at.right, found);
    return found;
  }
}

/** Places higher up in the tree have higher ranks: as good as random, and the same on each run. @param {Place} place */
function rank({ arrival }) {
  const mixed = Math.imul(arrival ^ (arrival >>> 15), 0x2c1b3c6d);
  return Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
}

/** @param {Place} place */
function summed(place) {
  place.sum = place.weight + (place.left?.sum ?? 0) + (place.right?.sum ?? 0);
  return place;
}

/**
 * Returns the places that came before, and the others.
 * @type {(at: Place | undefined, arrival: number) => [before?: Place, others?: Place]}
 */
function split(at, arrival) {
  if (!at) return [];
  if (at.arrival < arrival) {
    const [before, others] = split(at.right, arrival);
    at.right = before;
    return [summed(at), others];
  }
  const [before, others] = split(at.left, arrival);
  at.left = others;
  return [before, summed(at)];
}

/** Joins two trees, if all places of the first came before. @type {(a?: Place, b?: Place) => Place | undefined} */
function merge(a, b) {
  if (!a || !b) return a ?? b;
  if (rank(a) > rank(b)) {
    a.right = merge(a.right, b);
    return summed(a);
  }
  b.left = merge(a, b.left);
  return summed(b);
}
