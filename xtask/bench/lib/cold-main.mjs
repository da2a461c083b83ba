// @ts-check
// One cold start: node cold-main.mjs INDEX prints the ms of import and first success, then of the first failure with
// its retry; nothing if that contender does not run here.

import { FIELDS, load } from '../contenders.mjs';
import { patchTimers } from './timers.mjs';

patchTimers();
const contender = FIELDS.retries[Number(process.argv[2])];
let calls = 0;
let failures = 0;
const error = new Error('flaky');
const fn = async () => {
  calls += 1;
  if (calls <= failures) throw error;
  return calls;
};

const start = performance.now();
const scope = await load(contender);
if (scope !== undefined) {
  const names = scope(fn);
  const operation = new Function(...Object.keys(names), `return () => ${contender.call};`)(...Object.values(names));
  await operation();
  const ms = [performance.now() - start];
  if (contender.retries !== false) {
    [calls, failures] = [0, 1];
    const second = performance.now();
    await operation();
    ms.push(performance.now() - second);
    if (calls !== 2) throw new Error(`${calls} attempts instead of 2`);
  }
  process.stdout.write(JSON.stringify(ms));
}
