// Random lives of the latency: the delays that JavaScript learns are those of native Rust, bit for bit. The steps are
// drawn here as in tests/protection/latency_lives.rs, word by word; cargo gives the native digests.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';
import { nativeDigests, newDigest } from './lives.mjs';

const { Latency, peek } = await import(pathToFileURL(join(modules, 'lib/protection/latency.js')).href);

const LIVES = 250;
const STEPS = 100;
const SLICE_MS = 30_000;
const QUANTILES = [0.001, 0.5, 0.9, 0.95, 0.99, 1];
const SCALES = [0, 1, 100, 2000, 20_000];

const number = new Float64Array(1);
const bits = new BigUint64Array(number.buffer);

/** Returns the number whose bits are those of `value` plus `by`. */
function neighbour(value, by) {
  number[0] = value;
  bits[0] += by;
  return number[0];
}

/** Plays a life. Returns the digest of its delays. */
function play(index) {
  const { below, unit } = words(index);
  const { add, value } = newDigest();
  const scale = SCALES[below(5)];
  let now = below(1_000_000);
  const lowest = below(20);
  const octaves = 1 + below(46 - lowest);
  const latency = new Latency(now);

  const duration = () => {
    const kind = below(16);
    const octave = 2 ** (lowest + below(octaves)) / 64;
    const eighth = below(8);
    const part = unit();
    const edge = octave * (1 + eighth / 8);
    if (kind === 0) return 0;
    if (kind === 1) return 2 ** 40;
    if (kind <= 4) return edge;
    if (kind <= 6) return neighbour(edge, -1n);
    if (kind <= 8) return neighbour(edge, 1n);
    return octave * (1 + part);
  };
  const step = () => {
    const leap = below(64);
    const part = unit();
    if (leap === 0) now += 1e9 * (part - 0.5);
    else if (leap === 1) now += SLICE_MS;
    else if (leap === 2) now += 2 * SLICE_MS;
    else if (leap === 3) now += -SLICE_MS;
    else if (leap === 4) now += -scale * part;
    else if (leap === 5) now += 2.5 * SLICE_MS * part;
    else if (leap > 20) now += scale * part;
    for (let records = below(33); records > 0; records -= 1) latency.record(now, duration());
    const peeks = below(4) === 0;
    const quantile = QUANTILES[below(6)];
    const delay = peeks ? peek(latency, now, quantile) : latency.delayMs(now, quantile);
    add(delay ?? -1);
  };
  for (let i = 0; i < STEPS; i += 1) step();
  return value();
}

test(`JavaScript and native Rust learn equal delays in ${LIVES} random lives`, async () => {
  const native = await nativeDigests('latency_lives', LIVES);
  for (let life = 0; life < LIVES; life += 1) assert.equal(play(life), native[life], `life ${life}`);
});
