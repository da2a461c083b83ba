// A binary heap in typed arrays: the timers of the clock.

export class BinaryHeap {
  constructor(capacity) {
    this.times = new Float64Array(capacity);
    this.ids = new Int32Array(capacity);
    this.size = 0;
  }

  /** When the first event is; with an empty heap, nothing that means anything. */
  get time() {
    return this.times[0];
  }

  push(time, id) {
    const { times, ids } = this;
    let hole = this.size++;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (times[parent] <= time) break;
      times[hole] = times[parent];
      ids[hole] = ids[parent];
      hole = parent;
    }
    times[hole] = time;
    ids[hole] = id;
  }

  /** Removes the first event and answers its id. */
  pop() {
    const { times, ids } = this;
    const first = ids[0];
    const size = --this.size;
    const time = times[size];
    const id = ids[size];
    let hole = 0;
    for (let child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && times[child + 1] < times[child]) child++;
      if (times[child] >= time) break;
      times[hole] = times[child];
      ids[hole] = ids[child];
      hole = child;
    }
    times[hole] = time;
    ids[hole] = id;
    return first;
  }
}
