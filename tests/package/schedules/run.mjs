// node tests/package/schedules/run.mjs [--count 1000000] [--seed S] [--only INDEX] [--threads 2]
//   [--among plain|protected|hedged]
//
// Runs random schedules against the packed package (REJITTER_TARBALL). Without --seed, it chooses a seed. Exits with 1
// when a schedule breaks an invariant, after shrinking that schedule to a short trace.

import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { installed } from '../lib/consumer.mjs';
import { Threads, report } from './threads.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(randomInt(1e9)) },
    only: { type: 'string' },
    threads: { type: 'string', default: '2' },
    among: { type: 'string' },
  },
});
const whole = (name) => {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new RangeError(`--${name} must be a non-negative integer, got ${values[name]}`);
  return number;
};

const seed = whole('seed');
const { among } = values;
const [from, to] = values.only === undefined ? [0, whole('count')] : [whole('only'), whole('only') + 1];
const threads = new Threads(Math.max(1, Math.min(to - from, whole('threads'))));
console.log(`seed ${seed}`);
const startedAt = process.hrtime.bigint();
const { schedules, finding } = await threads.simulate({ folder: installed, seed, from, to, among });
await threads.close();
const seconds = Number(process.hrtime.bigint() - startedAt) / 1e9;
if (finding) {
  console.log(report(finding));
  process.exitCode = 1;
} else {
  console.log(
    `${schedules} schedules of seed ${seed}: every invariant held (${seconds.toFixed(1)} s, ` +
      `${Math.round(schedules / seconds)} per second)`,
  );
}
