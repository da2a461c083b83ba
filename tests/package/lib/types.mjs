// Compiles what users write against the declarations: correct code must compile, wrong code must not.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { here, project, run, tool } from './consumer.mjs';
import { readDeclarations } from './dts.mjs';

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

const SAME = `
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
declare function same<A, B>(_: Equal<A, B>): void;
`;

/**
 * @typedef {object} Suite
 * @property {string[]} entries from which the texts import what they name
 * @property {string} positive a text that compiles; it may ask for `same<One, Other>(true)`
 * @property {string} negative a text in which each line that ends with `// wrong: …`, or follows
 *   `// @ts-expect-error`, does not compile
 */

/** What a mistake of the test itself would be: a name that does not exist, no module, no syntax. */
const MISTAKES = /error TS(2304|2305|2307|1005):/;

/**
 * Tests the suites, all in one project per compiler, module system and platform. A directive without an error is one. It
 * would also hide a mistake of the test's own: a project without directives shows what each of them expects.
 * @param {Record<string, Suite>} suites
 */
export function typeTests(suites) {
  for (const [compiler, system, platform] of RUNS)
    test(`${compiler}, ${system}, with ${platform}: good code compiles, and each wrong line does not`, async () => {
      const { code, stdout } = await compileWith(
        compiler,
        { ...SYSTEMS[system], ...PLATFORMS[platform] },
        filesOf(suites, system === 'bundler' ? 'ts' : 'mts'),
      );
      assert.deepEqual([stdout, code], ['', 0]);
    });

  test('each wrong line is wrong by its types', async () => {
    // Without the directives, the compiler lists each line that must be wrong.
    const bare = Object.entries(suites).map(([name, { entries, negative }]) => [
      `${name}.ts`,
      importsOf(entries, negative) + negative.replaceAll('@ts-expect-error', ''),
    ]);
    const options = { ...SYSTEMS.bundler, ...PLATFORMS['the DOM types'] };
    const { stdout } = await compileWith('TypeScript 7', options, Object.fromEntries(bare));
    const errors = stdout.split('\n').filter((line) => /^\S/.test(line));
    assert.ok(errors.length > 110);
    assert.deepEqual(
      errors.filter((line) => MISTAKES.test(line)),
      [],
    );
  });
}

/** Entry → its exports: each takes a program of TypeScript. */
const known = new Map();
function exportsOf(entry) {
  const file = `${entry.replace(/^rejitter\/?/, '').replace('/', '-') || 'index'}.d.ts`;
  if (!known.has(entry))
    known.set(
      entry,
      [...readDeclarations(file).exports].filter(([, { marked }]) => marked),
    );
  return known.get(entry);
}

/** The imports of what a text names: of two entries that export a name, from the first. */
function importsOf(entries, text) {
  const named = new Set(text.match(/\w+/g));
  const listOf = (entry) =>
    exportsOf(entry).flatMap(([name, { value }]) => (named.delete(name) ? [value ? name : `type ${name}`] : []));
  return entries.map((entry) => `import { ${listOf(entry).join(', ')} } from '${entry}';\n`).join('');
}

/** The text in which each line that ends with `// wrong: …` stands after its directive. */
const directed = (negative) => negative.replaceAll(/^(.+) \/\/ wrong: (.*)$/gm, '// @ts-expect-error $2\n$1');

const filesOf = (suites, ext) =>
  Object.fromEntries(
    Object.entries(suites).flatMap(([name, { entries, positive, negative }]) => {
      const main = importsOf(entries, positive) + positive + SAME;
      return [
        [`${name}/main.${ext}`, main],
        ...(ext === 'mts' ? [[`${name}/main.cts`, main]] : []),
        [`${name}/negative.${ext}`, importsOf(entries, negative) + directed(negative)],
      ];
    }),
  );
