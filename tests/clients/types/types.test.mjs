// The declarations, in strict projects of a user's: correct code compiles, and each wrong line is an error.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import typescript from 'typescript-5.9';

import { installedLab, project, run } from '../../package/lib/consumer.mjs';
import { readDeclarations } from '../lib/dts.mjs';
import { packaged } from '../lib/packages.mjs';
import fetchSuite from './fetch.mjs';
import functions from './functions.mjs';
import lab from './lab.mjs';
import options from './options.mjs';
import protection from './protection.mjs';
import small from './small.mjs';
import tables from './tables.mjs';

/**
 * @typedef {object} Suite
 * @property {string[]} entries from which the texts import what they name
 * @property {string} positive a text that compiles; it may ask for `same<One, Other>(true)`
 * @property {string} negative a text in which each line that ends with `// wrong: …`, or follows
 *   `// @ts-expect-error`, does not compile
 */

/** @type {[string, Suite][]} */
const SUITES = Object.entries({ functions, options, fetch: fetchSuite, lab, protection, small, tables });

const COMPILERS = { 'TypeScript 7': 'typescript/bin/tsc', 'TypeScript 5.9': 'typescript-5.9/bin/tsc' };

/** Packages that declare a global AbortSignal: the DOM library in a browser's project, Node's types in a server's. */
const PLATFORMS = {
  'the DOM types': { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  'the Node types': { lib: ['es2022'], types: ['node'], typeRoots: [packaged('@types')] },
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

/** Compiles files, in a project like the first of these unless `options` differ. Returns the lines of errors. */
async function compiled(files, options = {}, [compiler, system, platform] = RUNS[0]) {
  const compilerOptions = { ...STRICT, ...SYSTEMS[system], ...PLATFORMS[platform], ...options };
  const config = JSON.stringify({ compilerOptions, files: Object.keys(files) });
  const dir = project('types', { ...files, 'tsconfig.json': config });
  const args = [packaged(COMPILERS[compiler]), '-p', dir, '--pretty', 'false'];
  const { code, stdout } = await run(process.execPath, args, { cwd: dir });
  assert.equal(stdout === '', code === 0);
  return stdout.split('\n').filter((line) => /^\S/.test(line));
}

const SAME = `
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
declare function same<A, B>(_: Equal<A, B>): void;
`;

/** Entry → the names that it exports, and whether each is a value: each entry takes a program of TypeScript. */
const EXPORTS = new Map(
  [...new Set(SUITES.flatMap(([, { entries }]) => entries))].map((entry) => {
    const name = entry.replace(/^rejitter\/?/, '').replace('/', '-') || 'index';
    const file = entry === 'rejitter-lab' ? join(installedLab, 'index.d.ts') : `${name}.d.ts`;
    const { exports } = readDeclarations(file);
    return [entry, [...exports].filter(([, { marked }]) => marked)];
  }),
);

/** The imports of what a text names: of two entries that export a name, from the first. */
function importsOf(entries, text) {
  const named = new Set(text.match(/\w+/g));
  const listOf = (entry) =>
    EXPORTS.get(entry).flatMap(([name, { value }]) => (named.delete(name) ? [value ? name : `type ${name}`] : []));
  return entries.map((entry) => `import { ${listOf(entry).join(', ')} } from '${entry}';\n`).join('');
}

/** The files of suites. Each line that ends with `// wrong: …` stands after its directive. */
const filesOf = (suites, ext) =>
  Object.fromEntries(
    suites.flatMap(([name, { entries, positive, negative }]) => {
      const main = importsOf(entries, positive) + positive + SAME;
      const directed = negative.replaceAll(/^(.+) \/\/ wrong: (.*)$/gm, '// @ts-expect-error $2\n$1');
      return [
        [`${name}/main.${ext}`, main],
        ...(ext === 'mts' ? [[`${name}/main.cts`, main]] : []),
        [`${name}/negative.${ext}`, importsOf(entries, negative) + directed],
      ];
    }),
  );

for (const each of RUNS)
  test(`${each.join(', ')}: good code compiles, and each wrong line does not`, async () => {
    // The many lines of the tables are for one compiler.
    const suites = each === RUNS[0] ? SUITES : SUITES.slice(0, -1);
    const files = filesOf(suites, each[1] === 'bundler' ? 'ts' : 'mts');
    assert.deepEqual(await compiled(files, {}, each), []);
  });

test('each wrong line is wrong by its types', async () => {
  // A directive would also hide a mistake of the test's own. Without directives, the compiler lists each wrong line.
  const bare = SUITES.map(([name, { entries, negative }]) => [
    `${name}.ts`,
    importsOf(entries, negative) + negative.replaceAll('@ts-expect-error', ''),
  ]);
  const errors = await compiled(Object.fromEntries(bare));
  assert.ok(errors.length > 500);
  // A name that does not exist, no module, no syntax.
  const mistakes = errors.filter((line) => /error TS(2304|2305|2307|1005):/.test(line));
  assert.deepEqual(mistakes, []);
});

/** Projects of users that compile, with their options, as modules of their own. */
const PROJECTS = {
  'with the libraries of ES2020, errors have their message, errors and cause': [
    `import { RetryError, TimeoutError } from 'rejitter';
export function causes(error: unknown): unknown[] {
  if (error instanceof TimeoutError) return [error.cause, error.message];
  if (!(error instanceof RetryError)) return [];
  const message: string = error.message;
  const errors: any[] = error.errors;
  return [message, error.cause, ...errors];
}`,
    { lib: ['es2020', 'dom'], target: 'es2020' },
  ],
  'the conditions of hosts, which projects for React Native set, lead to the same types': [
    `import { retry } from 'rejitter';
import * as main from 'rejitter';
import * as parts from 'rejitter/protection';
import { plan } from 'rejitter-lab';
import { virtualClock } from 'rejitter/testing';
export const same: (typeof main)['retry'] = retry;
export const used = [parts.budget, plan, virtualClock];`,
    { customConditions: ['react-native', 'workerd', 'browser'] },
  ],
  // Only from this entry: the types of the main one, which stand in files that cannot be imported, are inferred.
  'a library can export types inferred from rejitter/fetch: each has a name that others can import': [
    `import { createFetch, type FetchOptions } from 'rejitter/fetch';
export const copied = (options: FetchOptions) => ({ ...options });
export const prepare = (options: FetchOptions) => options.prepare;
export const onGiveUp = (options: FetchOptions) => options.onGiveUp;
export const jitter = (options: FetchOptions) => options.jitter;
export const fetch = createFetch();`,
    { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'out' },
  ],
};
for (const [name, [text, options]] of Object.entries(PROJECTS))
  test(name, async () => assert.deepEqual(await compiled({ 'main.ts': text }, options), []));

test('editors show the types of results without what the package adds to infer them', () => {
  const text = `
import { RetryPolicy, retry } from 'rejitter';
declare const load: (id: string, n?: number) => Promise<string>;
const policy = new RetryPolicy();
const wrapped = policy.wrap(load);
const result = retry(() => load('a'));
const generic = policy.wrap(async <T,>(value: T) => value);
const made = policy.with({});
`;
  const file = join(project('hovers', { 'main.ts': text }), 'main.ts');
  const options = { strict: true, target: 99, module: 99, moduleResolution: 100, types: [] };
  const read = (path) => typescript.ScriptSnapshot.fromString(typescript.sys.readFile(path) ?? '');
  const service = typescript.createLanguageService({
    ...typescript.createCompilerHost(options),
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '0',
    getScriptSnapshot: (path) => (typescript.sys.fileExists(path) ? read(path) : undefined),
  });
  const shown = ['wrapped', 'result', 'generic', 'made'].map((name) =>
    typescript.displayPartsToString(
      service.getQuickInfoAtPosition(file, text.indexOf(`const ${name} `) + 6).displayParts,
    ),
  );
  assert.deepEqual(shown, [
    'const wrapped: (id: string, n?: number | undefined) => Promise<string>',
    'const result: Promise<string>',
    'const generic: <T>(value: T) => Promise<T>',
    'const made: RetryPolicy',
  ]);
});
