// The code that readers see, in the READMEs and in the declarations, and what stands in for their own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { installed, project, runNode } from './consumer.mjs';

/** A file of declarations of the package, its comments as Markdown. */
export const declarations = (name) => readFileSync(join(installed, name), 'utf8').replaceAll(/^ *\* ?/gm, '');

/**
 * The fenced blocks of JavaScript and TypeScript in a Markdown text. What runs in a test framework is marked
 * with its name after the language, and is not among them.
 */
export function blocks(text) {
  return [...text.matchAll(/^```(js|mjs|ts|mts|javascript|typescript)\n(.*?)^```$/gms)].map(([, language, code], i) => ({ number: i + 1, language, code }));
}

// What stands in for the reader's own code: it fails twice for each thing it is asked, then answers. Time
// goes fifty times as fast: the examples show waits of seconds.
const PRELUDE = `
import * as everything from 'rejitter';
// Examples of single options do not repeat the import.
for (const [name, value] of Object.entries(everything)) globalThis[name] = value;
const real = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...args) => real(callback, ms / 50, ...args);
globalThis.failures = 0;
const asked = new Map();
const flaky = (key) => {
  const times = (asked.get(key) ?? 0) + 1;
  asked.set(key, times);
  if (times > 2) return;
  globalThis.failures += 1;
  throw Object.assign(new Error('status 503'), { status: 503 });
};
globalThis.callApi = async (path, init) => {
  if (init?.signal) init.signal.throwIfAborted();
  flaky(typeof path === 'string' ? path : 'all');
  return { status: 200, name: 'Ada' };
};
globalThis.callApiSync = (path) => {
  flaky(path ?? 'all');
  return { name: 'Ada' };
};
globalThis.fetch = async (url, init) => {
  if (init?.signal) init.signal.throwIfAborted();
  flaky(String(url));
  return new Response('{"name":"Ada"}', { status: 200 });
};
process.on('exit', () => console.log('failures', globalThis.failures));
`;

export const DECLARED = `
declare const callApiSync: (path?: unknown) => { name: string };
declare const callApi: (path?: unknown, init?: { signal?: AbortSignal }) => Promise<{ status: number; name: string }>;
`;

export async function runBlock(code) {
  const prelude = join(project('readme', { 'prelude.mjs': PRELUDE }), 'prelude.mjs');
  return runNode(code, { flags: ['--unhandled-rejections=strict', '--import', prelude], env: { NODE_OPTIONS: '' } });
}

/** The rows of the Markdown table whose first heading is `heading`, as arrays of cells. */
export function tableIn(text, heading) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  if (start < 0) throw new Error(`no table begins with ${heading}`);
  const rows = [];
  for (let i = start + 2; lines[i]?.startsWith('|'); i += 1) rows.push(lines[i].split('|').slice(1, -1).map((cell) => cell.trim()));
  return rows;
}

/** What a cell that is code and nothing else says. */
export const literal = (cell) => /^`([^`]+)`$/.exec(cell)?.[1];

/** What `body` throws. */
export function caught(body) {
  try {
    body();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** The names that a message lists: one of 'a', 'b', … */
export const oneOf = (message) => [.../one of ((?:'\w+'(?:, )?)+)/.exec(message)[1].matchAll(/'(\w+)'/g)].map(([, name]) => name);
