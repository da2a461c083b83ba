// Options: how they are read. What JSON can say, and what goes together, are rows of tests/vectors/refusals.json, which
// Rust reads too; mistakes.test.mjs has all values of each option, and the messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';
import { importTesting } from '../lib/fetching.mjs';
import { operate } from '../lib/operate.mjs';
import { caught } from '../lib/readers.mjs';
import { SHORTCUTS } from '../lib/shortcuts.mjs';

const api = await importPackage();
const { RetryPolicy, retry, retrySync } = api;
const { fromData } = await importEntry('data');
const { awsSdk2026 } = await importEntry('presets');
const { keepConnected } = await importEntry('reconnect');
const light = await importEntry('light');
const { scriptedRandom, virtualClock } = await importTesting();
const { rows } = vectors('refusals');
const failing = fails(0);
const uncalled = () => assert.fail('called');

/** The waits of an operation that fails. */
const waitsOf = async (options) => (await operate(failing, options)).delays;
const shown = (value) => inspect(value, { showProxy: true });

test('lists and jitter objects are copied, the last wait repeats, the cap and the floor hold', () => {
  const list = [5, 0, 20.5, Infinity, 7];
  const jitter = { __proto__: null, type: 'proportional', ratio: 0.5 };
  const policy = new RetryPolicy({ backoff: list, jitter: 'none', minMs: 3, capMs: 100, maxAttempts: 9, baseMs: 1 });
  const drawn = new RetryPolicy({ jitter });
  list.length = 0;
  jitter.type = 'additive';
  assert.deepEqual([...policy.delays()], [5, 3, 20.5, 100, 7, 7, 7, 7]);
  const same = new RetryPolicy({ jitter: Object.freeze({ type: 'proportional', ratio: 0.5 }) });
  assert.deepEqual([...drawn.delays({ seed: 1 })], [...same.delays({ seed: 1 })]);
});

test('calls backoff functions with 1, 2, …, once per wait', () => {
  const received = [];
  const backoff = (...args) => received.push(args) && 4 ** args[0];
  assert.deepEqual([...new RetryPolicy({ backoff, random: () => 0.5, capMs: 100 }).delays()], [2, 8, 32, 50, 50]);
  assert.deepEqual(received, [[1], [2], [3], [4], [5]]);
});

test('any object may have own options', async () => {
  class Fields {
    maxAttempts = 2;
  }
  const own = Object.assign(new Map(), { maxAttempts: 2 });
  for (const options of [{}, Object.create(null), runInNewContext('({})'), new Fields(), own])
    assert.equal(await retry(() => 'fine', options), 'fine');
});

test('each call reads each option once, before the callback, and writes nothing; a value that changed counts', async () => {
  const { signal } = new AbortController();
  const curve = { capMs: 100, minMs: 1, factor: 3, backoff: 'exponential', jitter: 'none', maxAttempts: 4 };
  const written = () => assert.fail('written');
  const writes = ['set', 'defineProperty', 'deleteProperty', 'setPrototypeOf', 'preventExtensions'];
  const traps = Object.fromEntries(writes.map((trap) => [trap, written]));
  // With objects and functions, and without: of these, the options of the last call are remembered.
  for (const more of [{}, { signal, retryIf: () => true, seed: 5 }])
    for (const call of [(options) => retry(failing, options), (options) => new RetryPolicy(options).run(failing)]) {
      const reads = {};
      let inCallback = false;
      const get = (target, name, receiver) => {
        assert.equal(inCallback, false);
        reads[name] = (reads[name] ?? 0) + 1;
        return name === 'baseMs' ? 10 * reads[name] : Reflect.get(target, name, receiver);
      };
      const options = new Proxy({ baseMs: 0, ...curve, ...more }, { get, ...traps });
      for (const nth of [1, 2, 3]) {
        const { clock } = await underClock(() => {
          inCallback = false;
          const promise = call(options);
          inCallback = true;
          return promise;
        });
        const expected = [10, 30, 90].map((ms) => Math.min(100, ms * nth));
        assert.deepEqual(clock.delays, expected);
        for (const name of Object.keys(options)) assert.equal(reads[name], nth, name);
        inCallback = false;
      }
    }
});

test('a getter that throws rejects with what it threw', async () => {
  const boom = new Error('boom');
  const options = Object.defineProperty({}, 'baseMs', { enumerable: true, get: fails(boom) });
  const { error, calls } = await operate(() => 1, options);
  assert.deepEqual([error, calls, caught(() => new RetryPolicy(options))], [boom, 0, boom]);
});

test('a value, a name or its absence that differs from the last call counts; what may change is read again', async () => {
  const base = { jitter: 'none', maxAttempts: 3, baseMs: 10 };
  const backoff = [1, 2];
  const jitter = { type: 'proportional', ratio: 2 ** -40 };
  for (let round = 0; round < 2; round += 1) {
    Object.assign(jitter, { ratio: 2 ** -40 });
    backoff[0] = 3 + round;
    for (const [options, waits] of [
      [base, [10, 20]],
      [{ ...base, baseMs: 11 }, [11, 22]],
      [{ ...base, factor: 3 }, [10, 30]],
      [{ jitter: 'none', maxAttempts: 3 }, [100, 200]],
      [{ ...base, factor: undefined }, [10, 20]],
      [{ backoff, jitter: 'none', maxAttempts: 3 }, [3 + round, 2]],
      [{ backoff: 'fixed', jitter, maxAttempts: 2, random: () => 0 }, [100]],
      // Presets have more than options.
      [{ ...awsSdk2026, random: () => 0.5 }, [25, 50]],
    ])
      assert.deepEqual(await waitsOf(options), waits);
    jitter.ratio = 5;
    for (const [wrong, message] of [
      [{ ...base, baseMs: -1 }, /baseMs/],
      [{ ...base, wrong: 1 }, /wrong/],
      [{ backoff: 'fixed', jitter, maxAttempts: 2 }, /jitter.ratio/],
      [JSON.parse('{ "__proto__": { "baseMs": 1 }, "maxAttempts": 2 }'), /unknown option "__proto__"/],
    ])
      assert.match((await retry(uncalled, wrong).then(uncalled, (error) => error)).message, message);
  }
});

/** Values that JSON lacks, by the text before the colon. */
const LACKING = {
  function: () => () => false,
  signal: () => new AbortController().signal,
  bigint: BigInt,
  list: (length) => Array(Number(length)).fill(1),
  undefined: () => undefined,
  map: () => new Map(),
  repeat: (text) => text.replace(/(.)\*(\d+)/, (_, character, count) => character.repeat(count)),
  inherits: () => Object.create({ version: 1 }),
  floats: () => new Float64Array(2),
  returns: (number) => () => (number === 'undefined' ? undefined : Number(number)),
};
function revived(value) {
  if (typeof value?.$ === 'string') {
    const [kind, rest] = value.$.split(':');
    return LACKING[kind] ? LACKING[kind](rest) : Number(kind);
  }
  if (Array.isArray(value)) return value.map(revived);
  if (Object(value) !== value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revived(inner)]));
}

/** What a form does on a clock for tests. */
const onClock = (use) => async (given) => {
  const clock = virtualClock();
  try {
    return await use(given, clock);
  } finally {
    clock.uninstall();
  }
};
const seeded = new RetryPolicy({ seed: 1 });

const FORMS = {
  options: [(given) => new RetryPolicy(given), (given) => retry(() => {}, given)],
  data: [(given) => fromData({ version: 1, ...given })],
  fromData: [fromData],
  sync: [(given) => retrySync(() => {}, given)],
  connection: [(given) => keepConnected(({ finish }) => finish(), given)],
  light: [(given) => light.retry(() => {}, given), (given) => void light.delayMs(1, given)],
  'light.retry': [(given) => light.retry(failing, given)],
  'light.delayMs': [(given) => light.delayMs(given)],
  delayMs: [(given) => seeded.delayMs(given)],
  wait: [(given) => seeded.delayMs(1, given)],
  delays: [(given) => seeded.delays(given)],
  virtualClock: [(given) => virtualClock(given).uninstall()],
  setTimeout: [onClock((given) => setTimeout(given, 1))],
  'AbortSignal.timeout': [onClock((given) => AbortSignal.timeout(given))],
  advance: [onClock((given, clock) => clock.advance(given))],
  runAll: [onClock((given, clock) => clock.runAll(given))],
  runUntil: [onClock((given, clock) => clock.runUntil(Promise.resolve(), given))],
  awaited: [onClock((given, clock) => clock.runUntil(given))],
  scriptedRandom: [scriptedRandom],
  ...Object.fromEntries(Object.keys(SHORTCUTS).map((name) => [name, [(given) => api[name](() => {}, given)]])),
};

test('the table has rows for both forms of policies, of both answers', () => {
  for (const form of ['options', 'data'])
    for (const answer of ['accepted', 'error'])
      assert.ok(rows.filter((row) => row.where.includes(form) && row[answer]).length > 20, `${form}, ${answer}`);
  for (const { where, accepted, error, option } of rows) {
    assert.ok(where.length > 0 && where.every((form) => form in FORMS));
    assert.equal(accepted === true, error === undefined && option === undefined);
  }
});

for (const [form, ways] of Object.entries(FORMS))
  test(`O05 ${form}: accepts or rejects each row as the table says`, async () => {
    const ofForm = rows.filter(({ where }) => where.includes(form));
    for (const { given: one, each = [one], accepted, error, option, says = '' } of ofForm)
      for (const [given, way] of each.flatMap((value) => ways.map((way) => [revived(value), way]))) {
        const thrown = await (async () => void (await way(given)))().catch((thrown) => thrown);
        const label = `${shown(given)}: ${thrown?.message}`;
        assert.equal(thrown?.name, error, label);
        if (accepted) continue;
        assert.ok(thrown.message.length < 2000, label.slice(0, 100));
        const text = thrown.message.replace(/^rejitter: (unknown option ")?/, '');
        assert.ok(text.startsWith(option) && !/^\w/.test(text.slice(option.length)), label);
        const value = typeof given === 'string' ? JSON.stringify(given) : shown(given);
        assert.ok(thrown.message.includes(says.replace('%', () => value)), label);
      }
  });
