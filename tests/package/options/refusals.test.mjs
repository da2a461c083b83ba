// One table of valid and invalid options and data, which Rust reads too: tests/vectors/refusals.json.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';

const { RetryPolicy, retry, retrySync } = await importPackage();
const { fromData } = await importEntry('data');
const { keepConnected } = await importEntry('reconnect');
const light = await importEntry('light');
const { rows } = vectors('refusals');

/** Values that JSON lacks, by the text before the colon. */
const LACKING = {
  function: () => () => false,
  signal: () => new AbortController().signal,
  bigint: BigInt,
  list: (length) => Array(Number(length)).fill(1),
  undefined: () => undefined,
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

const FORMS = {
  options: [(given) => new RetryPolicy(given), (given) => retry(() => {}, given)],
  data: [(given) => fromData({ version: 1, ...given })],
  sync: [(given) => retrySync(() => {}, given)],
  connection: [(given) => keepConnected(({ finish }) => finish(), given)],
  light: [(given) => light.retry(() => {}, given), (given) => void light.delayMs(1, given)],
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

for (const [form, ways] of Object.entries(FORMS)) {
  test(`O05 ${form}: accepts or rejects each row as the table says`, async () => {
    for (const { given, where, accepted, error, option, says = '' } of rows) {
      if (!where.includes(form)) continue;
      const label = JSON.stringify(given);
      for (const way of ways) {
        const { name, message } =
          (await (async () => void (await way(revived(given))))().catch((thrown) => thrown)) ?? {};
        assert.equal(name, error, `${label}: ${message}`);
        if (accepted) continue;
        assert.match(message, new RegExp(`^rejitter: (unknown option ")?${option}\\b`), label);
        assert.ok(message.includes(says), `${label}: ${message}`);
      }
    }
  });
}
