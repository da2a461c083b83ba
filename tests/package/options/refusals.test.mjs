// One table of valid and invalid options and data, which Rust reads too: tests/vectors/refusals.json.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';

const { RetryPolicy, retry, retrySync } = await importPackage();
const { fromData } = await importEntry('data');
const light = await importEntry('light');
const { rows } = vectors('refusals');

/** Values that JSON lacks. */
function revived(value) {
  if (typeof value?.$ === 'string') {
    const [kind, text] = value.$.split(':');
    switch (kind) {
      case 'function':
        return () => false;
      case 'signal':
        return new AbortController().signal;
      case 'bigint':
        return BigInt(text);
      case 'list':
        return Array(Number(text)).fill(1);
      case 'undefined':
        return undefined;
      default:
        return Number(kind);
    }
  }
  if (Array.isArray(value)) return value.map(revived);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revived(inner)]));
}

const FORMS = {
  options: [(given) => new RetryPolicy(given), (given) => retry(() => {}, given)],
  data: [(given) => fromData({ version: 1, ...given })],
  sync: [(given) => retrySync(() => {}, given)],
  light: [(given) => light.retry(() => {}, given), (given) => void light.delayMs(1, given)],
};

test('the table has rows for both forms of policies, of both answers', () => {
  for (const form of ['options', 'data']) {
    for (const answer of ['accepted', 'error'])
      assert.ok(rows.filter((row) => row.where.includes(form) && row[answer]).length > 20, `${form}, ${answer}`);
  }
  for (const { where, accepted, error, option } of rows) {
    assert.ok(where.length > 0 && where.every((form) => form in FORMS));
    assert.equal(accepted === true, error === undefined && option === undefined);
  }
});

for (const [form, ways] of Object.entries(FORMS)) {
  test(`O05 ${form}: accepts or rejects each row as the table says`, async () => {
    for (const { given, where, accepted, error, option, says = '' } of rows) {
      if (!where.includes(form)) continue;
      const label = JSON.stringify(given);
      for (const way of ways) {
        const outcome = await (async () => way(revived(given)))().then(
          () => undefined,
          (thrown) => thrown,
        );
        if (accepted) {
          assert.equal(outcome, undefined, label);
          continue;
        }
        assert.equal(outcome?.name, error, `${label}: ${outcome}`);
        assert.match(outcome.message, new RegExp(`^rejitter: (unknown option ")?${option}\\b`), label);
        assert.ok(outcome.message.includes(says), `${label}: ${outcome.message}`);
      }
    }
  });
}
