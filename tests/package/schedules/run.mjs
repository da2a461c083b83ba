// node tests/package/schedules/run.mjs [--count 1000000] [--seed S] [--only INDEX] [--threads 2]
//   [--among plain|light|protected|hedged]
//
// Runs random schedules against the packed package (REJITTER_TARBALL). Without --seed, it chooses a seed. Exits with 1
// when a schedule breaks an invariant, after shrinking that schedule to a short trace.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { installed } from '../lib/consumer.mjs';
import { simulation } from './threads.mjs';

const names = ['count', 'seed', 'only', 'threads', 'among'];
const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });
const whole = (name, usual) => {
  const text = values[name] ?? String(usual);
  if (!/^\d+$/.test(text)) throw new RangeError(`--${name} must be a non-negative integer, got ${text}`);
  return Number(text);
};

const seed = whole('seed', randomInt(1e9));
const { among } = values;
const [from, to] = values.only === undefined ? [0, whole('count', 1e6)] : [whole('only'), whole('only') + 1];
console.log(`seed ${seed}`);
const startedAt = performance.now();
const threads = whole('threads', 2);
const { schedules, report } = await simulation({ folder: installed, seed, from, to, among, threads });
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(report ?? `${schedules} schedules of seed ${seed}: every invariant held (${seconds} s)`);
if (report) process.exitCode = 1;
