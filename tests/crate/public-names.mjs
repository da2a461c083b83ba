// The public names of the crate on docs.rs are those of public-names.txt, each with the features that its label asks for:
// a change is a decision, and some need a new version. With REJITTER_WRITE_NAMES=1 the file is written.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
const file = new URL('public-names.txt', import.meta.url);
const page = (/** @type {string} */ path) => readFileSync(join(folder, path), 'utf8');

const lines = Array.from(page('all.html').matchAll(/<li><a href="([^"]+)">([^<]+)<\/a>/g), ([, path, name]) => {
  // What traits of others bring is no name of the crate.
  const [text] = page(path).split('id="trait-implementations"');
  const [kind] = path.split('/').slice(-1)[0].split('.');
  const label = /class="stab portability">(.*?)<\/div>/.exec(text.split('class="toggle top-doc')[0])?.[1] ?? '';
  const features = Array.from(label.matchAll(/<code>(.*?)<\/code>/g), ([, feature]) => feature);
  const members = text.matchAll(
    /id="(?:method|tymethod|structfield|variant|associatedtype|associatedconstant)\.(\w+)"/g,
  );
  const words = [...new Set(Array.from(members, ([, member]) => member))].sort();
  let line = `${kind} ${name}${features.length > 0 ? ` [${[...new Set(features)].join(', ')}]` : ''}`;
  let found = '';
  for (const word of words) {
    if (line.length + word.length > 118) {
      found += `${line}\n`;
      line = ' ';
    }
    line += ` ${word}`;
  }
  return found + line;
});
assert.ok(lines.length > 50);
const found = `${lines.join('\n')}\n`;
if (process.env.REJITTER_WRITE_NAMES) writeFileSync(file, found);
assert.equal(found, readFileSync(file, 'utf8'));
