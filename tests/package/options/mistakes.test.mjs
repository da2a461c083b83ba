// Wrong calls of all entries (tests/vectors/mistakes.json), and the error that each throws or rejects with.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importEntry, vectors } from '../lib/consumer.mjs';
import { evaluate } from '../lib/readers.mjs';
import { importAll } from '../protection/entry.mjs';

const all = await importAll();
const [engines, lab, light, otel] = await Promise.all(['engines', 'lab', 'light/fetch', 'otel'].map(importEntry));

const CALLS = [{}, { attemptTimeoutMs: 1000 }, { totalTimeoutMs: 1000 }].map((options) =>
  all.createFetch(options, () => assert.fail('sent')),
);

const policy = new all.RetryPolicy();
const known = {
  ...{ ...all, ...engines, ...lab, ...otel, light, policy },
  observed: otel.telemetry({}).policy(policy),
  hidden: engines.sqs(policy).config.visibilityTimeout,
  /** A value that poses as a policy of another copy: it is validated as by fromData. */
  posing: (data) => ({ toJSON: () => data }),
  /** What a call of a fetch rejects with, whichever timeouts there are. */
  async send(init) {
    const errors = await Promise.all(CALLS.map((send) => send('http://x/', init).then(assert.fail, (error) => error)));
    for (const each of errors) assert.deepEqual(each, errors[0]);
    throw errors[0];
  },
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
      const call = async () => evaluate(code, known);
      const { name, message } = await call().then(
        () => assert.fail(code),
        (error) => error,
      );
      assert.match(`${name}: ${message.replace(/^rejitter: /, '')}`, patternOf(says), code);
    }
  });
