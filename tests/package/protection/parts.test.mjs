// The parts: options checked like all others, frozen recipes, and what `protect` takes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';

import { importEntry, vectors } from '../lib/consumer.mjs';
import { caught, declarations, documents, literal, tableIn } from '../lib/readers.mjs';
import { PARTS, down, importAll } from './entry.mjs';

const { RetryPolicy, breaker, budget, cooldown, createFetch, hedge, protect, retry, retrySync } = await importAll();
const { fromData } = await importEntry('data');

const { rows: ROWS, refusals } = vectors('parts');

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
    [hedge(), { part: 'hedge', quantile: 0.95, maxRatio: 0.1 }],
    [hedge({ delayMs: 0, maxRatio: 1 }), { part: 'hedge', delayMs: 0, maxRatio: 1 }],
    [cooldown(), { part: 'cooldown' }],
  ]) {
    assert.deepEqual({ ...part }, shown);
    assert.ok(Object.isFrozen(part));
  }
});

for (const { part, option, rule, default: standard, accepts, rejects, beside } of ROWS) {
  const make = PARTS[part];
  test(`${part}: the default and the range of ${option}`, () => {
    assert.equal(make()[option], standard === undefined ? undefined : Number(standard));
    for (const value of accepts.map(Number)) assert.equal(make({ ...beside, [option]: value })[option], value);
    for (const value of rejects.map(Number)) {
      const error = caught(() => make({ ...beside, [option]: value }));
      assert.ok(error instanceof RangeError, `${value}`);
      const said = error.message.replace(/ at most capacity \(50\),/, ` ${rule},`);
      assert.ok(said.startsWith(`rejitter: ${option} must be ${rule}, got `), said);
    }
    for (const value of ['5', null, 5n, {}, true]) {
      const error = caught(() => make({ [option]: value }));
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

/** Makers of what a row rejects; a call of a fetch, with and without timeouts. */
const MAKERS = { ...PARTS, fetch: createFetch };
const CALLS = [{}, { attemptTimeoutMs: 1000 }, { totalTimeoutMs: 1000 }].map((options) =>
  createFetch(options, () => assert.fail('sent')),
);

test('an error lists every problem, with the remedy; names of other packages lead to the options', async () => {
  for (const { of, given, names, says, kind } of refusals)
    for (const options of names?.map((name) => ({ [name]: 1 })) ?? [given])
      for (const make of of === 'call' ? CALLS.map((send) => (init) => send('http://x/', init)) : [MAKERS[of]]) {
        const { name, message } = await (async () => make(options))().then(assert.fail, (error) => error);
        const text = names ? `unknown option "${Object.keys(options)[0]}". ${says}` : says;
        assert.ok(message.startsWith(`rejitter: ${text}`), `${of}, ${JSON.stringify(options)}: ${message}`);
        if (kind) assert.equal(name, kind, says);
      }
  assert.equal(breaker({ openMs: 30_000 }).maxOpenMs, 30_000);
  for (const options of [new Map(), new RetryPolicy()])
    assert.match(caught(() => cooldown(options)).message, /^rejitter: options must be an object/);
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

const MADE = 'must be made by budget(), breaker(), cooldown() or hedge()';
const KEYED = 'this Protection has a key: call for() on what protect() returned';
const OPTION = 'protection must be made by protect(), as in protect(budget()), or false, got ';
const HAND = 'ms must be a positive number of milliseconds or Infinity, got ';
const policy = (protection) => new RetryPolicy({ protection });
const run = (protection, key) => policy(protection).run(() => {}, { key });
/** Calls that must fail, and the error. */
const MISTAKES = [
  [() => protect(), `part 1 ${MADE}, got undefined`],
  [() => protect({}), `part 1 ${MADE}, got undefined`],
  [() => protect(budget), `part 1 ${MADE}, got a function`],
  [() => protect([budget(), breaker()]), `part 1 ${MADE}, got an array`],
  [() => protect(budget(), budget()), 'budget() was passed twice'],
  [() => protect(budget(), { onEvent: 5 }), 'onEvent must be a function, got 5'],
  [
    () => protect(budget(), { onEvents: () => {} }),
    'unknown option "onEvents". Did you mean onEvent? Known options: onEvent, isFailure',
  ],
  [() => protect(budget(), { isFailure: true }), 'isFailure must be a function, got true'],
  [() => protect(budget, breaker(), 5, cooldown()), `part 1 ${MADE}, got a function; part 3 ${MADE}, got 5`],
  [() => protect(budget(), 5), 'options must be an object, got 5'],
  [() => policy(budget()), `${OPTION}an object`],
  [() => policy(protect), `${OPTION}a function`],
  [() => retrySync(() => {}, { protection: true }), `${OPTION}true`],
  [
    () => retrySync(() => {}, { protection: protect(hedge()) }),
    'retrySync cannot hedge. Use retry, or a protection without hedge()',
  ],
  [() => retry(() => {}, { protection: null }), `${OPTION}null`],
  [() => policy(''), `${OPTION}""`],
  [() => protect(breaker()).open(0), `${HAND}0`],
  [() => protect(breaker()).open(-1), `${HAND}-1`],
  [() => protect(breaker()).open(NaN), `${HAND}NaN`],
  [() => protect(breaker()).open('5'), `${HAND}"5"`],
  [() => protect(breaker()).open(null), `${HAND}null`],
  [() => protect(budget()).open(), 'open() needs a breaker: use protect(breaker())'],
  [() => protect(budget()).close(), 'close() needs a breaker: use protect(breaker())'],
  ...[5, null, {}, undefined].map((key) => [() => protect(budget()).for(key), /^rejitter: key must be a string, got /]),
  [() => run(protect(budget()), 5), 'key must be a string, got 5'],
  [() => protect(budget()).for('a').for('b'), KEYED],
  [() => run(protect(budget()).for('a'), 'b'), KEYED],
  [() => createFetch({ protection: protect(budget()).for('a') }, () => {})('http://x/'), KEYED],
];
test('what protect, its methods, its keys and the option do not take is an error that says the remedy', async () => {
  for (const [make, text] of MISTAKES) {
    const error = await (async () => make())().then(assert.fail, (error) => error);
    assert.match(error.name, /^(Type|Range)Error$/);
    if (typeof text === 'string') assert.equal(error.message, `rejitter: ${text}`);
    else assert.match(error.message, text);
  }
  assert.equal(await retry(() => 1, { protection: false }), 1);
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
