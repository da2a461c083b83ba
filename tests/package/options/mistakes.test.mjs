// Wrong calls of all entries (tests/vectors/mistakes.json), and the error that each throws or rejects with.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, vectors } from '../lib/consumer.mjs';
import { evaluate } from '../lib/readers.mjs';
import { importAll } from '../protection/entry.mjs';

const all = await importAll();
const entries = ['engines', 'lab', 'light', 'light/fetch', 'otel', 'presets'];
const [engines, lab, light, lightFetch, otel, presets] = await Promise.all(entries.map(importEntry));

const called = () => assert.fail('called');
const CALLS = [{}, { attemptTimeoutMs: 1000 }, { totalTimeoutMs: 1000 }].map((options) =>
  all.createFetch(options, called),
);

/** The error of a call that throws, or whose promise rejects. */
const errorOf = (call) => (async () => call())().then(assert.fail, (error) => error);
/** Rejects with the error of these calls, which is the same. */
async function same(...calls) {
  const errors = await Promise.all(calls.map(errorOf));
  for (const each of errors) assert.deepEqual(each, errors[0]);
  throw errors[0];
}

const { RetryPolicy, retry, retrySync } = all;
const policy = new RetryPolicy();
const known = {
  ...{ ...all, ...engines, ...lab, ...otel, presets, light: { ...light, ...lightFetch }, policy, called, fails },
  observed: otel.telemetry({}).policy(policy),
  hidden: engines.sqs(policy).config.visibilityTimeout,
  /** A value that poses as a policy of another copy: it is validated as by fromData. */
  posing: (data) => ({ toJSON: () => data }),
  /** What a call of a fetch rejects with, whichever timeouts there are. */
  send: (init) => same(...CALLS.map((send) => () => send('http://x/', init))),
  /** What all reject with that take options. */
  given: (options) =>
    same(
      ...[() => new RetryPolicy(options), () => policy.with(options), () => policy.delays(options)],
      ...[() => retrySync(called, options), () => retry(called, options), () => policy.run(called, options)],
    ),
};

const WORDS = /['\w-][\w.'-]*(?:\|[\w.'-]+)+/;
/** The calls of a row: with each of several words, `a|b`, in their place. `$` is that of the last place. */
function callsOf(code, says) {
  const [words] = WORDS.exec(code) ?? [];
  if (words === undefined) return [[code, says]];
  return words.split('|').flatMap((word) => {
    const one = code.replace(words, word);
    return callsOf(one, WORDS.test(one) ? says : says.replace('$', word));
  });
}

const patternOf = (says) => new RegExp(`^${says.replaceAll(/[^\w…]/g, '\\$&').replaceAll('…', '[^]*')}$`);

for (const [what, rows] of Object.entries(vectors('mistakes')))
  test(`${what}: a mistake is an error that says the remedy`, async () => {
    for (const [code, says] of Object.entries(rows).flatMap((row) => callsOf(...row))) {
      const { name, message } = await errorOf(() => evaluate(code, known));
      assert.match(`${name}: ${message.replace(/^rejitter: /, '')}`, patternOf(says), code);
    }
  });
