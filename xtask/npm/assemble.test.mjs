import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { transform } from 'esbuild';
import { bytesOf } from '../../src/js/wasm/compile.js';
import { lazyGlue, toCommonJsPaths } from './assemble.mjs';
import { bundle } from './bundle.mjs';
import { hexOf, textOf } from './wasm-text.mjs';

// A small version of wasm-bindgen's output.
const GLUE = `/** What it does. */
export function plan() { return decoder.decode(); }
let decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();
export const coders = [decoder, encoder];
`;

const folder = mkdtempSync(join(tmpdir(), 'assemble-'));
after(() => rmSync(folder, { recursive: true }));

function files(name, contents) {
  const dir = join(folder, name);
  for (const [file, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
  }
  return dir;
}

describe('bundled', () => {
  /** Bundles the package in `dir`, and returns its files and modules. */
  async function bundled(dir, entries) {
    const found = await bundle(dir, entries);
    const texts = Object.fromEntries([...found].map(([file, { text }]) => [file, text]));
    const out = files(`${basename(dir)}/out`, { ...texts, 'package.json': '{ "type": "module" }' });
    const modules = {};
    for (const entry of Object.keys(entries)) modules[entry] = await import(pathToFileURL(join(out, entry)).href);
    return { found, modules };
  }

  const PACKAGE = {
    'package.json': '{ "type": "module", "sideEffects": false }',
    'main.js': "import { a } from './lib/a.js';\nexport const main = [a];\n",
    'other.js':
      "import { a } from './lib/part/a2.js';\nimport { c } from './lib/c.js';\n" +
      "import text from './lib/lab-bytes.js';\nimport { main } from './main.js';\n" +
      'export const other = [a, c, text, main];\n',
    'alone.js': "import { b } from './lib/b.js';\nexport const alone = b;\n",
    'lib/a.js': "import { b } from './b.js';\nexport const a = [b];\n",
    'lib/part/a2.js': "export { a } from '../a.js';\n",
    'lib/b.js': 'export const b = Symbol();\nexport const unused = 1;\n',
    'lib/c.js': "import { b } from './b.js';\nexport const c = b;\n",
    'lib/lab-bytes.js': "export default 'bytes';\n",
  };
  const ENTRIES = { 'main.js': undefined, 'other.js': 'main.js', 'alone.js': undefined };

  test('numbers and texts stay constants, so that the minifier of an app puts them where they are used', async () => {
    const dir = files('constants', {
      'package.json': '{ "type": "module" }',
      'main.js':
        'export function late() {\n  return LATE;\n}\nexport const LATE = 5;\n' +
        "export const NUMBER = -1;\nexport const POWER = 2 ** 32;\nexport const TEXT = 'one; two';\n" +
        'export const LIST = [1];\nexport let VARIABLE;\nexport const set = (value) => (VARIABLE = value);\n' +
        'export const FLAG = /* @__PURE__ */ Symbol();\nexport const SUM = NUMBER + POWER;\n',
    });
    const { found, modules } = await bundled(dir, { 'main.js': undefined });
    const { text } = found.get('main.js');
    const constants = ['LATE = 5;', 'NUMBER = -1;', 'POWER = 2 ** 32;', 'TEXT = "one; two";'];
    assert.ok(text.startsWith(constants.map((each) => `const ${each} `).join('')));
    assert.equal(text.match(/\bconst /g)?.length, constants.length);
    modules['main.js'].set(7);
    assert.equal(modules['main.js'].VARIABLE, 7);
    const { code } = await transform(text, { format: 'esm', minify: true });
    assert.doesNotMatch(code.replace(/export\{.*/, ''), /NUMBER|2 ?\*\* ?32/);
    // esbuild looks no further than the first function.
    assert.match(code, /\breturn 5\b/);
  });

  test('the main entry is one file, and another one shares its instance', async () => {
    const { found, modules } = await bundled(files('bundle', PACKAGE), ENTRIES);
    assert.deepEqual([...found.keys()].sort(), ['alone.js', 'lib/lab-bytes.js', 'main.js', 'other.js']);
    const { main } = modules['main.js'];
    const { other } = modules['other.js'];
    assert.equal(other[0], main[0]);
    assert.equal(other[1], main[0][0]);
    assert.deepEqual(other.slice(2), ['bytes', main]);
    assert.equal(other[3], main);
    // Only what another entry uses, apart from what users see.
    assert.deepEqual(Object.keys(modules['main.js']), ['_a', '_b', 'main']);
    assert.deepEqual(found.get('other.js').imports.sort(), ['lib/lab-bytes.js', 'main.js']);
    assert.deepEqual(found.get('main.js').imports, []);
    assert.notEqual(modules['alone.js'].alone, main[0][0]);
  });

  test('rejects two names that are one, and characters that double the memory of a file', async () => {
    const twice = {
      ...PACKAGE,
      'main.js': "import { a } from './lib/a.js';\nimport { b } from './lib/d.js';\nexport const main = [a, b];\n",
      'other.js':
        "import { b } from './lib/b.js';\nimport { b as d } from './lib/d.js';\nexport const other = [b, d];\n",
      'lib/d.js': 'export const b = 1;\n',
    };
    await assert.rejects(bundle(files('twice', twice), ENTRIES), /two modules of main\.js export b/);
    const wide = { ...PACKAGE, 'main.js': `${PACKAGE['main.js']}export const wide = [\n  // \u2026\n  1,\n];\n` };
    await assert.rejects(bundle(files('wide', wide), ENTRIES), /write it in ASCII/);
  });
});

test('the glue makes its coders later, and has no comments', async () => {
  const lazy = await lazyGlue(GLUE);
  assert.match(lazy, /import \{ LazyDecoder, LazyEncoder \} from '\.\/text\.js'/);
  assert.match(lazy, /new LazyDecoder\(\)/);
  assert.doesNotMatch(lazy, /new Text|What it does/);
  await assert.rejects(lazyGlue('export {};'), /text coders in another way/);
  await assert.rejects(lazyGlue('new TextEncoder(); new TextEncoder("x")'), /text coders in another way/);
});

test('only paths of the package itself become .cjs', () => {
  assert.equal(toCommonJsPaths('require("./lib/api.js")'), 'require("./lib/api.cjs")');
  assert.equal(toCommonJsPaths('import("../x.js")'), 'import("../x.cjs")');
  assert.equal(toCommonJsPaths("export { A } from './a.js';"), "export { A } from './a.cjs';");
  for (const other of ['require("node:fs")', "from 'chart.js'", 'const file = "./a.js"']) {
    assert.equal(toCommonJsPaths(other), other);
  }
});

test('every byte has its text, which no string, template or page needs to escape', () => {
  const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = textOf(every);
  assert.match(text, /^[ !#%-&(-;=-[\]-_a-~]+$/);
  assert.deepEqual(bytesOf(text), every);
  // A prefix changes one digit, wherever it stands.
  for (const byte of every) assert.deepEqual(bytesOf(textOf([byte, 0, byte])), Uint8Array.of(byte, 0, byte));
});

test('hexadecimal digits are whole steps of eight bytes, and a wasm file still', () => {
  const header = [0, 97, 115, 109, 1, 0, 0, 0];
  for (let length = 0; length < 9; length++) {
    // A section without a name, of this length.
    const bytes = Uint8Array.from([...header, 0, length + 1, 0, ...Array(length).fill(7)]);
    const padded = Buffer.from(hexOf(bytes), 'hex');
    assert.deepEqual([padded.length % 8, padded.subarray(0, bytes.length)], [0, Buffer.from(bytes)]);
    assert.ok(WebAssembly.validate(padded), `${length}`);
  }
});
