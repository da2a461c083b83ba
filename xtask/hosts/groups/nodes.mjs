// Node, Deno, Bun: the suite as a program.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { program } from '../row.mjs';

const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

/**
 * Returns a function that installs a Node once and resolves with its path.
 * @param {string} out
 */
export function nodes(out) {
  return async (major) => {
    const dir = join(out, `.node-${major}`);
    const package_ = `node-${process.platform}-${process.arch}`;
    const path = join(dir, 'node_modules', package_, 'bin', 'node');
    if (!existsSync(path)) {
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, 'package.json'), '{ "private": true }');
      const args = ['install', '--no-audit', '--no-fund', '--no-save', `${package_}@${VERSIONS[major]}`];
      await promisify(execFile)('npm', args, { cwd: dir });
    }
    return path;
  };
}

export const NODES = {
  name: 'Node',
  versions: `Node ${Object.values(VERSIONS).join(', ')}.`,
  rows: Object.keys(VERSIONS).flatMap((major) => [
    program(`Node ${major}, ESM`, `node@${major} main.mjs`),
    program(`Node ${major}, CommonJS`, `node@${major} main.cjs`),
    ...(major === '20'
      ? []
      : [program(`Node ${major}, types stripped`, `node@${major} --no-warnings --experimental-strip-types main.ts`)]),
    // Its own fetch runs on WebAssembly, and so does the lab.
    program(`Node ${major}, --jitless -C no-wasm`, `node@${major} --jitless -C no-wasm main.mjs`, {
      parts: 'abefg',
      remark: "The lab and Node's own `fetch` need WebAssembly.",
    }),
  ]),
};

export const DENO = {
  name: 'Deno',
  packages: { deno: '2.9.6' },
  versions: 'Deno 2.9.6.',
  rows: [program('Deno', 'deno run --allow-net --no-prompt main.mjs')],
};

export const BUN = {
  name: 'Bun',
  packages: { bun: '1.4.5' },
  versions: 'Bun 1.4.5.',
  rows: [
    program('Bun, ESM', 'bun main.mjs'),
    program('Bun, CommonJS', 'bun main.cjs'),
    program('Bun, TypeScript', 'bun main.ts'),
  ],
};
