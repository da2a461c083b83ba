// The core as JavaScript, and the waits of rejitter/light, are the core as WebAssembly: the same numbers, to the last
// bit, for any arguments: 200,000 random ones, and 40,000 with REJITTER_QUICK.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';

const module = (path) => import(pathToFileURL(join(modules, 'lib', path)).href);
const { default: base64 } = await module('wasm/core-bytes.js');
const wasm = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(base64, 'base64'))).exports;
const js = await module('wasm/core-generated.js');
const { delay, hinted } = await module('light/generated.js');
const EXPONENTIAL = 2;
const COUNT = process.env.REJITTER_QUICK ? 40_000 : 200_000;

/** Where conversions between kinds of numbers, comparisons and powers have their limits. */
const EDGES = [
  ...[0, 0.5, 1, 2, 6, 100, 1e4, 1e300, Number.MAX_VALUE, Number.MIN_VALUE, 1 - 2 ** -53, Infinity, NaN],
  ...[31, 32, 52, 53, 60, 63, 64, 65, 1023].flatMap((n) => [2 ** n, 2 ** n - 1, 2 ** n + 1]),
].flatMap((value) => [value, -value]);

const { word, below, unit } = words(0);
const any = () => [() => EDGES[below(EDGES.length)], () => below(50), () => unit() * 10 ** (below(20) - 3)][below(3)]();
/** The driver passes undefined or NaN. */
const unset = (draw, of = 2) => (below(of) === 0 ? [NaN, undefined][below(2)] : draw());
const attempt = () => (below(4) === 0 ? any() : below(2000));
const duration = () => [0, 1, 100, 1e4, 2 ** 53 - 1, 1e-300, unit() * 10 ** below(16), below(5000)][below(8)];

/** Random arguments: of the driver for valid policies, and any others. */
const ARGUMENTS = {
  draw: () => [word(), word(), any(), any(), any(), attempt(), below(3)],
  decide() {
    const valid = below(2) === 0;
    const ms = valid ? () => unset(() => unit() * 10 ** below(13)) : any;
    const r = valid ? unit : any;
    const growth = valid ? unset(() => 1 + unit() * 4) : any();
    const truncateAt = valid ? below(41) : any();
    const waits = [below(7), below(11), ms(), ms(), growth, below(4), ms(), truncateAt, ms(), ms(), below(2)];
    return [attempt(), r(), ...waits, below(2) === 0 ? -1 : ms(), unset(any), r()];
  },
};

for (const name of ['decide', 'draw'])
  test(`both forms of the core agree about ${name}, for ${COUNT} random arguments`, () => {
    const ends = {};
    for (let i = 0; i < COUNT; i += 1) {
      const given = ARGUMENTS[name]();
      const [expected, found] = [wasm[name](...given), js[name](...given)];
      const end = expected < 0 ? expected : 'number';
      ends[end] = (ends[end] ?? 0) + 1;
      assert.ok(Object.is(expected, found), `${name}(${given.join(', ')}) is ${found} instead of ${expected}`);
    }
    // Each outcome is among them.
    for (const end of name === 'decide' ? ['number', -3] : ['number']) assert.ok(ends[end] > COUNT / 1000, `${end}`);
  });

test('both forms export the same functions', () => {
  assert.deepEqual(Object.keys(js).sort(), Object.keys(wasm).sort());
  for (const [name, { length }] of Object.entries(wasm)) assert.equal(js[name].length, length, name);
});

test('each wait of rejitter/light is that of the core, for random options, draws and hints', () => {
  for (let i = 0; i < COUNT / 2; i += 1) {
    const [r, code, baseMs] = [below(9) === 0 ? 1 - 2 ** -53 : unit(), below(3), unset(duration, 3)];
    const capMs = unset(() => (below(5) === 0 ? Infinity : Math.max(duration(), baseMs || 0)), 3);
    const factor = unset(() => [1, 2, 1 + 2 ** -52 * below(1e6), 1 + unit() * 4, 2 ** 52][below(5)], 3);
    // The driver knows the default, and light leaves that to the core.
    const cap = capMs >= 0 ? capMs : Math.max(1e4, baseMs || 0);
    const [k, serverMs] = [below(4) === 0 ? word() : below(70), duration()];
    const decide = (hintMs) =>
      wasm.decide(k, r, EXPONENTIAL, code, baseMs, cap, factor, 0, NaN, 0, NaN, Infinity, 0, -1, hintMs, r);
    const computed = delay(k, r, code, baseMs, capMs, factor);
    const found = serverMs > 0 ? hinted(computed, r, delay(1, 0, 0, baseMs, capMs, factor), serverMs) : computed;
    const text = `${[k, r, code, baseMs, capMs, factor, serverMs]}`;
    assert.ok(Object.is(computed, decide(NaN)), `${text}: ${computed} instead of ${decide(NaN)}`);
    assert.ok(Object.is(found, decide(serverMs)), `${text}: ${found} instead of ${decide(serverMs)}, after a hint`);
  }
});
