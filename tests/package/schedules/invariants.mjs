// The invariants by name: the tables of tests/README.md.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const sentences = new Map(
  Array.from(page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm), ([, name, sentence]) => [name, sentence]),
);

/** @param {string} name @returns {string} what holds */
export function sentenceOf(name) {
  assert.ok(sentences.has(name), `tests/README.md has no invariant called ${name}`);
  return sentences.get(name);
}
