/** The hues of the page: apart for readers with each kind of colour blindness, and visible on the card. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

/** @typedef {readonly [number, number, number]} Rgb linear, 0 to 1 */

const LEAST_CONTRAST = 3.6;
const LEAST_TEXT_CONTRAST = 4.5;
/** Distance in Oklab: black and white are 1 apart, barely different colours 0.02. */
const LEAST_DISTANCE = 0.09;

/** Machado, Oliveira, Fernandes (2009), severity 1. @type {Record<string, readonly [Rgb, Rgb, Rgb]>} */
const SIGHT = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const css = await readFile(new URL('../src/styles/base.css', import.meta.url), 'utf8');

/** @param {string} name @param {number} scheme 0 light, 1 dark @returns {Rgb} */
function color(name, scheme) {
  const value = new RegExp(`--${name}: (?:light-dark\\((#\\w{6}), (#\\w{6})\\)|var\\(--(\\w+)\\));`).exec(css);
  assert.ok(value, name);
  if (value[3]) return color(value[3], scheme);
  const hex = value[1 + scheme] ?? '';
  const part = (/** @type {number} */ at) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** @param {Rgb} rgb */
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** @param {Rgb} a @param {Rgb} b */
function contrast(a, b) {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** @param {Rgb} rgb @param {string} sight @returns {Rgb} in Oklab */
function seen(rgb, sight) {
  const [r, g, b] = (SIGHT[sight] ?? []).map((row) =>
    Math.min(1, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])),
  );
  assert.ok(r !== undefined && g !== undefined && b !== undefined);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const HUES = ['none', 'full', 'equal', 'decorrelated', 'further', 'failed'];

for (const [scheme, name] of ['light', 'dark'].entries()) {
  test(`${name}: every hue stands out from the card and from the other hues, for every kind of sight`, () => {
    const card = color('card', scheme);
    for (const hue of HUES) assert.ok(contrast(color(hue, scheme), card) >= LEAST_CONTRAST, hue);
    for (const hue of HUES.slice(0, 5))
      assert.ok(contrast(color(`${hue}-text`, scheme), card) >= LEAST_TEXT_CONTRAST, `${hue}-text`);
    for (const sight of Object.keys(SIGHT)) {
      for (const [i, a] of HUES.entries()) {
        for (const b of HUES.slice(i + 1)) {
          const [x, y] = [seen(color(a, scheme), sight), seen(color(b, scheme), sight)];
          const distance = Math.hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
          assert.ok(distance >= LEAST_DISTANCE, `${sight}: ${a} and ${b} are ${distance.toFixed(3)} apart`);
        }
      }
    }
  });
}
