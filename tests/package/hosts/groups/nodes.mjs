// Node, Deno, Bun: the suite as a program.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { printedBy, program, row } from '../row.mjs';
import { MARK } from '../suite.mjs';

const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

/** Returns a function that installs a Node once and resolves with its path. */
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
  daily: true,
  rows: Object.keys(VERSIONS).flatMap((major) => {
    const daily = major === '20';
    return [
      program(`Node ${major}, ESM`, `node@${major} main.mjs`, { daily }),
      program(`Node ${major}, CommonJS`, `node@${major} main.cjs`, { daily }),
      major === '20'
        ? program('Node 20, CommonJS alone', 'node@20 --no-experimental-require-module main.cjs')
        : program(`Node ${major}, types stripped`, `node@${major} --no-warnings --experimental-strip-types main.ts`, {
            daily,
          }),
      // Its own fetch runs on WebAssembly, and so does the lab.
      program(`Node ${major}, --jitless`, `node@${major} --jitless main.mjs`, {
        daily,
        parts: 'abefghi',
        expected: { wasm: 'refused' },
        remark: "The lab and Node's own `fetch` need WebAssembly.",
      }),
    ];
  }),
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

const TESTS = new URL('../../../', import.meta.url);
const FAILURES_PROGRAM = `import { readFileSync } from 'node:fs';
import process from 'node:process';
import { isTransientError } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { compare } from './fetches.mjs';
import { misjudged } from './rows.mjs';

const both = { createFetch, isTransientError };
const { real, made } = JSON.parse(readFileSync('failures.json', 'utf8'));
const { wrong, count } = await compare(both);
wrong.push(...(await misjudged(both, [...real, ...made])));
if (count < 30) wrong.push(count + ' failures');
console.log('${MARK}' + JSON.stringify({ c: wrong.join('; ') || 'ok' }));
process.exit();
`;

const failuresIn = (host, line) =>
  row(`${host}, failures of fetch`, {
    parts: 'c',
    remark: '`isTransientError` and `createFetch` classify each row of the table of failures, and those made here.',
    files: {
      'failures.mjs': FAILURES_PROGRAM,
      ...Object.fromEntries(
        ['package/engine/failures/fetches.mjs', 'package/engine/failures/rows.mjs', 'vectors/failures.json'].map(
          (path) => [basename(path), readFileSync(new URL(path, TESTS), 'utf8')],
        ),
      ),
    },
    results: printedBy(line),
  });

export const FAILURES = {
  name: 'Failures of fetch',
  packages: { ...DENO.packages, ...BUN.packages },
  versions: 'Node, Deno and Bun as above.',
  rows: [
    ...['20', '24', '26'].map((major) => failuresIn(`Node ${major}`, `node@${major} failures.mjs`)),
    failuresIn('Deno', 'deno run -A --no-prompt failures.mjs'),
    failuresIn('Bun', 'bun failures.mjs'),
  ],
};
