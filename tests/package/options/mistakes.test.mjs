// Wrong calls of all entries (tests/vectors/mistakes.json), and the error that each throws or rejects with: in Node,
// and in a bundle for browsers. That of a production build has the name of the option, the value and the error's class,
// and no sentence.

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

import { OPTIONS, VALUES } from '../lib/badvalues.mjs';
import { bundled } from '../lib/bundle.mjs';
import { fails } from '../lib/callbacks.mjs';
import { installed, project, vectors } from '../lib/consumer.mjs';
import { callsOf, errorOf, patternOf } from '../lib/mistakes.mjs';
import { caught, evaluate } from '../lib/readers.mjs';

const NAMESPACES = {
  engines: 'engines',
  light: 'light',
  lightFetch: 'light/fetch',
  otel: 'otel',
  presets: 'presets',
};
const MODULE = [
  ...['rejitter', 'rejitter/fetch', 'rejitter/protection'].map((entry) => `export * from '${entry}';\n`),
  ...Object.entries(NAMESPACES).map(([name, entry]) => `export * as ${name} from 'rejitter/${entry}';\n`),
].join('');
const dir = project('mistakes', { 'main.mjs': MODULE });
const load = (name) => import(pathToFileURL(join(dir, name)).href);

/** The package as a bundle for browsers. @param {string} mode @param {object} [options] */
async function bundleFor(mode, options) {
  const define = mode === 'none' ? {} : { 'process.env.NODE_ENV': JSON.stringify(mode) };
  const text = await bundled(dir, { platform: 'browser', minify: mode === 'production', define, ...options });
  writeFileSync(join(dir, `${mode}.mjs`), text);
  return { text, names: namesOf(await load(`${mode}.mjs`)) };
}

const called = () => assert.fail('called');
/** Rejects with the error of these calls, which is the same. */
async function same(...calls) {
  const errors = await Promise.all(calls.map(errorOf));
  for (const each of errors) assert.deepEqual(each, errors[0]);
  throw errors[0];
}

/** The names that rows use. */
function namesOf({ engines, light, lightFetch, otel, presets, ...main }) {
  const { RetryPolicy, createFetch, retry, retrySync } = main;
  const policy = new RetryPolicy();
  const limits = [{}, { attemptTimeoutMs: 1000 }, { totalTimeoutMs: 1000 }];
  const fetches = limits.map((options) => createFetch(options, called));
  return {
    ...{ ...main, ...engines, ...otel, presets, light: { ...light, ...lightFetch }, policy, called, fails },
    observed: otel.telemetry({}).policy(policy),
    hidden: engines.sqs(policy).config.visibilityTimeout,
    /** Rejects as a call of a fetch does, whichever timeouts there are. */
    send: (init) => same(...fetches.map((send) => () => send('http://x/', init))),
    /** Rejects with the error that a policy throws and an operation rejects with. */
    made(options) {
      let promise;
      assert.doesNotThrow(() => void (promise = retry(called, options)));
      return same(
        () => new RetryPolicy(options),
        () => promise,
      );
    },
    /** Rejects with the error of all functions that take options. */
    given: (options) =>
      same(
        ...[() => new RetryPolicy(options), () => policy.with(options), () => policy.delays(options)],
        ...[() => retrySync(called, options), () => retry(called, options), () => policy.run(called, options)],
      ),
  };
}

const node = namesOf(await load('main.mjs'));
const development = await bundleFor('development');
const production = await bundleFor('production');

const PACKAGES = [node, development.names, production.names];
/** Mutants are tested as modules, which have the long texts alone. */
const areModules = existsSync(join(installed, 'lib/run'));
/** What production says: of each problem the name and the value, or the whole text where there is no short one. */
const SHORT = /^((\S+|the \w+|part \d): invalid( .*?)?|unknown option ".*?")(; |$)/s;

/** The error of a call, with the text of Node: in production it is that, or short and without a sentence. */
async function checked(call, label) {
  const errors = await Promise.all(PACKAGES.map((names) => errorOf(() => call(names))));
  const [long, other, short] = errors.map(({ message }) => message.replace(/^rejitter: /, ''));
  const [{ name }] = errors;
  assert.deepEqual([other, ...errors.map((error) => error.name)], [long, name, name, name], label);
  if (short !== long) {
    const both = `${short}, for ${long}`;
    assert.match(short, SHORT, both);
    assert.doesNotMatch(short, / must | omitted|Known options|Did you mean/, both);
    // Values may have a semicolon.
    const [, first] = /^(\S+|the \w+|part \d) must /.exec(long) ?? /^(unknown option ".*?")/.exec(long) ?? [];
    assert.ok(short.startsWith(first ?? ''), both);
    const [, value] = /^[^;]*? must (?:be|return) (?!an object of)[^;]*?, got ([^;.]*)(?:$|;|\.)/.exec(long) ?? [];
    assert.ok(short.includes(value === undefined ? '' : `invalid ${value}`), both);
  } else if (!areModules) assert.doesNotMatch(long, /Known options|Did you mean/);
  return `${name}: ${long}`;
}

for (const [what, rows] of Object.entries(vectors('mistakes')))
  test(`${what}: a mistake is an error that says the remedy`, async () => {
    for (const [code, says] of Object.entries(rows).flatMap((row) => callsOf(...row)))
      assert.match(await checked((names) => evaluate(code, names), code), patternOf(says), code);
  });

const read = fails(new Error('read'));
/** Lists and jitters with holes, wrong entries, and fields that are inherited or cannot be read. */
const ODD = [
  ...[[,], [5, , 7], [5n], [[5]], [-Infinity], { 0: 5, length: 1 }, new Set([5]), new Proxy([5], { get: read })],
  Object.create({ type: 'proportional', ratio: 0.5 }),
  Object.defineProperty({ type: 'proportional' }, 'ratio', { enumerable: true, get: read }),
];

test('the table of bad values covers every option', () => {
  const { message } = caught(() => new node.RetryPolicy({ zzz: 1 }));
  assert.deepEqual(Object.keys(OPTIONS).sort(), message.split('Known options: ')[1].split(', ').sort());
});

for (const [name, { takes, says, isNumber, with: others = {} }] of Object.entries(OPTIONS))
  test(`O03 ${name}: valid values have finite waits; each invalid one is rejected with name, value and rule`, async () => {
    const valid = VALUES.filter(takes);
    const wrong = [...VALUES, ...ODD].filter((value) => !takes(value));
    assert.ok(wrong.length >= 20 && (valid.length > 0 || name === 'signal'));
    for (const value of wrong) {
      const label = inspect(value, { showProxy: true });
      const error = await checked(({ made }) => made({ ...others, [name]: value }), label);
      const [kind, text] = [error.split(': ', 1)[0], error.slice(error.indexOf(': ') + 2)];
      assert.ok(text.includes(name), `${label}: the name is missing: ${text}`);
      // A list or a jitter tells which entry is wrong.
      const isInside = text.startsWith(`${name}.`) || text.startsWith(`${name}[`);
      if (!isInside) for (const rule of says) assert.match(text, rule, `${label}: what is allowed is missing`);
      if (/number|string|boolean/.test(typeof value) || value === null)
        assert.ok(text.includes(String(value)), `${label}: the value is missing: ${text}`);
      if (typeof value === 'bigint') assert.match(text, /5n|-1n|bigint/i, label);
      // A wrong number is a RangeError, a wrong type a TypeError.
      if (typeof value === 'number' && isNumber) assert.equal(kind, 'RangeError', label);
      else if (typeof value !== 'string' && !isInside && name !== 'seed' && name !== 'weight')
        assert.equal(kind, 'TypeError', label);
    }
    for (const value of valid) {
      const delays = new node.RetryPolicy({ ...others, [name]: value }).delays();
      // Whether a function is a good one shows only when it is called.
      for (let k = 1, next; k <= 50 && typeof value !== 'function'; k += 1) {
        if ((next = delays.next()).done) break;
        assert.ok(Number.isFinite(next.value) && next.value >= 0, `${String(value)}: wait ${k} is ${next.value}`);
      }
    }
  });

test('an error is bounded: ten problems, a hundred characters of a value, and no time is lost', async () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknownOption${i}`, 1]));
  const textOf = (options) => checked(({ RetryPolicy }) => new RetryPolicy(options), 'bounded');
  const text = await textOf(many);
  assert.equal(text.split('unknown option').length - 1, 10);
  assert.match(text, /; and more\. Known options: /);
  assert.match(await textOf({ seed: 1n << 10_000_000n }), /, got a long bigint$/);
  assert.match(await textOf({ seed: 1n << 64n }), /, got 18446744073709551616n$/);
  for (const text of ['x'.repeat(10_000_000), '\u0001'.repeat(1000), '\u009b31m\u007f'.repeat(50)]) {
    const [, value] = /, got (.*)$/s.exec(await textOf({ baseMs: text }));
    assert.ok(value.length <= 100 && !/[\0-\x1f\x7f-\x9f]/.test(value), value);
  }
  assert.ok((await textOf({ ['n'.repeat(10_000_000)]: 1 })).length < 1000);
});

test('a production bundle has none of the sentences; one without NODE_ENV, and a page without a bundler, have all', async () => {
  const sentence = 'a positive integer (first attempt included) or Infinity';
  assert.ok(!production.text.includes(sentence) && !production.text.includes('Did you mean'));
  const kept = await bundleFor('none', { platform: 'neutral', conditions: ['browser'] });
  assert.ok(kept.text.includes(sentence));
  const [found, expected] = await Promise.all([kept.names, node].map(({ retry }) => errorOf(() => retry(5))));
  assert.equal(found.message, expected.message);
});
