import assert from 'node:assert/strict';
import { test } from 'node:test';

import { digits, markdownTable, textTable, whole, withSpread, wrapped } from './table.mjs';

test('three digits that count', () => {
  const cases = [
    [0, '0'],
    [0.01234, '0.0123'],
    [0.1, '0.100'],
    [1, '1.00'],
    [2.345, '2.35'],
    [12.34, '12.3'],
    [99.96, '100.0'],
    [123.4, '123'],
    [1887, '1,890'],
    [12_345_678, '12,300,000'],
    [-1.5, '-1.50'],
    [-45_678, '-45,700'],
    [NaN, '—'],
    [Infinity, '—'],
  ];
  for (const [value, text] of cases) assert.equal(digits(value), text, String(value));
});

test('whole numbers have commas', () => {
  const cases = [
    [0, '0'],
    [999.4, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
    [-6248, '-6,248'],
  ];
  for (const [value, text] of cases) assert.equal(whole(value), text);
});

test('a spread is the median with its quartiles; what was not measured is a dash', () => {
  assert.equal(withSpread({ median: 2, q1: 1.5, q3: 20 }), '2.00 (1.50–20.0)');
  assert.equal(withSpread(undefined), '—');
});

test('tables', () => {
  const rows = [
    ['name', 'ns'],
    ['a', '1,000'],
    ['longer', '7'],
  ];
  assert.equal(textTable(rows), 'name       ns\n------  -----\na       1,000\nlonger      7');
  assert.equal(
    markdownTable([
      ['a|b', 'x'],
      ['c', '1'],
    ]),
    '| a\\|b | x |\n|---|---:|\n| c | 1 |',
  );
});

test('paragraphs are wrapped between words', () => {
  assert.equal(wrapped('one two  three\nfour', 9), 'one two\nthree\nfour');
  assert.equal(wrapped('exactly 9 x', 9), 'exactly 9\nx');
  assert.equal(wrapped('longerthanthat a', 9), 'longerthanthat\na');
  assert.equal(wrapped('  '), '');
});
