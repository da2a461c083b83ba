// Compiles what users write against the declarations: correct code must compile, wrong code must not.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { here, project, run, tool } from './consumer.mjs';

const COMPILERS = { 'TypeScript 7': 'typescript/bin/tsc', 'TypeScript 5.9': 'typescript-5.9/bin/tsc' };

/** Packages that declare a global AbortSignal: the DOM library in a browser's project, Node's types in a server's. */
const PLATFORMS = {
  'the DOM types': { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  'the Node types': { lib: ['es2022'], types: ['node'], typeRoots: [join(here, 'node_modules', '@types')] },
};

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  // The package's declarations are checked; TypeScript's own, which take most of the time, are not.
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  noEmit: true,
  target: 'es2022',
};

const SYSTEMS = {
  'nodenext, ES modules and CommonJS': { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler', verbatimModuleSyntax: true },
};

/** Each compiler takes each module system and each platform once; together they take every pair. */
const RUNS = [
  ['TypeScript 7', 'bundler', 'the DOM types'],
  ['TypeScript 7', 'nodenext, ES modules and CommonJS', 'the Node types'],
  ['TypeScript 5.9', 'bundler', 'the Node types'],
  ['TypeScript 5.9', 'nodenext, ES modules and CommonJS', 'the DOM types'],
];

function compileWith(compiler, options, files) {
  const dir = project('types', { ...files, 'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: Object.keys(files) }) });
  return run(process.execPath, [tool(COMPILERS[compiler]), '-p', dir, '--pretty', 'false'], { cwd: dir });
}

/** Runs TypeScript 7 on these files, in a project for bundlers. Returns its output and exit code. */
export const compile = (files, options = {}) => compileWith('TypeScript 7', { ...SYSTEMS.bundler, ...PLATFORMS['the DOM types'], ...options }, files);

/**
 * Tests a text that compiles and one in which each statement after `// @ts-expect-error` does not.
 *
 * Each run compiles the second one twice: with the directives nothing is an error, and without them
 * (the control) exactly the marked lines are. A directive also hides a mistake of the test's own.
 * @param {{ positive: string, negative: string, cts?: string, least: number, controls?: [from: string, to: string][] }} texts
 * with their imports. `cts`: the positive one in CommonJS, if it differs. `least`: the least number of wrong
 * statements. `controls`: replacements in the positive one, each of which must cause one error.
 */
export function typeTests({ positive, negative, cts = positive, least, controls = [] }) {
  const unmarked = negative.replaceAll('@ts-expect-error', 'wrong:');
  const wrongLines = unmarked.split('\n').flatMap((line, i) => (line.startsWith('// wrong:') ? [i + 2] : []));
  const broken = controls.map(([from, to]) => {
    assert.equal(positive.split(from).length, 2, from);
    return positive.replace(from, to);
  });

  for (const [compiler, system, platform] of RUNS) {
    test(`${compiler}, ${system}, with ${platform}: correct code compiles, and each wrong line is an error`, async () => {
      const ext = system === 'bundler' ? 'ts' : 'mts';
      const files = {
        [`main.${ext}`]: positive,
        ...(system !== 'bundler' && { 'main.cts': cts }),
        [`negative.${ext}`]: negative,
        [`control.${ext}`]: unmarked,
        ...Object.fromEntries(broken.map((text, i) => [`broken-${i}.${ext}`, text])),
      };
      const { code, stdout } = await compileWith(compiler, { ...SYSTEMS[system], ...PLATFORMS[platform] }, files);
      assert.notEqual(code, 0);
      const errors = [...stdout.matchAll(/^(\S+?)\.\w+\((\d+),\d+\): error (TS\d+)/gm)].map(([, file, line, id]) => ({ file, line: Number(line), id }));
      const others = stdout.split('\n').filter((line) => /^\S/.test(line) && !/^(control|broken-\d+)\./.test(line));
      assert.deepEqual(others, []);
      assert.ok(wrongLines.length >= least);
      const control = errors.filter(({ file }) => file === 'control');
      assert.deepEqual([...new Set(control.map(({ line }) => line))].sort((a, b) => a - b), wrongLines);
      // A name that does not exist would be a mistake of the test.
      assert.deepEqual(control.filter(({ id }) => ['TS2304', 'TS2305', 'TS2307', 'TS1005'].includes(id)), []);
      assert.deepEqual(broken.map((_, i) => errors.filter(({ file }) => file === `broken-${i}`).length), broken.map(() => 1));
    });
  }
}
