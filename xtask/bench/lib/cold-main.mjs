// @ts-check
// One cold start, printed as JSON: node cold-main.mjs <file of the contender>

import { patchTimers } from './timers.mjs';

patchTimers('immediate');
const error = new Error('flaky');
let failures = 0;
let calls = 0;
const fn = async () => {
  calls += 1;
  if (calls <= failures) throw error;
  return calls;
};
/** @param {{ call: string, scope: (fn: () => unknown) => Record<string, unknown> }} contender */
const operationOf = ({ call, scope }) => {
  const names = scope(fn);
  return new Function(...Object.keys(names), `return () => ${call};`)(...Object.values(names));
};

const start = performance.now();
const contender = await import(`../contenders/${process.argv[2]}.mjs`);
const operation = operationOf(contender);
await operation();
const firstMs = performance.now() - start;

let failureMs;
if (contender.retries !== false) {
  calls = 0;
  failures = 1;
  const second = performance.now();
  await operation();
  failureMs = performance.now() - second;
  if (calls !== 2) throw new Error(`${calls} attempts instead of 2`);
}
process.stdout.write(JSON.stringify({ name: contender.name, firstMs, failureMs }));
