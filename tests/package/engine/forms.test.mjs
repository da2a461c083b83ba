// The core as JavaScript is the core as WebAssembly: the same numbers for any arguments. REJITTER_POLICIES sets how many
// random arguments are compared.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { installed, modules } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';

const wasm = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(join(installed, 'core.wasm')))).exports;
const { core } = await import(pathToFileURL(join(modules, 'lib/wasm/core-generated.js')).href);
const js = core();

const CALLS = Number(process.env.REJITTER_POLICIES || 200_000);

/** Where conversions between kinds of numbers, comparisons and powers have their limits. */
const EDGES = [
  ...[0, 0.5, 1, 2, 6, 100, 1e4, 1e300, Number.MAX_VALUE, Number.MIN_VALUE, 1 - 2 ** -53, Infinity, NaN],
  ...[31, 32, 52, 53, 60, 63, 64, 65, 1023].flatMap((n) => [2 ** n, 2 ** n - 1, 2 ** n + 1]),
].flatMap((value) => [value, -value]);

/** Draws arguments word by word, the same in each run. */
function drawer() {
  const { word, below, unit } = words(0);
  const any = () =>
    [() => EDGES[below(EDGES.length)], () => below(50), () => unit() * 10 ** (below(20) - 3)][below(3)]();
  const unset = (draw) => (below(2) === 0 ? NaN : draw());
  const attempt = () => (below(4) === 0 ? any() : below(2000));
  return {
    draw: () => [word(), word(), any(), attempt(), below(3)],
    // Arguments of the driver for valid policies, and any others.
    decide: () => {
      const valid = below(2) === 0;
      const ms = valid ? () => unset(() => unit() * 10 ** below(13)) : any;
      const r = valid ? unit : any;
      const growth = valid ? unset(() => 1 + unit() * 4) : any();
      const truncateAt = valid ? below(41) : any();
      const waits = [below(7), below(11), ms(), ms(), growth, below(4), ms(), truncateAt, ms(), ms(), below(2)];
      return [attempt(), r(), ...waits, below(2) === 0 ? -1 : ms(), unset(any), r()];
    },
  };
}

/** Calls both forms with the same random arguments. Returns the first difference, in words, and how calls ended. */
function compare(calls) {
  const args = drawer();
  const ends = {};
  for (let i = 0; i < calls; i += 1) {
    for (const name of ['decide', 'draw']) {
      const given = args[name]();
      const [expected, found] = [wasm[name](...given), js[name](...given)];
      const end = `${name} ${expected < 0 ? expected : Number.isNaN(expected) ? 'NaN' : 'number'}`;
      ends[end] = (ends[end] ?? 0) + 1;
      if (!Object.is(expected, found)) {
        return { difference: `${name}(${given.join(', ')}) is ${found} instead of ${expected}`, ends };
      }
    }
  }
  return { difference: undefined, ends };
}

test(`both forms of the core agree to the last bit, for ${CALLS} random policies and draws`, () => {
  const { difference, ends } = compare(CALLS);
  assert.equal(difference, undefined);
  // Each outcome is among them.
  for (const end of ['number', '-3', 'NaN']) assert.ok(ends[`decide ${end}`] > CALLS / 1000, end);
});

test('both forms export the same functions', () => {
  assert.deepEqual(Object.keys(js).sort(), Object.keys(wasm).sort());
  for (const [name, { length }] of Object.entries(wasm)) assert.equal(js[name].length, length, name);
});
