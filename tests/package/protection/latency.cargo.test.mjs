// Random lives of the latency: the delays that JavaScript learns are those of native Rust, bit for bit. Rust draws the
// steps and writes them down: tests/protection/lives.rs.

import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { modules } from '../lib/consumer.mjs';
import { playAll } from './lives.mjs';

const { Latency, peek } = await import(pathToFileURL(join(modules, 'lib/protection/latency.js')).href);

const LIVES = 250;

function play(next, equal, more) {
  const latency = new Latency(next());
  while (more()) {
    const now = next();
    for (let records = next(); records > 0; records -= 1) latency.record(now, next());
    const [peeks, quantile] = [next() === 1, next()];
    equal((peeks ? peek(latency, now, quantile) : latency.delayMs(now, quantile)) ?? -1);
  }
}

test(`JavaScript and native Rust learn equal delays in ${LIVES} random lives`, () => playAll('latencies', LIVES, play));
