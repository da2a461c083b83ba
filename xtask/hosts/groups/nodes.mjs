// Node, Deno, Bun: the suite as a program.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { PRINT, resultsIn } from '../suite.mjs';

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

/** Runs a file with a program and returns what the suite found. */
const program = (command, args, files) => async (folder) => {
  folder.write(files(folder));
  return resultsIn(await folder.exec(typeof command === 'function' ? await command(folder) : command, args));
};

const esm = (folder, options) => ({ 'main.mjs': folder.suite(options) + PRINT });
const cjs = (folder, options) => ({ 'main.cjs': folder.suite({ ...options, commonJs: true }) + PRINT });
const ts = (folder) => ({
  'main.ts':
    folder
      .suite()
      .replace('const results =', 'const results: Record<string, string> =')
      .replace('(part, run)', '(part: string, run: () => Promise<boolean>)')
      .replace('let calls = 0', 'let calls: number = 0')
      .replace('error)) ||', 'error as any)) ||')
      .replace('(error && error.message)', '(error instanceof Error && error.message)') + PRINT,
  'tsconfig.json': '{ "compilerOptions": { "module": "nodenext" } }',
});

const versions = Object.keys(VERSIONS).map(Number);
const on = (major) => (folder) => folder.node(major);

export const NODES = {
  name: 'Node',
  versions: `Node ${Object.values(VERSIONS).join(', ')}.`,
  rows: versions.flatMap((major) => [
    { name: `Node ${major}, ESM`, run: program(on(major), ['main.mjs'], esm) },
    { name: `Node ${major}, CommonJS`, run: program(on(major), ['main.cjs'], cjs) },
    ...(major === 20
      ? []
      : [
          {
            name: `Node ${major}, types stripped`,
            run: program(on(major), ['--no-warnings', '--experimental-strip-types', 'main.ts'], ts),
          },
        ]),
    // Its own fetch runs on WebAssembly, and so does the lab.
    {
      name: `Node ${major}, --jitless -C no-wasm`,
      parts: 'abefg',
      remark: "The lab and Node's own `fetch` need WebAssembly.",
      run: program(on(major), ['--jitless', '-C', 'no-wasm', 'main.mjs'], (folder) => esm(folder, { parts: 'abefg' })),
    },
  ]),
};

export const DENO = {
  name: 'Deno',
  packages: { deno: '2.9.6' },
  versions: 'Deno 2.9.6.',
  rows: [
    {
      name: 'Deno',
      run: program((folder) => folder.bin('deno'), ['run', '--allow-net', '--no-prompt', 'main.mjs'], esm),
    },
  ],
};

export const BUN = {
  name: 'Bun',
  packages: { bun: '1.4.5' },
  versions: 'Bun 1.4.5.',
  rows: [
    { name: 'Bun, ESM', run: program((folder) => folder.bin('bun'), ['main.mjs'], esm) },
    { name: 'Bun, CommonJS', run: program((folder) => folder.bin('bun'), ['main.cjs'], cjs) },
    { name: 'Bun, TypeScript', run: program((folder) => folder.bin('bun'), ['main.ts'], ts) },
  ],
};
