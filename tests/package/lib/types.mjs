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
  const dir = project('types', {
    ...files,
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: Object.keys(files) }),
  });
  return run(process.execPath, [tool(COMPILERS[compiler]), '-p', dir, '--pretty', 'false'], { cwd: dir });
}

/** Fails unless TypeScript 7 compiles this text, in a project for bundlers. */
export async function compiles(text, options = {}) {
  const all = { ...SYSTEMS.bundler, ...PLATFORMS['the DOM types'], ...options };
  const { code, stdout } = await compileWith('TypeScript 7', all, { 'main.ts': text });
  assert.deepEqual([stdout, code], ['', 0]);
}

/**
 * @typedef {object} Suite
 * @property {string} positive a text that compiles, with its imports
 * @property {string} negative a text in which each line that ends with `// wrong: …`, or follows
 *   `// @ts-expect-error`, does not compile
 * @property {string} [cts] the positive text in CommonJS, if it differs
 * @property {number} least the least number of wrong statements
 * @property {[from: string, to: string][]} [controls] replacements in the positive text, each of which must cause one
 *   error
 */

/**
 * Tests the suites, all in one project per compiler, module system and platform.
 *
 * Each project has the negative text twice: with the directives nothing is an error, and without them (the control)
 * exactly the marked lines are. A directive also hides a mistake of the test's own.
 * @param {Record<string, Suite>} written
 */
export function typeTests(written) {
  const suites = Object.fromEntries(
    Object.entries(written).map(([name, suite]) => [name, { ...suite, negative: directed(suite.negative) }]),
  );
  for (const [compiler, system, platform] of RUNS) {
    const ext = system === 'bundler' ? 'ts' : 'mts';
    const files = Object.assign({}, ...Object.entries(suites).map(([name, suite]) => filesOf(name, suite, ext)));
    let compiled;
    for (const [name, { negative, least, controls = [] }] of Object.entries(suites)) {
      test(`${name}, ${compiler}, ${system}, with ${platform}: compiles good code, rejects bad lines`, async () => {
        compiled ??= compileWith(compiler, { ...SYSTEMS[system], ...PLATFORMS[platform] }, files);
        const { code, stdout } = await compiled;
        assert.notEqual(code, 0);
        const lines = stdout.split('\n').filter((line) => /^\S/.test(line));
        const intended = new RegExp(`^(?:${Object.keys(suites).join('|')})/(?:control|broken-\\d+)\\.`);
        // An error in a file of another suite is that suite's; one outside of all (in the package) is everyone's.
        const others = lines
          .filter((line) => !intended.test(line))
          .filter((line) => !suites[line.split('/')[0]] || line.startsWith(`${name}/`));
        assert.deepEqual(others, []);
        const pattern = /^([^/]+)\/([^/]+?)\.\w+\((\d+),\d+\): error (TS\d+)/;
        const errors = lines.map((line) => pattern.exec(line)).filter((match) => match?.[1] === name);
        const mine = errors.map(([, , file, line, id]) => ({ file, line: Number(line), id }));
        const wrongLines = unmarked(negative)
          .split('\n')
          .flatMap((line, i) => (line.startsWith('// wrong:') ? [i + 2] : []));
        assert.ok(wrongLines.length >= least);
        const control = mine.filter(({ file }) => file === 'control');
        assert.deepEqual(
          [...new Set(control.map(({ line }) => line))].sort((a, b) => a - b),
          wrongLines,
        );
        // A name that does not exist would be a mistake of the test.
        assert.deepEqual(
          control.filter(({ id }) => ['TS2304', 'TS2305', 'TS2307', 'TS1005'].includes(id)),
          [],
        );
        assert.deepEqual(
          controls.map((_, i) => mine.filter(({ file }) => file === `broken-${i}`).length),
          controls.map(() => 1),
        );
      });
    }
  }
}

/** The text in which each line that ends with `// wrong: …` stands after its directive. */
const directed = (negative) => negative.replaceAll(/^(.+) \/\/ wrong: (.*)$/gm, '// @ts-expect-error $2\n$1');

const unmarked = (negative) => negative.replaceAll('@ts-expect-error', 'wrong:');

function filesOf(name, { positive, negative, cts = positive, controls = [] }, ext) {
  const broken = controls.map(([from, to], i) => {
    assert.equal(positive.split(from).length, 2, from);
    return [`${name}/broken-${i}.${ext}`, positive.replace(from, to)];
  });
  return {
    [`${name}/main.${ext}`]: positive,
    ...(ext === 'mts' && { [`${name}/main.cts`]: cts }),
    [`${name}/negative.${ext}`]: negative,
    [`${name}/control.${ext}`]: unmarked(negative),
    ...Object.fromEntries(broken),
  };
}
