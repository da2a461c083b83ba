// Test frameworks, run on a file as users run them.

import { join } from 'node:path';

import { project, run, tool } from './consumer.mjs';

const ENV = {
  NODE_TEST_CONTEXT: undefined,
  NODE_OPTIONS: '',
  NODE_ENV: 'test',
  CI: '1',
  NO_COLOR: '1',
  FORCE_COLOR: undefined,
};
const JEST_CONFIG = JSON.stringify({ testEnvironment: 'node', transform: {}, testMatch: ['**/main.test.cjs'] });

/** By framework: the extension of a test file, the arguments of Node, and what is printed when so many tests passed. */
const FRAMEWORKS = {
  Vitest: {
    ext: 'mjs',
    args: (dir) => [tool('vitest/vitest.mjs'), 'run', '--root', dir, '--globals', '--no-color', '--pool=threads'],
    passed: (count) => `Tests +${count} passed \\(${count}\\)`,
  },
  Jest: {
    ext: 'cjs',
    args: (dir) => [
      tool('jest/bin/jest.js'),
      ...'--ci --runInBand --watchman=false --cacheDirectory cache --config'.split(' '),
      JEST_CONFIG,
      '--rootDir',
      dir,
    ],
    passed: (count) => `Tests: +${count} passed, ${count} total`,
  },
  'node:test': {
    ext: 'mjs',
    args: (dir) => ['--test', join(dir, 'main.test.mjs')],
    passed: (count) => `pass ${count}\\n`,
  },
};

/**
 * Runs the text of one test file. Returns whether all of its tests passed, and the output.
 * @param {'Vitest' | 'Jest' | 'node:test'} framework
 * @param {string} text
 * @param {number} count of its tests
 * @param {Record<string, string>} [env]
 */
export async function inFramework(framework, text, count, env) {
  const { ext, args, passed } = FRAMEWORKS[framework];
  const dir = project('framework', { [`main.test.${ext}`]: text, 'package.json': '{ "private": true }' });
  const { code, stdout, stderr } = await run(process.execPath, args(dir), { cwd: dir, env: { ...ENV, ...env } });
  const output = stdout + stderr;
  return { passes: code === 0 && new RegExp(passed(count)).test(output), output };
}
