// One thread of the simulation: it replaces the timers and clocks of its own globals for good.

import { parentPort } from 'node:worker_threads';

import { open, simulate } from './simulate.mjs';
import { takeOver } from './world.mjs';

const packages = new Map();
takeOver();

parentPort.on('message', async ({ folders, ...range }) => {
  let answer;
  try {
    for (const folder of folders) if (!packages.has(folder)) packages.set(folder, await open(folder));
    answer = await simulate(
      folders.map((folder) => packages.get(folder)),
      range,
    );
  } catch (error) {
    answer = { failure: error?.stack ?? String(error) };
  }
  parentPort.postMessage(answer);
});
