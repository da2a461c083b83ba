// Compiles what users write against the declarations: the right must compile, the wrong must not.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { here, project, run, tool } from './consumer.mjs';

const COMPILERS = { 'TypeScript 7': 'typescript/bin/tsc', 'TypeScript 5.9': 'typescript-5.9/bin/tsc' };

/** What a global AbortSignal may come from: a package for browsers has one, a package for Node the other. */
const PLATFORMS = {
  'the DOM types': { lib: ['es2022', 'dom'], types: [] },
  'the Node types': { lib: ['es2022'], types: ['node'], typeRoots: [join(here, 'node_modules', '@types')] },
};

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
};


function compile(compiler, options, files) {
  const dir = project('types', { ...files, 'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: Object.keys(files) }) });
  return run(process.execPath, [tool(COMPILERS[compiler]), '-p', dir, '--pretty', 'false'], { cwd: dir });
}

const WITH_DOM = PLATFORMS['the DOM types'];

/** TypeScript 7 on a project for bundlers, whose one file is this text: its output and code. */
export const compileOne = (text, options = {}) => compile('TypeScript 7', { ...BUNDLER, ...WITH_DOM, ...options }, { 'main.ts': text });

const BUNDLER = { module: 'esnext', moduleResolution: 'bundler', verbatimModuleSyntax: true };

/**
 * Tests of a text that compiles and of one in which each statement after `// @ts-expect-error` does not.
 * @param {{ positive: string, negative: string, cts?: string, least: number }} texts with their imports; `cts`
 * stands before the positive one in CommonJS; `least`: how many wrong statements there are at least
 */
export function typeTests({ positive, negative, cts = '', least }) {
  const SYSTEMS = {
    'nodenext, ES modules and CommonJS': {
      options: { module: 'nodenext', moduleResolution: 'nodenext' },
      files: { 'esm.mts': positive, 'cjs.cts': cts + positive, 'negative.mts': negative },
    },
    bundler: { options: BUNDLER, files: { 'main.ts': positive, 'negative.ts': negative } },
  };
  for (const compiler of Object.keys(COMPILERS)) {
    for (const [system, { options, files }] of Object.entries(SYSTEMS)) {
      for (const [platform, platformOptions] of Object.entries(PLATFORMS)) {
        // The slower compiler takes each system and each platform once, not each pair.
        if (compiler === 'TypeScript 5.9' && (system === 'bundler') !== (platform === 'the DOM types')) continue;
        test(`${compiler}, ${system}, with ${platform}: the right compiles and the wrong does not`, async () => {
          const { code, stdout } = await compile(compiler, { ...options, ...platformOptions }, files);
          assert.equal(stdout, '');
          assert.equal(code, 0);
        });
      }
    }

    test(`${compiler}, control: without the directives each wrong line is an error, and nothing else is`, async () => {
      // A directive also hides a mistake of the test's own, on the same line: here each line shows its error.
      const text = negative.replaceAll('@ts-expect-error', 'wrong:');
      const expected = text.split('\n').flatMap((line, i) => (line.startsWith('// wrong:') ? [i + 2] : []));
      assert.ok(expected.length >= least);
      const { code, stdout } = await compile(compiler, { ...BUNDLER, ...WITH_DOM }, { 'negative.ts': text });
      assert.notEqual(code, 0);
      const errors = [...stdout.matchAll(/^negative\.ts\((\d+),\d+\): error (TS\d+)/gm)];
      assert.deepEqual([...new Set(errors.map(([, line]) => Number(line)))].sort((a, b) => a - b), expected);
      // Names that do not exist would be errors of the test.
      assert.deepEqual(errors.filter(([, , id]) => ['TS2304', 'TS2305', 'TS2307', 'TS1005'].includes(id)), []);
    });
  }
}
