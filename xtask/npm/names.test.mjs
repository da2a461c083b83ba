// No two things of one name in a folder of src/js: who reads a name there, or looks for it, means one thing.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';

import { inRoot } from '../run/places.mjs';
import { FORMS } from './artefacts.mjs';
import { tree } from './mutations.mjs';

/** The names that a module declares at its top, each with the text of what it stands for. @returns {string[][]} */
const declaredIn = (/** @type {string} */ code) =>
  tree(code).body.flatMap((/** @type {any} */ statement) => {
    const declaration = statement.declaration ?? statement;
    const all = declaration.declarations ?? (/^(Function|Class)Decl/.test(declaration.type) ? [declaration] : []);
    return all.map(({ id, start, end }) => [id.name, code.slice(start, end)]);
  });

/** What stands for two different things in a folder. @param {Record<string, string>} files texts by path */
function sharedNames(files) {
  /** @type {Record<string, { path: string, text: string }>} */
  const seen = {};
  const found = [];
  for (const [path, code] of Object.entries(files))
    for (const [name, text] of declaredIn(code)) {
      const first = (seen[`${dirname(path)}/${name}`] ??= { path, text });
      if (first.text !== text) found.push(`${name}: ${first.path}, ${path}`);
    }
  return found;
}

/** Modules that stand for others, and declare the same. */
const standIns = Object.values(FORMS).flatMap(({ instead }) => Object.values(instead));
const paths = readdirSync(inRoot('src/js'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.js') && !standIns.some((module) => `/${path}`.endsWith(module)),
);
const files = Object.fromEntries(paths.map((path) => [path, readFileSync(inRoot('src/js', path), 'utf8')]));

test('no name stands for two things in a folder of src/js', () => {
  assert.ok(paths.length > 100);
  assert.deepEqual(sharedNames(files), []);
  // The control: the names of a class, a function and a constant that are there.
  const planted = 'class Limits {}\nexport function settle() {}\nexport const TURNS = 7;\n';
  assert.equal(sharedNames({ ...files, 'run/planted.js': planted }).length, 3);
  assert.deepEqual(sharedNames({ ...files, 'engines/planted.js': planted }), []);
});
