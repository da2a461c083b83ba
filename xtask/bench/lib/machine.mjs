// The machine that measured, and the idle share of it.

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const json = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));

/** The class of machine, no name. */
export const machine = () => ({
  processor: cpus()[0]?.model.trim() || 'an unknown processor',
  cores: availableParallelism(),
  platform: `${process.platform} ${process.arch}`,
});

/** The versions of what takes part. */
export function versions() {
  const { dependencies } = json('package.json');
  const names = ['rejitter', ...Object.keys(dependencies)];
  return Object.fromEntries(names.map((name) => [name, json(`node_modules/${name}/package.json`).version]));
}

/** The share of the processors that others use, between 0 and 1, while this process does nothing. */
export async function takenByOthers(ms = 2000) {
  const before = cpus();
  await pause(ms);
  let idle = 0;
  let all = 0;
  for (const [i, { times }] of cpus().entries()) {
    for (const [kind, value] of Object.entries(times)) {
      const grown = value - before[i].times[kind];
      all += grown;
      if (kind === 'idle') idle += grown;
    }
  }
  return all === 0 ? 0 : 1 - idle / all;
}
