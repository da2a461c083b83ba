// Streams that attempts watch: ReadableStreams and async iterables.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { untilAborted } from '../lib/callbacks.mjs';
import { onClock, turn } from '../lib/clock.mjs';
import { importPackage } from '../lib/consumer.mjs';

const { TimeoutError, retry } = await importPackage();
const down = new Error('down');

/** A stream whose source waits for `push`, and notes what becomes of it. */
function pushed(strategy = { highWaterMark: 0 }) {
  const seen = { pulls: 0, cancelled: [] };
  let controller;
  const source = {
    start: (own) => void (controller = own),
    pull: () => void (seen.pulls += 1),
    cancel: (reason) => void seen.cancelled.push(reason),
  };
  const stream = new ReadableStream(source, strategy);
  return {
    seen,
    stream,
    push: (item) => controller.enqueue(item),
    close: () => controller.close(),
    fail: (e) => controller.error(e),
  };
}

/** An async iterable whose source waits for `push`, and notes what becomes of it. */
function iterated() {
  const seen = { pulls: 0, cancelled: [] };
  let waiting;
  const stream = {
    [Symbol.asyncIterator]: () => ({
      next() {
        seen.pulls += 1;
        return new Promise((resolve, reject) => (waiting = { resolve, reject }));
      },
      async return(reason) {
        seen.cancelled.push(reason);
        return { done: true, value: undefined };
      },
    }),
  };
  const settle = (item) => waiting.resolve(item);
  return {
    ...{ seen, stream, push: (value) => settle({ done: false, value }), fail: (error) => waiting.reject(error) },
    close: () => settle({ done: true, value: undefined }),
  };
}

/** Runs one attempt that watches a stream, and returns its end. */
async function watching(stream, read, options) {
  let attempt;
  const ended = retry((own) => read(own.watch(stream), (attempt = own)), { maxAttempts: 1, ...options }).then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  await turn();
  return { attempt, ended };
}
const collect = async (items) => {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
};

for (const [kind, made] of Object.entries({ 'a ReadableStream': pushed, 'an async iterable': iterated })) {
  test(`watch: ${kind} gives the same items, each of which breaks the silence`, async () => {
    await onClock(async (clock) => {
      const { stream, push, close, seen } = made();
      const items = [{}, 'b', 3];
      const { ended } = await watching(stream, collect, { idleTimeoutMs: 50 });
      for (const item of items) {
        await clock.advance(40);
        push(item);
      }
      await clock.advance(40);
      close();
      const { value } = await ended;
      assert.ok(value.every((item, i) => item === items[i]) && value.length === 3);
      assert.deepEqual(seen.cancelled, []);
      assert.equal(clock.pending.size, 0);
      assert.ok(!stream.locked);
    });
  });

  test(`watch: ${kind} is asked for no item before the last one was dealt with`, async () => {
    const { stream, push, close, seen } = made();
    let go;
    const { ended } = await watching(stream, async (items) => {
      for await (const _ of items) await new Promise((done) => (go = done));
    });
    assert.equal(seen.pulls, 1);
    push(1);
    await turn();
    assert.equal(seen.pulls, 1);
    go();
    await turn();
    assert.equal(seen.pulls, 2);
    close();
    assert.deepEqual(await ended, { value: undefined });
  });

  test(`watch: ${kind} is closed if the loop ends early`, async () => {
    const { stream, push, seen } = made();
    const { ended } = await watching(stream, async (items) => {
      for await (const item of items) return item;
    });
    push('a');
    assert.deepEqual(await ended, { value: 'a' });
    assert.deepEqual(seen.cancelled, [undefined]);
    assert.ok(!stream.locked);
  });

  test(`watch: an error of ${kind} comes out itself, and closes nothing`, async () => {
    const { stream, fail, seen } = made();
    const { ended } = await watching(stream, collect);
    fail(down);
    assert.equal((await ended).error, down);
    assert.deepEqual(seen.cancelled, []);
  });

  for (const [state, begin] of Object.entries({
    'is silent': async () => {},
    'is held up by its reader': async (push) => push('a'),
  }))
    test(`watch: an abort ends the reading while ${kind} ${state}, and closes it`, async () => {
      const { stream, push, seen } = made();
      const stop = new AbortController();
      const ends = [];
      const { attempt, ended } = await watching(
        stream,
        async (items) => {
          try {
            for await (const _ of items) await untilAborted(attemptOf()).catch(() => {});
          } catch (error) {
            ends.push(error);
          }
        },
        { signal: stop.signal },
      );
      function attemptOf() {
        return attempt;
      }
      await begin(push);
      await turn();
      stop.abort(down);
      assert.deepEqual(await ended, { error: down });
      await turn();
      assert.deepEqual([ends, seen.cancelled], [[down], [down]]);
      assert.ok(!stream.locked);
    });

  test(`watch: ${kind} that ends late or never, and hangs when it is closed, holds up nobody`, async () => {
    const { stream } = made();
    const hangs = () => new Promise(() => {});
    const hanging = stream.getReader
      ? new ReadableStream({ pull: hangs, cancel: hangs })
      : { [Symbol.asyncIterator]: () => ({ ...stream[Symbol.asyncIterator](), return: hangs }) };
    await onClock(async (clock) => {
      const { ended } = await watching(hanging, collect, { idleTimeoutMs: 50 });
      await clock.advance(50);
      assert.ok((await ended).error instanceof TimeoutError);
    });
  });
}

test('watch: what fails while it is closed is an error after an early end, and nobody hears of it after an abort', async () => {
  const refusing = () => new ReadableStream({ start: (own) => own.enqueue(1), cancel: () => Promise.reject(down) });
  const early = await watching(refusing(), async (items) => {
    for await (const _ of items) break;
  });
  assert.equal((await early.ended).error, down);
  const stop = new AbortController();
  const aborted = await watching(refusing(), collect, { signal: stop.signal });
  stop.abort('stop');
  assert.equal((await aborted.ended).error, 'stop');
  await turn();
});

test('watch: an attempt that is over reads nothing more', async () => {
  const { stream, seen } = pushed();
  let kept;
  const stop = new AbortController();
  const run = retry(
    (attempt) => {
      kept = attempt;
      return new Promise(() => {});
    },
    { signal: stop.signal },
  );
  stop.abort(down);
  await assert.rejects(run, down);
  await assert.rejects(kept.watch(stream)[Symbol.asyncIterator]().next(), down);
  assert.deepEqual([seen.pulls, seen.cancelled], [0, [down]]);
});

test('watch: a stream without an iterator of its own will do, and no listener is left', async () => {
  const { stream, push, close } = pushed();
  const bare = { getReader: () => stream.getReader() };
  const listeners = new Set();
  const { ended } = await watching(bare, (items, { signal }) => {
    for (const [name, follow] of [
      ['addEventListener', 'add'],
      ['removeEventListener', 'delete'],
    ]) {
      const own = signal[name];
      signal[name] = (type, listener) => {
        listeners[follow](listener);
        own.call(signal, type, listener);
      };
    }
    return collect(items);
  });
  assert.equal(listeners.size, 1);
  push(1);
  await turn();
  close();
  assert.deepEqual(await ended, { value: [1] });
  assert.equal(listeners.size, 0);
});
