// The golden vectors: the same seed gives the same waits, bit for bit, in the package as in native Rust, which is
// tested against the same files. And the waits as the host sees them: the arguments of setTimeout, and who is called.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

import { fails } from '../lib/callbacks.mjs';
import { importPackage, infinite, repo, vectors } from '../lib/consumer.mjs';
import { operate } from '../lib/operate.mjs';
import { kindsOf } from '../schedules/waits.mjs';

const { RetryPolicy } = await importPackage();
const failing = fails(0);
const rows = vectors('delays', infinite);
const kinds = vectors('kinds');

test('the codes of the driver are those of the table, and there are vectors of every backoff and every jitter', async () => {
  // Codes are not public: they are read where they are written.
  const codes = await import(pathToFileURL(join(repo, 'src/js/options/codes.js')));
  for (const [option, list] of Object.entries({ backoff: 'BACKOFFS', jitter: 'JITTERS', capRule: 'CAP_RULES' }))
    for (const [i, { code, name, parameter }] of kinds[option].entries()) {
      // A kind that is no word has a constant: ADDITIVE_MAX is `additive` with `maxMs`.
      const constant = parameter === 'maxMs' ? 'ADDITIVE_MAX' : name.toUpperCase();
      const word = name !== 'custom' && parameter === undefined;
      assert.deepEqual([code, word ? codes[list].indexOf(name) : codes[constant]], [i, i], `${option} ${name}`);
    }
  for (const { code, name, replacesTheCurve = false } of kinds.jitter)
    assert.equal(codes.hasOwnCurve(code), replacesTheCurve, name);
  const named = (option) => new Set(kinds[option].map(({ name }) => name).filter((name) => name !== 'custom'));
  assert.deepEqual(new Set(rows.map(({ options }) => options.backoff ?? 'exponential')), named('backoff'));
  assert.deepEqual(new Set(rows.map(({ options: { jitter = 'full' } }) => jitter.type ?? jitter)), named('jitter'));
});

for (const [i, { options, seed, delays }] of rows.entries())
  test(`vector ${i + 1}: ${JSON.stringify({ ...options, seed })}`, async () => {
    const { maxAttempts = 6, ...rest } = options;
    // The list may be the first part of a longer or endless one.
    const policy = new RetryPolicy({ ...rest, maxAttempts });
    const iterator = policy.delays({ seed });
    assert.ok(delays.length > 0);
    for (const [k, wait] of delays.entries()) {
      const given = iterator.next().value;
      assert.ok(Object.is(given, wait), `wait ${k + 1}: ${given} instead of ${wait}`);
      // Without state as well: a queue asks for one wait at a time.
      assert.equal(policy.delayMs(k + 1, { seed }), wait);
    }
    if (delays.length === maxAttempts - 1) assert.equal(iterator.next().done, true);
    // An operation waits as long, rounded up. Waits longer than a timer can hold are armed in pieces.
    if (maxAttempts >= 100 || delays.some((ms) => ms >= 2 ** 31 - 1)) return;
    const { delays: armed } = await operate(failing, { ...options, seed });
    assert.ok(armed.length > 0);
    assert.deepEqual(armed, delays.slice(0, armed.length).map(Math.ceil));
  });

test('a server cannot shorten the waits of a policy: hinted waits are those of the vectors', () => {
  const hints = vectors('hints', infinite);
  assert.ok(hints.length >= 40);
  for (const { options, seed, hintMs, delays } of hints) {
    const policy = new RetryPolicy({ ...options, seed });
    const own = [...policy.delays()];
    assert.equal(own.length, delays.length);
    for (const [i, wait] of delays.entries()) {
      const hinted = policy.delayMs(i + 1, { hintMs });
      assert.ok(Object.is(hinted, wait), `${JSON.stringify(options)}, wait ${i + 1}: ${hinted} instead of ${wait}`);
      assert.ok(wait >= own[i] && wait >= hintMs);
    }
  }
});

for (const jitter of [...kindsOf('jitter'), { type: 'proportional', ratio: 0.5 }, { type: 'additive', maxMs: 5 }])
  test(`M03 T03 T05 5,000 failures of Infinity, then a value, jitter ${inspect(jitter)}: whole waits within the cap`, async () => {
    const policy = { jitter, capMs: 9000, minMs: 5, maxAttempts: Infinity, seed: 'T03' };
    const { value, delays } = await operate(({ attempt }) => (attempt <= 5000 ? failing() : 'value'), policy);
    assert.deepEqual([value, delays.length], ['value', 5000]);
    for (const ms of delays) assert.ok(Number.isInteger(ms) && ms >= 5 && ms <= 9000, `setTimeout(${ms})`);
    assert.deepEqual(delays, [...new RetryPolicy({ ...policy, maxAttempts: 5001 }).delays()].map(Math.ceil));
  });
