// Blocks of the documents that need other packages, run in this process without waiting.

import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { project } from '../../package/lib/consumer.mjs';
import { importTesting } from '../../package/lib/fetching.mjs';
import { packaged } from './packages.mjs';

const { virtualClock } = await importTesting();

/**
 * Calls `body` with a virtual clock and without chance; returns its outcome. The clock runs until that settles.
 * @param {(clock: any) => Promise<any>} body
 * @param {number | null} [draw] what `Math.random` returns; `null`: chance stays, which Bottleneck needs for names of
 *   jobs
 * @param {number} [graceMs] for sockets
 */
export const still = (body, draw, graceMs = 2) => underClock((clock) => clock.runUntil(body(clock), { graceMs }), draw);

/** The same, but `body` moves the clock itself. */
export async function underClock(body, draw = 0.5) {
  const clock = virtualClock({ date: true });
  const { random } = Math;
  if (draw !== null) Math.random = () => draw;
  try {
    return await body(clock);
  } finally {
    Math.random = random;
    clock.uninstall();
  }
}

/** The names of the packages that a module imports. */
const packagesOf = (code) =>
  [...code.matchAll(/from '((?:@[^/']+\/)?[^./'][^/']*)[^']*'/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'rejitter' && !name.startsWith('node:'));

/**
 * A folder with a block saved as `main.mjs` next to `files`, in which the packages that it imports, and their types,
 * are installed: those of this folder.
 */
export function pasted(code, files = {}) {
  const dir = project('pasted', { ...files, 'main.mjs': code });
  const names = packagesOf(code);
  for (const name of new Set([...names, ...names.map((name) => `@types/${name}`)])) {
    const place = join(dir, 'node_modules', name);
    if (!existsSync(packaged(name))) continue;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(packaged(name), place);
  }
  return dir;
}

/** Runs a block; returns what it exports. */
export const importPasted = (code, files) => import(pathToFileURL(join(pasted(code, files), 'main.mjs')).href);
