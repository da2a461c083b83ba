// The declarations of rejitter/fetch, in a strict project of a user's.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { here, project, run, tool } from './lib/consumer.mjs';

const COMPILERS = { 'TypeScript 7': 'typescript/bin/tsc', 'TypeScript 5.9': 'typescript-5.9/bin/tsc' };
const PLATFORMS = {
  'the DOM types': { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  'the Node types': { lib: ['es2022'], types: ['node'], typeRoots: [join(here, 'node_modules', '@types')] },
};
const SYSTEMS = {
  nodenext: { options: { module: 'nodenext', moduleResolution: 'nodenext' }, file: 'main.mts' },
  'nodenext, CommonJS': { options: { module: 'nodenext', moduleResolution: 'nodenext' }, file: 'main.cts' },
  bundler: { options: { module: 'esnext', moduleResolution: 'bundler', verbatimModuleSyntax: true }, file: 'main.ts' },
};
const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true, skipLibCheck: false, noEmit: true, target: 'es2022' };

const IMPORT = `
import { HttpStatusError, createFetch, fetchWithRetry } from 'rejitter/fetch';
import type { FetchInit, FetchLike, FetchOptions, FetchOutcome, RetryingFetch } from 'rejitter/fetch';
import { retryReport } from 'rejitter';
import type { Attempt, RetryReport } from 'rejitter';
`;

const POSITIVE = `
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

// To and from typeof fetch.
export const asFetch: typeof fetch = createFetch();
export const also: typeof fetch = fetchWithRetry;
export const over: RetryingFetch = createFetch({}, fetch);
export const overItself: typeof fetch = createFetch({}, createFetch());
export const plain: RetryingFetch = fetch;
const takes = (f: typeof fetch): Promise<Response> => f('https://example.com');
export const taken = [takes(createFetch()), takes(fetchWithRetry)];
const mock: FetchLike = async () => ({ status: 503 });
export const mocked = createFetch({}, mock);
export const typed = createFetch({}, async (input: string, init?: { method?: string }) => new Response(input, { status: init ? 200 : 503 }));

export async function results() {
  const response = await fetchWithRetry('https://example.com');
  same<typeof response, Response>(true);
  const report: RetryReport | undefined = retryReport(response);
  const all = await Promise.all([
    fetchWithRetry(new URL('https://example.com')),
    fetchWithRetry(new Request('https://example.com'), {}),
    fetchWithRetry('https://example.com', { method: 'PUT', body: 'x', signal: new AbortController().signal, retry: { maxAttempts: 3 } }),
    fetchWithRetry('https://example.com', { method: 'PUT', body: () => 'x' }),
    fetchWithRetry('https://example.com', { method: 'PUT', body: async () => new Blob(['x']) }),
    fetchWithRetry('https://example.com', { body: null, signal: null, retry: undefined }),
  ]);
  return [report, all];
}

export const everything: FetchOptions = {
  baseMs: 1, capMs: 2, maxAttempts: Infinity, backoff: 'linear', stepMs: 3, jitter: 'equal', signal: new AbortController().signal,
  attemptTimeoutMs: 5, totalTimeoutMs: 6, maxRetryAfterMs: 7, longRetryAfter: 'cap', respectRetryAfter: false, throwOnStatus: true,
  retryOn: [503], methods: ['POST'], idempotencyKey: 'auto', preset: 'goRetryableHttp', finalError: 'wrap', seed: 1, unref: true,
  prepare: (request, attempt) => {
    same<typeof request, Request>(true);
    same<typeof attempt, Attempt>(true);
    request.headers.set('a', String(attempt.attempt));
  },
  onRetry: (event) => {
    same<typeof event.status, number | undefined>(true);
    same<typeof event.hintMs, number | undefined>(true);
    same<typeof event.delayMs, number>(true);
  },
  onGiveUp: ({ reason }) => reason === 'bodyNotReplayable',
};
export const others: FetchOptions[] = [
  {}, { retryOn: () => true }, { retryOn: async ({ retryable }) => retryable }, { retryOn: () => ({ afterMs: 5 }) },
  { retryOn: (outcome: FetchOutcome) => outcome.response?.status === 409 || outcome.error instanceof HttpStatusError },
  { idempotencyKey: 'mine' }, { idempotencyKey: (request) => request.url }, { prepare: async () => {} },
  { prepare: async (request) => new Request(request, {}) }, { jitter: 'decorrelated' }, { backoff: 'truncated', truncateAt: 3 },
  { retryOn: undefined, methods: undefined, idempotencyKey: undefined, prepare: undefined, onRetry: undefined, preset: undefined },
];
export const frozen = createFetch({ retryOn: [503], methods: ['GET'] } as const);
export const init: FetchInit = { retry: { maxAttempts: 2 } };
export const status = (error: unknown): number => (error instanceof HttpStatusError ? error.response.status + error.status : 0);
`;

const NEGATIVE = `
// @ts-expect-error an option's name is misspelt
createFetch({ maxAtempts: 3 });
// @ts-expect-error retryIf is retryOn here
createFetch({ retryIf: () => true });
// @ts-expect-error retryOnResult is retryOn here
createFetch({ retryOnResult: () => true });
// @ts-expect-error a status is a number
createFetch({ retryOn: ['503'] });
// @ts-expect-error a predicate answers with a verdict
createFetch({ retryOn: () => 'yes' });
// @ts-expect-error a predicate that forgets its answer
createFetch({ retryOn: () => {} });
// @ts-expect-error methods is a list
createFetch({ methods: 'POST' });
// @ts-expect-error a key is a text
createFetch({ idempotencyKey: () => 5 });
// @ts-expect-error no such preset
createFetch({ preset: 'got' });
// @ts-expect-error no such backoff
createFetch({ backoff: 'quadratic' });
// @ts-expect-error metrics are a policy's
createFetch({ metrics: true });
// @ts-expect-error what takes fetch's place is a function
createFetch({}, 'undici');
// @ts-expect-error what takes fetch's place answers with a status
createFetch({}, async () => 5);
// @ts-expect-error prepare returns a request or nothing
createFetch({ prepare: () => 5 });
// @ts-expect-error options of a call are checked too
fetchWithRetry('https://example.com', { retry: { maxAtempts: 2 } });
// @ts-expect-error the response may be missing
createFetch({ retryOn: ({ response }) => response.status === 409 });
// @ts-expect-error the address is missing
fetchWithRetry();
// @ts-expect-error a response, not its text
export const text: Promise<string> = fetchWithRetry('https://example.com');
// @ts-expect-error events cannot be changed
createFetch({ onRetry: (event) => { event.status = 1; } });
// @ts-expect-error a longer wait is 'stop' or 'cap'
createFetch({ longRetryAfter: 'ignore' });
`;

function compile(compiler, options, files) {
  const dir = project('fetch-types', { ...files, 'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: Object.keys(files) }) });
  return run(process.execPath, [tool(COMPILERS[compiler]), '-p', dir, '--pretty', 'false'], { cwd: dir });
}

for (const compiler of Object.keys(COMPILERS)) {
  for (const [system, { options, file }] of Object.entries(SYSTEMS)) {
    for (const [platform, more] of Object.entries(PLATFORMS)) {
      if (compiler === 'TypeScript 5.9' && system !== 'nodenext') continue;
      test(`${compiler}, ${system}, with ${platform}: the right compiles and the wrong does not`, async () => {
        const { stdout, code } = await compile(compiler, { ...options, ...more }, { [file]: IMPORT + POSITIVE + NEGATIVE });
        assert.equal(stdout, '');
        assert.equal(code, 0);
      });
    }
  }

  test(`${compiler}, control: without the directives each wrong line is an error, and nothing else is`, async () => {
    const text = (IMPORT + NEGATIVE).replaceAll('@ts-expect-error', 'wrong:');
    const expected = text.split('\n').flatMap((line, i) => (line.startsWith('// wrong:') ? [i + 2] : []));
    assert.ok(expected.length >= 20);
    const { stdout } = await compile(compiler, { ...SYSTEMS.nodenext.options, ...PLATFORMS['the DOM types'] }, { 'negative.mts': text });
    const errors = [...stdout.matchAll(/^negative\.mts\((\d+),\d+\): error (TS\d+)/gm)];
    assert.deepEqual([...new Set(errors.map(([, line]) => Number(line)))].sort((a, b) => a - b), expected);
    assert.deepEqual(errors.filter(([, , id]) => ['TS2304', 'TS2305', 'TS2307', 'TS1005'].includes(id)), []);
  });
}
