import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BinaryHeap } from './binary-heap.mjs';
import { contention } from './contention.mjs';
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

test('every client succeeds once, and a try is two events', () => {
  const { events, calls, timesMs } = contention('full', 30, 5);
  assert.equal(events, 2 * calls.reduce((sum, value) => sum + value, 0));
  assert.ok(calls.every((value) => value >= 30));
  assert.ok(timesMs.every((value) => value > 40));
  assert.deepEqual([...contention('none', 1, 3).calls], [1, 1, 1]);
});
