// The code that readers see, in the documents and in the declarations, and what stands in for the world around it.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { installed, project, repo, runThread } from './consumer.mjs';

/** The README, of which the package's is made, and every page of docs/, by name. */
export const documents = new Map([
  ['README.md', readFileSync(join(repo, 'README.md'), 'utf8')],
  ...readdirSync(join(repo, 'docs'), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => [`docs/${name}`, readFileSync(join(repo, 'docs', name), 'utf8')]),
]);

/** A page of docs/reference. @param {string} name */
export const reference = (name) => documents.get(`docs/reference/${name}.md`) ?? '';

/** The fenced blocks with this mark after their language, as `vitest` in "js vitest", of all documents. */
export const marked = (mark) =>
  [...documents.values()].flatMap((text) =>
    [...text.matchAll(new RegExp(`^\`\`\`[jt]sx? (${mark})\\n(.*?)^\`\`\`$`, 'gms'))].map(([, name, code]) => [
      name,
      code,
    ]),
  );

/** A file of declarations of a package, its comments as Markdown. */
export const declarations = (name, folder = installed) =>
  readFileSync(join(folder, name), 'utf8').replaceAll(/^ *\* ?/gm, '');

/**
 * The fenced blocks of JavaScript and TypeScript in a Markdown text. What runs in a test framework is marked
 * with its name after the language, and is not among them.
 */
export function blocks(text) {
  return [...text.matchAll(/^```(js|mjs|ts|mts|javascript|typescript)\n(.*?)^```$/gms)].map(
    ([, language, code], i) => ({ number: i + 1, language, code }),
  );
}

// The world around the code: short waits take a hundredth of their time, and time limits all of it, because a busy
// machine needs that; and a network in which each address first refuses, then is busy, then answers. At the end, the
// numbers of these failures and of retries are printed.
const WORLD = `
import { tracingChannel } from 'node:diagnostics_channel';
const real = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...args) => real(callback, ms < 2000 ? ms / 100 : ms, ...args);
let failures = 0;
let retries = 0;
const ignore = () => {};
tracingChannel('rejitter:operation').subscribe({ start: ignore, end: ignore, error: ignore, asyncStart: ignore,
  asyncEnd: ({ attempts }) => { retries += attempts - 1; } });
const requests = new Map();
export const flaky = (key) => {
  const times = (requests.get(key) ?? 0) + 1;
  requests.set(key, times);
  if (times > 2) return;
  failures += 1;
  throw Object.assign(new Error('status 503'), { status: 503 });
};
globalThis.fetch = async (url, init) => {
  if (init?.signal) init.signal.throwIfAborted();
  const key = String(url.url ?? url);
  try {
    flaky(key);
  } catch (cause) {
    if (requests.get(key) > 1) return new Response('busy', { status: 503, headers: { 'retry-after': '0' } });
    // The message of a failed fetch: rejitter/fetch takes any other message for a bug.
    throw new TypeError('fetch failed', { cause: Object.assign(cause, { code: 'ECONNREFUSED' }) });
  }
  return new Response('{"name":"Ada"}', { status: 200 });
};
process.on('exit', () => console.log('retries ' + retries + '\\nfailures ' + failures));
`;

// The declarations leave out what the documents show: the import, and the reader's own functions.
const PRELUDE = `
import * as everything from 'rejitter';
import { flaky } from './world.mjs';
for (const [name, value] of Object.entries(everything)) globalThis[name] = value;
globalThis.callApi = async (path, init) => {
  if (init?.signal) init.signal.throwIfAborted();
  flaky(typeof path === 'string' ? path : 'all');
  return { status: 200, name: 'Ada' };
};
globalThis.callApiSync = (path) => {
  flaky(path ?? 'all');
  return { name: 'Ada' };
};
`;

export const DECLARED = `
declare const callApiSync: (path?: unknown) => { name: string };
declare const callApi: (path?: unknown, init?: { signal?: AbortSignal }) => Promise<{ status: number; name: string }>;
`;

/** Runs an example of the declarations. */
export async function runBlock(code) {
  return runIn(code, { 'world.mjs': WORLD, 'prelude.mjs': PRELUDE }, 'prelude.mjs');
}

/** Runs a block of a document saved as a file, next to `files`: nothing is defined for it. */
export async function runAsPasted(code, files = {}) {
  return runIn(code, { ...files, 'world.mjs': WORLD }, 'world.mjs');
}

function runIn(code, files, prelude) {
  const dir = project('readme', { ...files, 'main.mjs': code });
  return runThread(join(dir, 'main.mjs'), ['--import', pathToFileURL(join(dir, prelude)).href]);
}

/** The lines of the Markdown table whose first heading is `heading`, as arrays of cells: its headings, a rule, rows. */
export function wholeTableIn(text, heading) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  if (start < 0) throw new Error(`no table starts with ${heading}`);
  const table = [];
  for (let i = start; lines[i]?.startsWith('|'); i += 1)
    table.push(
      lines[i]
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return table;
}

/** The rows of that table. */
export const tableIn = (text, heading) => wholeTableIn(text, heading).slice(2);

/** Returns the code of a cell that has nothing else. */
export const literal = (cell) => /^`([^`]+)`$/.exec(cell)?.[1];

/** The value of a cell's code, where these names are known. */
export const evaluate = (code, names = {}) =>
  new Function(...Object.keys(names), `return (${code});`)(...Object.values(names));

/** Returns the value that `body` throws. */
export function caught(body) {
  try {
    body();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** The names that a message lists: one of 'a', 'b', … */
export const oneOf = (message) =>
  [.../one of ((?:'\w+'(?:, )?)+)/.exec(message)[1].matchAll(/'(\w+)'/g)].map(([, name]) => name);
