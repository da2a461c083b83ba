// One thread of the simulation: it replaces the timers and clocks of its own globals for good.

import { parentPort } from 'node:worker_threads';

import { open, simulate } from './simulate.mjs';
import { takeOver } from './world.mjs';

const packages = new Map();
const realNow = process.hrtime.bigint;
takeOver();

parentPort.on('message', async ({ folder, ...range }) => {
  const startedAt = realNow();
  let answer;
  try {
    if (!packages.has(folder)) packages.set(folder, await open(folder));
    answer = await simulate(packages.get(folder), range);
  } catch (error) {
    answer = { failure: error?.stack ?? String(error) };
  }
  parentPort.postMessage({ ...answer, ms: Number(realNow() - startedAt) / 1e6 });
});
