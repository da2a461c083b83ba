// Options that are the same as in the last call are not read by rules again. What differs, or may change, is.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, printed } from '../lib/consumer.mjs';

const { retry, retryReport, retryWithFixedDelay } = await importPackage();
const { awsSdk2026, polly } = await importEntry('presets');

/** The waits of an operation that fails. */
async function waitsOf(options) {
  const { error } = await underClock(() => retry(() => Promise.reject(new Error('down')), options));
  return retryReport(error).records.map(({ delayMs }) => delayMs);
}

test('each value is read once, in the first call and in the next ones', async () => {
  let reads = 0;
  const options = {
    jitter: 'none',
    get baseMs() {
      reads += 1;
      return reads;
    },
  };
  for (const call of [1, 2, 3]) {
    assert.deepEqual(await waitsOf({ ...options, maxAttempts: 2 }), [call, undefined]);
    assert.equal(reads, call);
  }
  const same = { maxAttempts: 2, jitter: 'none', baseMs: 7 };
  Object.defineProperty(same, 'capMs', { enumerable: true, get: () => 100 + 0 * (reads += 1) });
  reads = 0;
  for (const call of [1, 2, 3]) {
    assert.deepEqual(await waitsOf(same), [7, undefined]);
    assert.equal(reads, call);
  }
});

test('a value, a name or its absence that differs counts, and so does what is left out', async () => {
  const base = { jitter: 'none', maxAttempts: 3, baseMs: 10 };
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await waitsOf(base), [10, 20, undefined]);
    assert.deepEqual(await waitsOf({ ...base, baseMs: 11 }), [11, 22, undefined]);
    assert.deepEqual(await waitsOf({ ...base, factor: 3 }), [10, 30, undefined]);
    assert.deepEqual(await waitsOf({ jitter: 'none', maxAttempts: 3 }), [100, 200, undefined]);
    assert.deepEqual(await waitsOf({ ...base, factor: undefined }), [10, 20, undefined]);
    await assert.rejects(
      retryWithFixedDelay(() => 1, { ...base, backoff: 'linear' }),
      /backoff/,
    );
    await assert.rejects(
      retry(() => 1, { ...base, baseMs: -1 }),
      /baseMs/,
    );
    await assert.rejects(
      retry(() => 1, { ...base, wrong: 1 }),
      /wrong/,
    );
  }
});

test('lists and objects that change in place, and presets, are read at each call', async () => {
  const backoff = [1, 2];
  const jitter = { type: 'proportional', ratio: 0 + 2 ** -40 };
  assert.deepEqual(await waitsOf({ backoff, jitter: 'none', maxAttempts: 3 }), [1, 2, undefined]);
  backoff[0] = 5;
  assert.deepEqual(await waitsOf({ backoff, jitter: 'none', maxAttempts: 3 }), [5, 2, undefined]);
  await waitsOf({ jitter, maxAttempts: 2 });
  jitter.ratio = 5;
  await assert.rejects(
    retry(() => 1, { jitter, maxAttempts: 2 }),
    /jitter.ratio/,
  );
  // Presets may differ in what is no option.
  for (const preset of [awsSdk2026, polly, awsSdk2026]) {
    const [first] = await waitsOf({ ...preset, random: () => 0.5 });
    const [again] = await waitsOf({ ...preset, random: () => 0.5 });
    assert.equal(first, again);
  }
});

test('nothing on Object.prototype is an option, in the first call or in the next one', async () => {
  const options = { jitter: 'none', maxAttempts: 2 };
  const waits = await waitsOf(options);
  Object.prototype.baseMs = 1;
  try {
    assert.deepEqual(await waitsOf(options), waits);
    assert.deepEqual(await waitsOf({ seed: 1 }), await waitsOf({ seed: 1, baseMs: undefined }));
  } finally {
    delete Object.prototype.baseMs;
  }
  const own = JSON.parse('{ "__proto__": { "baseMs": 1 }, "maxAttempts": 2 }');
  await assert.rejects(
    retry(() => 1, own),
    /unknown option "__proto__"/,
  );
});

test('nothing of the options stays alive', async () => {
  const stdout = await printed(
    `
    import { retry } from 'rejitter';
    const kept = [];
    for (const make of [() => ({ retryIf: () => true }), () => ({ signal: new AbortController().signal }),
      () => ({ maxAttempts: 2 })]) {
      let options = make();
      const refs = [options, ...Object.values(options)].filter((each) => Object(each) === each)
        .map((each) => new WeakRef(each));
      await retry(() => 1, options);
      options = undefined;
      // Before the next call, whose options would take the place of these.
      await new Promise((go) => setImmediate(go));
      gc();
      kept.push(...refs.map((each) => each.deref() !== undefined));
    }
    console.log(kept.join());
  `,
    { flags: ['--expose-gc'] },
  );
  assert.equal(stdout, 'false,false,false,false,false\n');
});
