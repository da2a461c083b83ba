/** Labels, scales, ticks, numbers and colours of the charts, in Node. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { page } from './lib/node.mjs';

const { duration, share, logTicks, ticksOf, spread, linear, log } = await page(
  'charts/format charts/axis charts/labels charts/scale',
);

test('labels of lines keep their distance and order; ticks are round, at most six, and in the domain', () => {
  for (const [found, expected] of [
    [spread([10, 40, 90], 16, [0, 100]), [10, 40, 90]],
    // Of two that collide the second gives way; the third is not touched.
    [spread([54, 50, 90], 16, [0, 100]), [66, 50, 90]],
    [spread([0, 0, 0], 16, [0, 100]), [0, 16, 32]],
    [spread([99, 98], 16, [0, 100]), [100, 84]],
    [spread([], 16, [0, 100]), []],
    // Scales: a value that is alone is in the middle.
    [[10, 15, 20, 30].map(linear([10, 20], [200, 100])), [200, 150, 100, 0]],
    [[1, 10, 100].map(log([1, 100], [0, 60])), [0, 30, 60]],
    [[5].map(linear([5, 5], [0, 60])), [30]],
    [logTicks([6.8, 280]), [10, 20, 50, 100, 200]],
    [logTicks([21, 69_000]), [100, 1000, 10_000]],
    [logTicks([3, 7]), [3, 4, 5, 6, 7]],
    [logTicks([310, 130_000]), [1000, 3000, 10_000, 30_000, 100_000]],
    [logTicks([1, 1e9]), [1, 100, 10_000, 1e6, 1e8]],
    [ticksOf(linear([0, 120_000], [60, 600]), 64), [0, 50_000, 100_000]],
    [ticksOf(linear([0, 60_000], [60, 240]), 64), [0, 50_000]],
    [ticksOf(linear([0, 700], [60, 900]), 64), [0, 200, 400, 600]],
    [[0, 0.047, 0.3, 0.953, 1, 1.026, 18.667].map(share), ['0%', '4.7%', '30%', '95.3%', '100%', '102.6%', '1867%']],
  ])
    assert.deepEqual(found, expected);
});

test('durations have about three digits, in the unit that fits, and nothing but 0 is 0', () => {
  for (const [ms, words] of [
    [0, '0 ms'],
    [0.001, '0.001 ms'],
    [0.04, '0.04 ms'],
    [0.05, '0.1 ms'],
    [8.25, '8.3 ms'],
    [999.4, '999 ms'],
    [999.5, '1 s'],
    [15_200, '15.2 s'],
    [119_000, '119 s'],
    [120_000, '2 min'],
    [3_600_000, '60 min'],
    [7_200_000, '2 h'],
    [19 * 3_600_000, '19 h'],
    [350 * 86_400_000, '350 days'],
    [2 ** 53 - 1, '104,249,991 days'],
    [Infinity, 'unlimited'],
  ])
    assert.equal(duration(ms).replaceAll('\u00a0', ' '), words);
});

/** Machado, Oliveira, Fernandes (2009), severity 1: rows of a matrix for linear red, green and blue. */
const SIGHT = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
const LMS = [
  ...[0.4122214708, 0.5363325363, 0.0514459929],
  ...[0.2119034982, 0.6806995451, 0.1073969566],
  ...[0.0883024619, 0.2817188376, 0.6299787005],
];
const OKLAB = [
  ...[0.2104542553, 0.793617785, -0.0040720468],
  ...[1.9779984951, -2.428592205, 0.4505937099],
  ...[0.0259040371, 0.7827717662, -0.808675766],
];
const times = (matrix, vector) =>
  [0, 3, 6].map((row) => vector.reduce((sum, part, i) => sum + matrix[row + i] * part, 0));
/** In Oklab black and white are 1 apart, barely different colours 0.02. */
const seen = (rgb, sight) => {
  const inGamut = times(SIGHT[sight], rgb).map((part) => Math.min(1, Math.max(0, part)));
  return times(OKLAB, times(LMS, inGamut).map(Math.cbrt));
};
const contrast = (a, b) => {
  const both = [a, b].map(([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
  return Math.max(...both) / Math.min(...both);
};

const css = await readFile(new URL('../src/styles/base.css', import.meta.url), 'utf8');
for (const [scheme, name] of ['light', 'dark'].entries())
  test(`${name}: every hue stands out from the card and from the other hues, for every kind of sight`, () => {
    /** The linear parts of a value after `selector`. */
    const color = (selector, variable) => {
      const value = new RegExp(`${selector}[^}]*?--${variable}: (?:light-dark\\((\\S+), (\\S+)\\)|var\\(--(\\S+)\\));`);
      const found = value.exec(css) ?? [];
      if (found[3]) return color(':root', found[3]);
      return [1, 3, 5].map((at) => {
        const c = parseInt(`${found[1 + scheme]}`.slice(at, at + 2), 16) / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
    };
    const card = color(':root', 'card');
    const jitters = ['="none"', '="full"', '="equal"', '="decorrelated"', ''].map((one) => `\\[data-jitter${one}\\]`);
    const hues = [...jitters.map((one) => color(one, 'hue')), color(':root', 'failed')];
    for (const hue of hues) assert.ok(contrast(hue, card) >= 3.6, hue.join());
    for (const jitter of jitters) assert.ok(contrast(color(jitter, 'hue-text'), card) >= 4.5, jitter);
    for (const sight of Object.keys(SIGHT))
      for (const [i, a] of hues.entries())
        for (const b of hues.slice(i + 1)) {
          const [[x, y, z], [u, v, w]] = [seen(a, sight), seen(b, sight)];
          assert.ok(Math.hypot(x - u, y - v, z - w) >= 0.09, `${sight}: ${a} and ${b}`);
        }
  });
