import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BinaryHeap } from './binary-heap.mjs';
import { uniform } from './random.mjs';

test('the heap returns its items, the earliest first', () => {
  const random = uniform(2);
  const heap = new BinaryHeap(300);
  for (let round = 0; round < 20; round++) {
    const waiting = [];
    while (heap.size < 300 * random()) {
      // Many equal times among them.
      const time = Math.floor(20 * random());
      heap.push(time, waiting.length);
      waiting.push(time);
    }
    const expected = waiting.map((time, id) => ({ time, id })).sort((a, b) => a.time - b.time);
    const ids = new Set();
    for (const { time } of expected) {
      assert.equal(heap.time, time);
      const id = heap.pop();
      assert.equal(waiting[id], time);
      ids.add(id);
    }
    assert.equal(ids.size, waiting.length);
    assert.equal(heap.size, 0);
  }
});
