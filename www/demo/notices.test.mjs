/** The licences next to the built page. Expects `www/dist`. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { DIST } from './lib/built-page.mjs';

/** Each package whose code or files the page contains. A new one appears here by intent. */
const PACKAGES = [
  '@fontsource-variable/inter (OFL-1.1)',
  ...['array', 'path', 'shape'].map((name) => `d3-${name} (ISC)`),
  'internmap (ISC)',
  'rejitter (MIT OR Apache-2.0)',
  'vite (MIT)',
];

test('the page carries the licence of each package that it contains', async () => {
  const text = await readFile(path.join(DIST, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const [, ...parts] = text.split(/^={80}\n\n/m);
  assert.deepEqual(
    parts.map((part) => part.split('\n')[0]?.replace(/ \d+\.\d+\.\d+ /, ' ')),
    PACKAGES,
  );
  for (const part of parts) {
    assert.match(part, /^Copyright .*\d{4}/m, part.slice(0, 40));
    assert.match(part, /WITHOUT WARRANTY|ALL WARRANTIES|"AS IS"/, part.slice(0, 40));
  }
  // The rejitter package contains others itself.
  assert.match(parts.find((part) => part.startsWith('rejitter ')) ?? '', /wasm-bindgen/);
});
