// Bugs planted in copies of the package.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { modules } from './consumer.mjs';

/** @typedef {[file: string, find: string, put: string]} Edit */

/** Files that no test of a planted bug uses. */
const UNUSED = /[/\\](lab|testing|simulations)[^/\\]*$|\.(wasm|md|cjs|d\.c?ts)$/;

/** The texts before and after a word diff, as Git writes it: [-removed-]{+added+}. @param {string} diff */
export function sidesOf(diff) {
  const [added, removed] = [/\{\+(.*?)\+\}/gs, /\[-(.*?)-\]/gs];
  const side = (gone, kept) => diff.replaceAll(gone, '').replaceAll(kept, '$1');
  return [side(added, removed), side(removed, added)];
}

/**
 * Writes a copy of the package with the edits applied to `folder`, and returns that. Each must apply exactly once.
 * @param {string} folder @param {{ name: string, edits: Edit[] }} bug
 */
export function planted(folder, { name, edits }) {
  cpSync(modules, folder, { recursive: true, filter: (path) => !UNUSED.test(path) });
  for (const [file, find, put] of edits) {
    const path = join(folder, 'lib', file);
    const parts = readFileSync(path, 'utf8').split(anchor(find));
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
