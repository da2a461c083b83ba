// The documented table of options: every option, its range and its default, against the package.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { OPTIONS } from '../lib/badvalues.mjs';
import { importPackage } from '../lib/consumer.mjs';
import { caught, literal, reference, tableIn } from '../lib/readers.mjs';
import { importAll } from '../protection/entry.mjs';

const { RetryPolicy, retryAfter } = await importPackage();
const { budget, protect } = await importAll();
const ROWS = tableIn(reference('options'), 'option').map(([name, what, range, standard, looked]) => ({
  name: literal(name),
  what,
  range,
  standard: literal(standard),
  looked,
}));

function accepts(name, value) {
  try {
    new RetryPolicy({ ...OPTIONS[name].with, [name]: value });
    return true;
  } catch {
    return false;
  }
}

test('the table lists every option once, and says of each what it is', () => {
  const known = /Known options: (.*)$/.exec(caught(() => new RetryPolicy({ zzzzzzzz: 1 })).message)[1].split(', ');
  assert.deepEqual(ROWS.map(({ name }) => name).sort(), known.sort());
  assert.ok(ROWS.every(({ what }) => what.length > 4));
});

/** The representable numbers next to x. */
const above = (x) => (x === 0 ? Number.MIN_VALUE : x * (1 + 2 ** -52));
const below = (x) => (x === 0 ? -Number.MIN_VALUE : x * (1 - 2 ** -52));

const RANGED = ROWS.filter(({ name }) => OPTIONS[name].range);

test('the table has a range or a kind of value for each option', () => {
  assert.equal(RANGED.length, 11);
  assert.ok(ROWS.every(({ range }) => range !== ''));
});

for (const { name, range: text } of RANGED) {
  test(`${name}: ${text}, and nothing beyond`, () => {
    const { low, high, whole, above: open, belowTo } = OPTIONS[name].range;
    const inside = [open ? above(low) : low, belowTo ? Number.MAX_VALUE : high, whole ? low + 1 : low + 0.5];
    const outside = [
      below(low),
      -1,
      -Infinity,
      NaN,
      ...(open ? [low] : []),
      ...(belowTo ? [high] : []),
      ...(high < Infinity ? [above(high) > high ? above(high) : high * 2, Infinity] : []),
      ...(whole ? [low + 0.5] : []),
    ];
    for (const value of inside) assert.ok(accepts(name, value), `${value} is rejected`);
    for (const value of outside) assert.ok(!accepts(name, value), `${value} is taken`);
  });
}

/** An operation that touches every option: its waits, hooks, errors and times, as text. */
async function behaviour(options, others = {}) {
  const log = [];
  const { clock, error } = await underClock((virtual) => {
    const policy = new RetryPolicy({
      seed: 11,
      totalTimeoutMs: 3_600_000,
      ...others,
      ...options,
      onRetry: ({ delayMs }) => log.push(delayMs),
      onGiveUp: ({ reason, report }) => log.push(reason, report.attempts, report.elapsedMs),
    });
    const result = policy.run(({ attempt }) => {
      if (others.retryOnResult) return attempt;
      // A server's wait of a minute, one that is longer, an attempt that takes two hours, and failures.
      if (attempt === 2) throw retryAfter(60_000, new Error('a minute'));
      if (attempt === 8) throw retryAfter(60_001, new Error('longer'));
      virtual.now += 1;
      throw new Error('down');
    });
    const shown = result.then(
      (value) => log.push(value),
      (e) => {
        log.push(e.name, e.message);
        throw e;
      },
    );
    return shown.finally(() => log.push(typeof policy.metrics()));
  });
  return JSON.stringify([log, clock.delays, String(error)], (_, value) => (value === Infinity ? 'Infinity' : value));
}

/** For each option with a default: another value, which must be seen to behave otherwise, and what it needs. */
const OTHERS = {
  baseMs: [50],
  capMs: [700, { maxAttempts: 12 }],
  minMs: [90],
  backoff: ['fixed'],
  factor: [3],
  stepMs: [30, { backoff: 'linear' }],
  truncateAt: [3, { backoff: 'truncated' }],
  jitter: ['none'],
  maxAttempts: [4],
  maxRetryAfterMs: [59_000],
  longRetryAfter: ['cap', { maxAttempts: 12 }],
  retryIf: [() => false],
  retryOnResult: [() => true],
  attemptTimeoutMs: [5],
  totalTimeoutMs: [500, { totalTimeoutMs: undefined }],
  unref: [true],
  finalError: ['wrap'],
  finalResult: ['reject', { retryOnResult: () => true }],
  metrics: [true],
  protection: [protect(budget({ capacity: 1 }))],
};

for (const { name, standard } of ROWS.filter((row) => row.standard !== undefined)) {
  if (['retryOnResult', 'finalResult', 'unref', 'attemptTimeoutMs'].includes(name)) continue;
  test(`${name}: the default is ${standard}`, async () => {
    const [other, others = {}] = OTHERS[name];
    const value = new Function('baseMs', `return (${standard});`)(others.baseMs ?? 100);
    const { [name]: _, ...rest } = others;
    const omitted = await behaviour({ [name]: undefined }, rest);
    assert.equal(await behaviour({ [name]: value }, rest), omitted);
    // The control: what it is compared by would show another value.
    assert.notEqual(await behaviour({ [name]: other }, rest), omitted);
  });
}

test('attemptTimeoutMs defaults to Infinity, unref to false, retryOnResult to () => false', async () => {
  const rows = Object.fromEntries(ROWS.map(({ name, standard }) => [name, standard]));
  assert.deepEqual([rows.attemptTimeoutMs, rows.unref, rows.retryOnResult], ['Infinity', 'false', '() => false']);
  const hangs = (options) =>
    underClock(() =>
      Promise.race([
        new RetryPolicy({ maxAttempts: 2, ...options }).run(() => new Promise(() => {})),
        new Promise((done) => {
          setTimeout(done, 86_400_000, 'still running after a day');
        }),
      ]),
    );
  assert.equal((await hangs({})).value, 'still running after a day');
  assert.equal((await hangs({ attemptTimeoutMs: Infinity })).value, 'still running after a day');
  assert.equal((await hangs({ attemptTimeoutMs: 5 })).error.name, 'TimeoutError');
  const unrefs = async (options) => {
    let count = 0;
    await underClock(() => {
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (...args) =>
        Object.assign(setTimeout(...args), {
          unref: () => {
            count += 1;
          },
        });
      return new RetryPolicy({ maxAttempts: 2, ...options }).run(() => {
        throw 0;
      });
    });
    return count;
  };
  assert.deepEqual([await unrefs({}), await unrefs({ unref: false }), await unrefs({ unref: true })], [0, 0, 1]);
  const results = async (options) => {
    let calls = 0;
    await underClock(() =>
      new RetryPolicy({ maxAttempts: 3, ...options }).run(() => {
        calls += 1;
      }),
    );
    return calls;
  };
  assert.deepEqual(
    [await results({}), await results({ retryOnResult: () => false }), await results({ retryOnResult: () => true })],
    [1, 1, 3],
  );
  const last = async (options) =>
    (await underClock(() => new RetryPolicy({ maxAttempts: 2, retryOnResult: () => true, ...options }).run(() => 7)))
      .value;
  assert.deepEqual(
    [rows.finalResult, await last({}), await last({ finalResult: 'resolve' }), await last({ finalResult: 'reject' })],
    ["'resolve'", 7, 7, undefined],
  );
});

test('every option with a default is among those tested', () => {
  assert.deepEqual(
    ROWS.filter(({ standard }) => standard !== undefined)
      .map(({ name }) => name)
      .sort(),
    Object.keys(OTHERS).sort(),
  );
});
