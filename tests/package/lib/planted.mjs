// Bugs planted in copies of the package.

import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { modules } from './consumer.mjs';

/** @typedef {[file: string, find: string, put: string]} Edit */

/** The files of the package that a program loads, all but CommonJS and declarations. */
const FILES = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((path) => /\.js(on)?$/.test(path));

/** The texts before and after a word diff, as Git writes it: [-removed-]{+added+}. @param {string} diff */
export function sidesOf(diff) {
  const [added, removed] = [/\{\+(.*?)\+\}/gs, /\[-(.*?)-\]/gs];
  const side = (gone, kept) => diff.replaceAll(gone, '').replaceAll(kept, '$1');
  return [side(added, removed), side(removed, added)];
}

/**
 * Makes a copy of the package in `folder`, with the edits applied, and returns that. Each must apply exactly once. The
 * files that no edit changes are links, a tenth of the work: the folder is where the package is, such as a
 * `workFolder`.
 * @param {string} folder @param {{ name: string, edits: Edit[] }} bug
 */
export function planted(folder, { name, edits }) {
  for (const place of new Set(FILES.map(dirname))) mkdirSync(join(folder, place), { recursive: true });
  for (const file of FILES) linkSync(join(modules, file), join(folder, file));
  for (const [file, find, put] of edits) {
    const path = join(folder, 'lib', file);
    const parts = readFileSync(path, 'utf8').split(anchor(find));
    // Written in its place, the change would be one of the package.
    rmSync(path);
    assert.equal(parts.length, 2, `"${name}" must apply once to ${file}, where it applies ${parts.length - 1} times`);
    writeFileSync(path, parts.join(put));
  }
  return folder;
}

/** The text of an anchor however the formatter breaks its lines. @param {string} text */
function anchor(text) {
  const tokens = text.match(/\w+|[^\w\s]/g) ?? [];
  return new RegExp(tokens.map((token) => token.replace(/[^\w]/, '\\$&')).join('\\s*'));
}
