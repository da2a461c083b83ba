// The public names of a crate on docs.rs are those of its file in public-names, each with the features of its label: a
// change is a decision, and some need a new version. With REJITTER_WRITE_NAMES=1 the file is written.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, list] = process.argv.slice(2);
const file = new URL(`public-names/${list}`, import.meta.url);
const page = (/** @type {string} */ path) => readFileSync(join(folder, path), 'utf8');

/** Names by what stands before them: an item and its members, or items without members. */
const names = new Map();
for (const [, path, name] of page('all.html').matchAll(/<li><a href="([^"]+)">([^<]+)<\/a>/g)) {
  // What traits of others bring is no name of the crate.
  const [text] = page(path).split('id="trait-implementations"');
  const label = /class="stab portability">(.*?)<\/div>/.exec(text.split('class="toggle top-doc')[0])?.[1] ?? '';
  const features = new Set(Array.from(label.matchAll(/<code>(.*?)<\/code>/g), ([, feature]) => feature));
  const kind = `[${[...features].join(', ')}] ${path.split('/').at(-1)?.split('.')[0]}`.replace('[] ', '');
  const found = text.matchAll(/id="(?:method|tymethod|structfield|variant|associatedtype|associatedconstant)\.(\w+)"/g);
  const members = [...new Set(Array.from(found, ([, member]) => member))].sort();
  const module = name.split('::').slice(0, -1).join('::');
  const key = members.length > 0 ? `${kind} ${name}:` : `${kind} ${module}::`.replace(' ::', '');
  names.set(key, [...(names.get(key) ?? []), ...(members.length > 0 ? members : [name.split('::').at(-1)])]);
}
assert.ok(names.size > 25);
const lines = Array.from(names, ([key, found]) =>
  `${key} ${found.join(' ')}`.replace(/(.{1,117})(?: |$)/g, '$1\n  ').trim(),
);
const text = `${lines.join('\n')}\n`;
if (process.env.REJITTER_WRITE_NAMES) writeFileSync(file, text);
assert.equal(text, readFileSync(file, 'utf8'));
