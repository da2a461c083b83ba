// The parts: options with their ranges and defaults, frozen recipes, and what `protect` takes. What is rejected,
// tests/vectors/mistakes.json says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { importEntry, vectors } from '../lib/consumer.mjs';
import { caught, declarations, documents, literal, tableIn } from '../lib/readers.mjs';
import { PARTS, down, importAll } from './entry.mjs';

const { RetryPolicy, breaker, budget, cooldown, hedge, limiter, protect, retry } = await importAll();
const { fromData } = await importEntry('data');

const { rows: ROWS } = vectors('parts');

test('parts are frozen recipes that show their options, the defaults too', () => {
  const ofBreaker = ROWS.filter((row) => row.part === 'breaker' && row.default !== undefined).map((row) => [
    row.option,
    Number(row.default),
  ]);
  const tokens = { part: 'budget', perSuccess: 0.1, cost: 1, refund: true };
  for (const [part, shown] of [
    [budget({ capacity: 7, cost: undefined }), { ...tokens, capacity: 7 }],
    [budget({ preset: 'awsSdk2026' }), { ...tokens, preset: 'awsSdk2026', capacity: 500, perSuccess: 1, cost: 14 }],
    [breaker({ openMs: 1 }), { part: 'breaker', ...Object.fromEntries(ofBreaker), openMs: 1 }],
    [
      breaker({ openMs: 30_000 }),
      { part: 'breaker', ...Object.fromEntries(ofBreaker), openMs: 30_000, maxOpenMs: 30_000 },
    ],
    [hedge(), { part: 'hedge', quantile: 0.95, maxRatio: 0.1 }],
    [hedge({ delayMs: 0, maxRatio: 1 }), { part: 'hedge', delayMs: 0, maxRatio: 1 }],
    [cooldown(), { part: 'cooldown' }],
    [
      limiter({ limit: 0.5 }),
      { part: 'limiter', limit: 0.5, perMs: 1000, burst: 1, concurrency: Infinity, maxQueue: 1000 },
    ],
    [limiter({ concurrency: 2 }), { part: 'limiter', concurrency: 2, maxQueue: 1000 }],
    [
      limiter({ acquire: down }),
      { part: 'limiter', acquire: down, acquireTimeoutMs: 1000, concurrency: Infinity, maxQueue: 1000 },
    ],
  ]) {
    assert.deepEqual({ ...part }, shown);
    assert.ok(Object.isFrozen(part));
  }
});

for (const { part, option, rule, default: standard, accepts, rejects, beside } of ROWS) {
  const make = PARTS[part];
  test(`${part}: the default and the range of ${option}`, () => {
    if (part !== 'limiter') assert.equal(make()[option], standard === undefined ? undefined : Number(standard));
    else if (standard !== undefined) assert.equal(make(beside)[option], Number(standard));
    for (const value of accepts.map(Number)) assert.equal(make({ ...beside, [option]: value })[option], value);
    for (const value of rejects.map(Number)) {
      const error = caught(() => make({ ...beside, [option]: value }));
      assert.ok(error instanceof RangeError, `${value}`);
      const said = error.message.replace(/ at most capacity \(50\),/, ` ${rule},`);
      assert.ok(said.startsWith(`rejitter: ${option} must be ${rule}, got `), said);
    }
    for (const value of ['5', null, 5n, {}, true]) {
      const error = caught(() => make({ ...beside, [option]: value }));
      assert.ok(error instanceof TypeError, String(value));
      assert.match(error.message, new RegExp(`^rejitter: ${option} must be `));
    }
  });
}

test('the declarations and the reference say the defaults', () => {
  const declared = declarations('protection.d.ts');
  const table = tableIn(documents.get('docs/reference/options.md'), 'part | option');
  for (const { option, default: standard } of ROWS) {
    const number = (text) => Number(text.replaceAll(/[_,]/g, '').replace('∞', 'Infinity'));
    const [, said] =
      new RegExp(`@default (.+)\\n(?:(?!@default)[^])*?\\n\\s*${option}\\?: number`).exec(declared) ?? [];
    const [, , written] = table.find(([, name]) => literal(name) === option) ?? [];
    if (standard === undefined) {
      assert.match(said, /^none\b/, `@default of ${option}`);
      assert.equal(written, '', `the reference's default of ${option}`);
      continue;
    }
    assert.equal(number(said), Number(standard), `@default of ${option}`);
    assert.equal(number(written), Number(standard), `the reference's default of ${option}`);
  }
});

test('options are own properties, each read once', () => {
  const reads = [];
  const options = new Proxy(
    { capacity: 5, cost: 2 },
    {
      get(target, name) {
        reads.push(name);
        return target[name];
      },
    },
  );
  assert.equal(budget(options).capacity, 5);
  assert.deepEqual(reads, ['capacity', 'cost']);
  assert.equal(budget(Object.create({ capacity: 5 }, { cost: { value: 2, enumerable: true } })).capacity, 50);
});

test('protect takes each kind of part once, then options', () => {
  const api = protect(cooldown(), budget(), breaker(), { onEvent: undefined });
  assert.deepEqual(Object.keys(api.status()), ['budget', 'breaker', 'cooldown']);
  assert.deepEqual(Object.keys(protect(cooldown(), undefined).status()), ['cooldown']);
});

test('a recipe has no state: each protection has its own', async () => {
  const part = budget({ capacity: 1 });
  const [one, other] = [protect(part), protect(part)];
  await retry(down, { maxAttempts: 2, baseMs: 0, protection: one }).catch(() => {});
  assert.deepEqual([one.status().budget.tokens, other.status().budget.tokens], [0, 1]);
});

test('console.log of a protection shows its status and its keys', () => {
  const protection = protect(budget(), breaker());
  assert.equal(inspect(protection), `Protection ${inspect(protection.status())}`);
  protection.for('a').open();
  const one = protection.for('a');
  assert.equal(inspect(one), `Protection ${inspect(one.status())}`);
  assert.match(inspect(protection), /^Protection \{\s+keys: \[ 'a' \],\s+budget: [^]*\}$/);
});

test('data of a policy leave the protection out', () => {
  const policy = new RetryPolicy({ protection: protect(budget()), maxAttempts: 3 });
  assert.ok(!('protection' in policy.toJSON()));
  const again = fromData(policy.toJSON()).with({ protection: protect(budget()) });
  assert.equal(again.toJSON().maxAttempts, 3);
});
