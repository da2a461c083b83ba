// The kinds of options and their codes, against the table that Rust is held to (tests/vectors/kinds.json).

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { importEntry, importPackage, repo, vectors } from '../lib/consumer.mjs';

const { RetryPolicy } = await importPackage();
const { fromData } = await importEntry('data');
const { explain } = await importEntry('lab');
const table = vectors('kinds');
// Codes are not public: they are read where they are written.
const codes = await import(pathToFileURL(join(repo, 'src/js/options/codes.js')));

/** Returns the option of a row, as users write it. */
const written = ({ name, parameter }) =>
  name === 'custom' ? [1, 2] : parameter === undefined ? name : { type: name, [parameter]: 0.5 };

const named = (rows) =>
  rows.filter(({ name, parameter }) => name !== 'custom' && parameter === undefined).map(({ name }) => name);

/** `decorrelatedBounded` and `maxMs` are parts of names of constants. */
const constant = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

test('the codes of the driver are those of the table', () => {
  for (const [rows, list] of [
    [table.backoff, codes.BACKOFFS],
    [table.jitter, codes.JITTERS],
    [table.capRule, codes.CAP_RULES],
  ]) {
    for (const [i, { code }] of rows.entries()) assert.equal(code, i);
    assert.deepEqual(list, named(rows));
  }
  // Each constant of a code is that of a row, and the kinds that are not in a list have one.
  const expected = new Map(
    [...table.backoff, ...table.jitter, ...table.capRule].map(({ code, name, parameter }) => [
      constant(parameter === 'maxMs' ? 'additiveMax' : name),
      code,
    ]),
  );
  const lists = ['BACKOFFS', 'JITTERS', 'CAP_RULES'];
  const others = ['MAX_MS', 'DEFAULT_CAP_MS', 'MAX_LIST', 'DEEPEST', 'ORIGIN'];
  const constants = Object.entries(codes).filter(
    ([name, value]) => typeof value !== 'function' && !lists.includes(name) && !others.includes(name),
  );
  assert.ok(constants.length >= 12);
  for (const [name, code] of constants) assert.equal(code, expected.get(name), name);
  for (const name of ['CUSTOM', 'PROPORTIONAL', 'ADDITIVE', 'ADDITIVE_MAX']) assert.ok(name in codes, name);
});

test('the jitters that replace the curve are those of the table', () => {
  for (const { code, name, replacesTheCurve = false } of table.jitter)
    assert.equal(codes.hasOwnCurve(code), replacesTheCurve, name);
});

test('every kind goes through the driver, its data and the wasm of the lab', () => {
  for (const [option, rows] of [
    ['backoff', table.backoff],
    ['jitter', table.jitter],
  ]) {
    assert.throws(
      () => new RetryPolicy({ [option]: 'unknown' }),
      (error) => rows.every(({ name }) => name === 'custom' || error.message.includes(`'${name}'`)),
      option,
    );
    for (const row of rows) {
      const policy = new RetryPolicy({ [option]: written(row) });
      assert.deepEqual(policy.toJSON()[option], written(row));
      assert.deepEqual(fromData(policy.toJSON()).toJSON(), policy.toJSON());
      assert.ok(Array.isArray(explain(policy)), row.name);
      assert.ok([...policy.delays()].every((ms) => ms >= 0));
    }
  }
  for (const { name } of table.capRule) {
    const policy = fromData({ version: 1, capRule: name });
    assert.equal(policy.toJSON().capRule ?? 'bound', name);
    assert.ok(Array.isArray(explain(policy)), name);
  }
});
