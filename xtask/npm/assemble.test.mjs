import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { transform } from 'esbuild';
import { bytesOf } from '../../pkg-template/lib/compile.js';
import {
  assemble,
  bytesModule,
  filesInExports,
  lazyGlue,
  sameExports,
  toCommonJsPaths,
  withImportedLab,
  withVersion,
} from './assemble.mjs';
import { bundle } from './bundle.mjs';
import { textOf } from './wasm-text.mjs';

// (module): the smallest file that is one
const EMPTY_WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

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

/** A package in small: an entry, a driver module that it reaches and one that it does not. */
function sources(name, change = {}) {
  const entry =
    "import { retryOf } from './lib/index.js';\nimport { load } from './lib/core-inline.js';\n\n" +
    'export const retry = retryOf(load);\n';
  const dir = files(name, {
    'template/package.json': JSON.stringify({
      name: 'small',
      type: 'module',
      exports: { '.': { import: './index.js', require: './index.cjs' }, './core.wasm': './core.wasm' },
    }),
    'template/index.js': entry,
    'template/lab.js': "export { plan } from './lib/lab-glue.js';\n",
    'template/lib/core-inline.js': "import text from './core-bytes.js';\nexport const load = () => text;\n",
    'template/lib/core-no-wasm.js': "import { core } from './core-generated.js';\nexport const load = () => core();\n",
    'template/lib/loader.js': 'export const loaderOf = (compile) => () => compile();\n',
    'template/lab.d.ts': "export { Options } from './options.js';\n",
    'template/lib/text.js': 'export class LazyDecoder {}\nexport class LazyEncoder {}\n',
    'lab/lab.wasm': EMPTY_WASM,
    'lab/lab_bg.js': GLUE,
    'template/index.d.ts': "export { Options } from './options.js';\n",
    'template/options.d.ts': "export type { Options } from './lab.js';\n",
    'template/lib/unused.js': 'export {};\n',
    'driver/index.js':
      "import { name } from './words/name.js';\nexport const retryOf = (load) => () => name + load();\n",
    'driver/words/name.js': "export const name = 'retry';\n",
    'driver/words/unreached.js': 'export {};\n',
    'driver/wasm-pack.js': 'export {};\n',
    'driver/mod.rs': '',
    'core.wasm': EMPTY_WASM,
    'core.js': "export const core = () => ' without wasm';\n",
    'machines.js': 'export function take() {}\n',
    'LICENSE-X': 'licence',
    ...change,
  });
  return {
    template: join(dir, 'template'),
    driver: join(dir, 'driver'),
    licences: [join(dir, 'LICENSE-X')],
    wasm: join(dir, 'core.wasm'),
    machines: join(dir, 'machines.js'),
    lab: join(dir, 'lab'),
    version: '1.2.3',
    out: join(dir, 'out'),
  };
}

describe('assemble', () => {
  test('ships what the entries reach, in both module systems', async () => {
    const given = sources('good');
    await assemble(given);
    const esm = await import(pathToFileURL(join(given.out, 'index.js')).href);
    const cjs = createRequire(import.meta.url)(join(given.out, 'index.cjs'));
    assert.equal(esm.retry(), `retry${textOf(EMPTY_WASM)}`);
    assert.equal(cjs.retry(), esm.retry());
    for (const file of ['index.js', 'index.cjs', 'lib/lab-glue.js', 'core.wasm', 'LICENSE-X']) {
      assert.ok(existsSync(join(given.out, file)), file);
    }
    for (const file of [
      'lib/index.js',
      'lib/words',
      'lib/wasm-pack.js',
      'lib/unused.js',
      'lib/mod.rs',
      'index.workerd.cjs',
      'lab.workerd.js',
    ]) {
      assert.ok(!existsSync(join(given.out, file)), file);
    }
    // The same once more, a file for each module.
    const separate = await import(pathToFileURL(join(`${given.out}.modules`, 'index.js')).href);
    assert.equal(separate.retry(), esm.retry());
    assert.match(
      readFileSync(join(`${given.out}.modules`, 'lib/words/name.js'), 'utf8'),
      /^export const name = 'retry';$/m,
    );
    assert.ok(!existsSync(join(`${given.out}.modules`, 'lib/words/unreached.js')));
    assert.equal(JSON.parse(readFileSync(join(given.out, 'package.json'))).version, '1.2.3');
    assert.match(readFileSync(join(given.out, 'index.d.cts'), 'utf8'), /'\.\/options\.cjs'/);
    assert.match(readFileSync(join(given.out, 'options.d.cts'), 'utf8'), /'\.\/lab\.cjs'/);
  });

  test('gives the hosts that cannot compile WebAssembly their own entry point, in both module systems', async () => {
    const given = sources('hosts');
    await assemble(given);
    const esm = await import(pathToFileURL(join(given.out, 'index.no-wasm.js')).href);
    const cjs = createRequire(import.meta.url)(join(given.out, 'index.no-wasm.cjs'));
    assert.equal(esm.retry(), 'retry without wasm');
    assert.equal(cjs.retry(), esm.retry());
    const code = readFileSync(join(given.out, 'index.no-wasm.js'), 'utf8');
    assert.ok(!code.includes(textOf(EMPTY_WASM)), 'and they do not load the wasm');
    assert.ok(!existsSync(join(given.out, 'index.workerd.js')));
  });

  test('rejects a module that CommonJS cannot load', async () => {
    const given = sources('cjs', { 'driver/words/name.js': "export const name = await 'retry';\n" });
    await assert.rejects(assemble(given), /await/);
  });

  test('rejects an export without a file', async () => {
    const given = sources('missing', {
      'template/package.json': JSON.stringify({ name: 'small', exports: { './other': './other.js' } }),
    });
    await assert.rejects(assemble(given), /exports \.\/other\.js, which is not there/);
  });

  test('rejects a driver module that would overwrite one of the package', async () => {
    const given = sources('twice', { 'driver/unused.js': 'export {};\n' });
    await assert.rejects(assemble(given), /have one name/);
  });
});

describe('bundled', () => {
  /** Bundles the package in `dir`, and returns its files and modules. */
  async function bundled(dir, entries) {
    const found = await bundle(dir, entries);
    for (const [file, { text }] of found) {
      mkdirSync(dirname(join(dir, 'out', file)), { recursive: true });
      writeFileSync(join(dir, 'out', file), text);
    }
    writeFileSync(join(dir, 'out/package.json'), '{ "type": "module" }');
    const modules = {};
    for (const entry of Object.keys(entries))
      modules[entry] = await import(pathToFileURL(join(dir, 'out', entry)).href);
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

  test('source maps hold the sources', async () => {
    const found = await bundle(files('maps', PACKAGE), ENTRIES);
    const { sources, sourcesContent } = JSON.parse(found.get('main.js').map);
    assert.deepEqual(sources, ['lib/b.js', 'lib/a.js', 'main.js']);
    assert.equal(sourcesContent[1], PACKAGE['lib/a.js']);
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

test('the lab of a host imports its wasm file, and the main entry point without wasm', () => {
  const lab =
    "import { RetryPolicy } from './index.js';\nimport { link } from './lib/lab-inline.js';\n" +
    "import { createLab } from './lib/lab/index.js';\n\nexport const { plan } = createLab(RetryPolicy, link);\n";
  assert.equal(
    withImportedLab(lab, 'Why.', '?module'),
    `// Why.
import labModule from './lab.wasm?module';
import { RetryPolicy } from './index.no-wasm.js';
import { linkerOf } from './lib/lab-wasm.js';
import { createLab } from './lib/lab/index.js';

const link = /* @__PURE__ */ linkerOf(() => labModule);

export const { plan } = createLab(RetryPolicy, link);
`,
  );
  assert.equal(withImportedLab("export const none = 'needs no wasm';\n", '', ''), undefined);
});

test('the module of the bytes gives the bytes', async () => {
  const code = `data:text/javascript,${encodeURIComponent(bytesModule(EMPTY_WASM, 'core.wasm'))}`;
  const { default: text } = await import(code);
  assert.deepEqual(bytesOf(text), EMPTY_WASM);
});

test('every byte has its text, which no string, template or page needs to escape', () => {
  const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = textOf(every);
  assert.match(text, /^[ !#%-&(-;=-[\]-_a-~]+$/);
  assert.deepEqual(bytesOf(text), every);
  // A prefix changes one digit, wherever it stands.
  for (const byte of every) assert.deepEqual(bytesOf(textOf([byte, 0, byte])), Uint8Array.of(byte, 0, byte));
});

test('the version stands after the name and has one source', () => {
  const manifest = withVersion({ name: 'a', type: 'module' }, '0.1.0');
  assert.equal(JSON.stringify(manifest), '{"name":"a","version":"0.1.0","type":"module"}');
  assert.throws(() => withVersion({ name: 'a', version: '9' }, '0.1.0'), /comes from Cargo\.toml/);
});

test('every file of an exports map is found', () => {
  const map = { '.': { workerd: { types: './a.d.ts', default: './a.js' }, default: './a.js' }, './b': './b' };
  assert.deepEqual(filesInExports(map), ['./a.d.ts', './a.js', './b']);
});

test('equal exports pass in any order', () => {
  sameExports({ a: ['x', 'y'], b: ['y', 'x'] });
  assert.throws(() => sameExports({ a: ['x'], b: [] }), /b and a differ in x/);
});
