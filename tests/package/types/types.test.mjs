// The declarations, in strict projects of a user's: correct code compiles, and each wrong line is an error.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import typescript from 'typescript-5.9';

import { project } from '../lib/consumer.mjs';
import { compiles, typeTests } from '../lib/types.mjs';
import fetchSuite from './fetch.mjs';
import functions from './functions.mjs';
import lab from './lab.mjs';
import options from './options.mjs';
import protection from './protection.mjs';
import small from './small.mjs';

typeTests({ functions, options, fetch: fetchSuite, lab, protection, small });

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
import { plan } from 'rejitter/lab';
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
for (const [name, [text, options]] of Object.entries(PROJECTS)) test(name, () => compiles(text, options));

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
