// Asks the registry for the newest versions of the packages that take part, and keeps them with the day:
// node xtask/bench/compare/versions.mjs. A test compares the columns of docs/comparison.md with them.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('versions.json', import.meta.url);
const PAGE = new URL('../../../docs/comparison.md', import.meta.url);

/** @param {string} asked a date, as `2026-11-28` */
export const dayOf = (asked) =>
  `Versions are the newest of ${new Date(asked).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })}`;

/** @type {() => { asked: string, newest: Record<string, string> }} */
export const kept = () => JSON.parse(readFileSync(FILE, 'utf8'));

/** The versions that xtask/bench installs. @returns {Record<string, string>} */
export const installed = () =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).dependencies;

/** A package with its version, as heads and first cells of tables have them. */
const NAMED = /((?:@[\w-]+\/)?[\w-]+) (\d+\.\d+\.\d+)/g;

/**
 * Names columns and rows of tables whose package has a newer version than theirs.
 * @param {string} page Markdown
 * @param {Record<string, string>} newest
 */
export function oldColumns(page, newest) {
  const lines = page.split('\n').filter((line) => line.startsWith('| '));
  const isHead = (line) => page.includes(`${line}\n|---`);
  const named = lines.flatMap((line) => [...(isHead(line) ? line : line.split(' |', 1)[0]).matchAll(NAMED)]);
  return [...new Set(named.filter(([, name, version]) => newest[name] !== version).map(([column]) => column))];
}

if (process.argv[1] === import.meta.filename) {
  const ask = (name) => execFileSync('npm', ['view', name, 'version'], { encoding: 'utf8' }).trim();
  const newest = Object.fromEntries(Object.keys(installed()).map((name) => [name, ask(name)]));
  const asked = new Date().toISOString().slice(0, 10);
  writeFileSync(FILE, `${JSON.stringify({ asked, newest }, null, 2)}\n`);
  const page = readFileSync(PAGE, 'utf8').replace(/Versions are the newest of \d+ \w+ \d+/, dayOf(asked));
  writeFileSync(PAGE, page);
  console.log('old:', oldColumns(page, newest));
}
