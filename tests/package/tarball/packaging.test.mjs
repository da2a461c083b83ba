// The tarball itself: what is in it, what is not, and that its parts agree with each other.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';

import { inlinedText, installed, repo, run, runNode, tarballBytes } from '../lib/consumer.mjs';

const { bytesOf } = await import(pathToFileURL(join(repo, 'src/js/wasm/compile.js')).href);

const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

const LIB = ['lab-bytes', 'lab-glue', 'text'];
const ENTRIES = [
  ...['index', 'light', 'light-fetch', 'fetch', 'protection', 'presets', 'data', 'lab', 'testing', 'engines', 'otel'],
  'reconnect',
];
/** Files into which the declarations of the entries are divided. */
const PARTS = ['events', 'options', 'simulations'];
/** The entries for all hosts. */
const CODE = [
  ...[...ENTRIES, ...['index', 'fetch', 'protection', 'data', 'reconnect'].map((name) => `${name}.browser`)].flatMap(
    (name) => [`${name}.cjs`, `${name}.js`],
  ),
  'lab.edge-light.js',
  'lab.workerd.js',
];
const FILES = [
  ...['LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'THIRD-PARTY-NOTICES', 'package.json'],
  ...['core.wasm', 'core.wasm.d.ts', 'lab.wasm'],
  ...[...ENTRIES, ...PARTS].flatMap((name) => [`${name}.d.cts`, `${name}.d.ts`]),
  ...CODE.flatMap((name) => (/^[\w-]+\.js$/.test(name) ? [name, `${name}.map`] : [name])),
  'light/fetch/package.json',
  ...LIB.flatMap((name) => [`lib/wasm/${name}.cjs`, `lib/wasm/${name}.js`]),
].sort();

/** The files of the tarball as it is, not as npm installs it. */
function entries() {
  const tar = gunzipSync(tarballBytes);
  const text = (from, length) => tar.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  const found = [];
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const size = parseInt(text(at + 124, 12), 8);
    found.push({
      name: text(at, 100),
      type: text(at + 156, 1),
      mode: parseInt(text(at + 100, 8), 8),
      size,
      body: tar.subarray(at + 512, at + 512 + size),
    });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return found;
}

const packed = entries();

test('the files are these and no others, plain and not executable, and npm installs just that', () => {
  assert.deepEqual(packed.map(({ name }) => name.replace(/^package\//, '')).sort(), FILES);
  for (const { name, type, mode } of packed) assert.ok((type === '0' || type === '') && (mode & 0o111) === 0, name);
  const list = readdirSync(installed, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(installed, path)).isFile());
  assert.deepEqual(list.map((path) => path.split(sep).join('/')).sort(), FILES);
});

test('versions and addresses agree: of all manifests, the changelog and the page', () => {
  const [crate, root] = ['crates/rejitter/', ''].map((folder) =>
    readFileSync(join(repo, folder, 'Cargo.toml'), 'utf8'),
  );
  const [, version] = /^version = "([^"]+)"/m.exec(crate);
  const [, newest] = /^## \[(.*?)\]/m.exec(readFileSync(join(repo, 'CHANGELOG.md'), 'utf8'));
  assert.deepEqual([manifest.version, newest], [version, version]);
  const links = readFileSync(join(repo, 'www/src/links.ts'), 'utf8');
  const [, repository] = /REPOSITORY = '(.*)'/.exec(links);
  const [, site] = /SITE = '(.*)'/.exec(links);
  const { homepage, bugs, repository: source } = manifest;
  assert.deepEqual([homepage, bugs, source.url], [site, `${repository}/issues`, `git+${repository}.git`]);
  assert.ok(root.includes(`\nversion = "${version}"\n`));
  assert.ok(crate.includes(`\nrepository = "${repository}"\nhomepage = "${site}"\n`));
});

test('the manifest: names, licence, no scripts, no dependencies, nothing private', () => {
  assert.equal(manifest.name, 'rejitter');
  assert.equal(manifest.license, 'MIT OR Apache-2.0');
  assert.equal(manifest.type, 'module');
  assert.equal(manifest.sideEffects, false);
  assert.equal(manifest.engines.node, '>=20.19');
  const kinds = ['d', 'devD', 'peerD', 'optionalD', 'bundledD'].map((kind) => `${kind}ependencies`);
  for (const name of ['scripts', ...kinds, 'private', 'bin', 'gypfile']) assert.equal(manifest[name], undefined, name);
});

/** Every file that the manifest names, with the conditions that lead there. */
function targets(node, path = []) {
  if (typeof node === 'string') return [[path.join(' > '), node]];
  return Object.entries(node).flatMap(([name, inner]) => targets(inner, [...path, name]));
}

test('every file that the exports name is there', () => {
  const named = [...targets(manifest.exports), ...['main', 'module', 'types'].map((name) => [name, manifest[name]])];
  assert.ok(named.length > 10);
  for (const [path, file] of named) assert.ok(existsSync(join(installed, file)), `${path}: ${file}`);
});

/** Hosts that get the core as JavaScript, and the names of module kinds: bundlers know `module`, Node `module-sync`. */
const PAGES = ['react-native', 'workerd', 'edge-light', 'browser'];
const KINDS = ['module', 'module-sync', 'require', 'default'];
const FORMS = ['bun', ...KINDS];
for (const [subpath, conditions] of Object.entries({
  '.': ['types', ...PAGES, ...FORMS],
  './light': ['types', ...FORMS],
  './light/fetch': ['types', ...FORMS],
  './fetch': ['types', ...PAGES, ...FORMS],
  './protection': ['types', ...PAGES, ...FORMS],
  './presets': FORMS,
  './data': ['types', ...PAGES, ...FORMS],
  './lab': ['types', 'workerd', 'edge-light', ...FORMS],
  './testing': FORMS,
  './engines': FORMS,
  './otel': FORMS,
  './reconnect': ['types', ...PAGES, ...FORMS],
})) {
  test(`${subpath}: types come first, and each branch has the module kind of its condition`, () => {
    const { types, ...found } = manifest.exports[subpath];
    assert.deepEqual(Object.keys(manifest.exports[subpath]), conditions);
    // Without them, compilers look beside the file.
    for (const [kind, file] of Object.entries(types ?? { default: found.default.replace('.js', '.d.ts') })) {
      assert.ok(existsSync(join(installed, file)), file);
      assert.ok(file.endsWith(kind === 'require' ? '.d.cts' : '.d.ts'), file);
    }
    for (const [path, file] of targets(found)) assert.equal(file.endsWith('.cjs'), path.endsWith('require'), path);
    for (const host of PAGES.filter((condition) => condition in found && subpath !== './lab')) {
      assert.deepEqual(Object.keys(found[host]), KINDS, host);
      for (const [kind, file] of Object.entries(found[host]))
        assert.equal(file, found[kind].replace(/(\.c?js)$/, '.browser$1'), `${host} ${kind}`);
    }
  });
}

test('tools that know no exports find the form for browsers by fields of the manifest', () => {
  const { browser, 'react-native': native } = manifest;
  const forms = CODE.filter((file) => /\.browser\./.test(file)).sort();
  assert.deepEqual(
    Object.values(browser)
      .map((file) => file.slice(2))
      .sort(),
    forms,
  );
  for (const [file, other] of Object.entries(browser)) {
    assert.ok(existsSync(join(installed, file)), file);
    assert.equal(other, file.replace(/(\.c?js)$/, '.browser$1'));
    // Metro translates ES modules: both are one instance.
    assert.equal(native[file], other.replace('.cjs', '.js'));
  }
  const { type, main, module, types } = JSON.parse(readFileSync(join(installed, 'light/fetch/package.json'), 'utf8'));
  const { require, default: esm, types: typesOf } = manifest.exports['./light/fetch'];
  const above = [require, esm, typesOf.default].map((file) => file.replace('.', '../..'));
  assert.deepEqual([type, main, module, types], ['module', ...above]);
});

test('no file of the form for browsers names WebAssembly', () => {
  const files = CODE.filter((file) => /\.browser\./.test(file));
  for (const file of files) assert.doesNotMatch(readFileSync(join(installed, file), 'utf8'), /WebAssembly/, file);
  // The control.
  assert.match(readFileSync(join(installed, 'index.js'), 'utf8'), /WebAssembly/);
});

test('both declarations are the same text', () => {
  const text = (name) => readFileSync(join(installed, name), 'utf8');
  // But for the modules that they take types from.
  for (const entry of [...ENTRIES, ...PARTS])
    assert.equal(text(`${entry}.d.cts`).replaceAll(/'(\.\/[\w-]+)\.cjs'/g, "'$1.js'"), text(`${entry}.d.ts`));
});

test('contains every file that its modules import', () => {
  for (const { name, body } of packed) {
    if (!/\.c?js$|\.d\.c?ts$/.test(name)) continue;
    const source = body.toString('utf8');
    const imports = [
      ...source.matchAll(/(?:^|\n)\s*(?:import|export)[^'"\n;]*?from\s*['"]([^'"]+)['"]|require\(['"]([^'"]+)['"]\)/g),
    ].map(([, a, b]) => a ?? b);
    for (const specifier of imports) {
      assert.match(specifier, /^\.\.?\//, `${name} imports ${specifier}`);
      const file = name.endsWith('ts') ? specifier.replace(/\.(c?)js$/, '.d.$1ts') : specifier.replace(/\?module$/, '');
      const target = join(name, '..', file).split(sep).join('/');
      assert.ok(
        packed.some((entry) => entry.name === target),
        `${name} imports ${specifier}`,
      );
    }
  }
});

test('the inlined bytes are core.wasm, which needs nothing and exports numbers only', async () => {
  const wasm = readFileSync(join(installed, 'core.wasm'));
  for (const name of ['index.js', 'index.cjs']) {
    // It ends with an empty section, which makes it a multiple of eight bytes.
    const inlined = Buffer.from(inlinedText(name), 'hex');
    assert.ok(inlined.subarray(0, wasm.length).equals(wasm) && inlined.length % 8 === 0, name);
  }
  const module = new WebAssembly.Module(wasm);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const kinds = WebAssembly.Module.exports(module).map(({ kind }) => kind);
  assert.deepEqual([...new Set(kinds)], ['function'], 'no memory, no table');
  // Sections 4, 5 and 11 are tables, memories and data. The core has no state and allocates nothing; a
  // memory means that an allocator or the text of a panic has been linked in.
  const sections = sectionIds(wasm);
  assert.ok(sections.includes(10), 'there is code');
  assert.deepEqual(
    sections.filter((id) => [4, 5, 11].includes(id)),
    [],
  );
  assert.deepEqual(
    ['name', 'producers'].flatMap((section) => WebAssembly.Module.customSections(module, section)),
    [],
  );
});

test('the machines of protection are JavaScript, the same for all hosts', () => {
  const textOf = (file) => readFileSync(join(installed, file), 'utf8');
  const [code, other] = ['protection.js', 'protection.browser.js'].map((file) =>
    textOf(file).replace(/^\/\/# sourceMappingURL.*\n/m, ''),
  );
  assert.equal(code.replaceAll('index.js', 'index.browser.js'), other);
  for (const file of ['protection.js', 'protection.cjs']) assert.doesNotMatch(textOf(file), /WebAssembly|Uint8Array/);
});

test('the inlined bytes of the lab are lab.wasm, which needs its glue and nothing else', async () => {
  const wasm = readFileSync(join(installed, 'lab.wasm'));
  for (const name of ['lib/wasm/lab-bytes.js', 'lib/wasm/lab-bytes.cjs']) {
    assert.ok(wasm.equals(bytesOf(inlinedText(name))), name);
  }
  const module = new WebAssembly.Module(wasm);
  const glue = await import(pathToFileURL(join(installed, 'lib/wasm/lab-glue.js')).href);
  const imports = WebAssembly.Module.imports(module);
  assert.ok(imports.length > 0);
  for (const { module, name } of imports) {
    assert.equal(module, './lab_bg.js', name);
    assert.equal(typeof glue[name], 'function', name);
  }
  assert.deepEqual(
    ['name', 'producers', 'target_features'].flatMap((section) => WebAssembly.Module.customSections(module, section)),
    [],
  );
});

/** The kinds of the sections of a wasm file, in order. */
function sectionIds(wasm) {
  const ids = [];
  for (let at = 8; at < wasm.length; ) {
    ids.push(wasm[at]);
    let size = 0;
    let shift = 0;
    do {
      at += 1;
      size += (wasm[at] & 127) * 2 ** shift;
      shift += 7;
    } while (wasm[at] > 127);
    at += 1 + size;
  }
  return ids;
}

/** Texts that only the machine of the build knows, and where compilers put their own sources. */
function traces() {
  return (
    [repo, process.cwd(), homedir(), tmpdir(), process.env.CARGO_HOME, process.env.RUSTUP_HOME]
      // '/', '/root' or '/tmp' alone may stand in a comment of anyone's.
      .filter((path) => path && path.split(sep).filter(Boolean).length >= 2)
      .concat(['/.cargo/', '/rustc/', '/home/', '/Users/', 'C:\\Users', 'file:///'])
  );
}

function tracesIn(files) {
  return files.flatMap(({ name, body }) =>
    traces()
      .filter((trace) => body.includes(trace))
      .map((trace) => `${name}: ${trace}`),
  );
}

test('no file tells where it was built', () => {
  assert.deepEqual(tracesIn(packed), []);
  // The control: a path of the build in a binary file is found.
  const planted = Buffer.concat([Buffer.from([0, 255, 1]), Buffer.from(join(repo, 'src', 'lib.rs')), Buffer.from([0])]);
  assert.notDeepEqual(tracesIn([{ name: 'planted', body: planted }]), []);
});

test('a source map holds the sources, and no text has stray line ends', () => {
  for (const { name, body } of packed) {
    if (name.endsWith('.wasm')) continue;
    const text = body.toString('utf8');
    if (name.endsWith('.map')) {
      const { sources, sourcesContent } = JSON.parse(text);
      assert.deepEqual([sources.length > 0, sourcesContent?.length], [true, sources.length], name);
      assert.ok(sourcesContent.every((source) => source.length > 0));
      const code = packed.find((entry) => `${entry.name}.map` === name).body.toString('utf8');
      assert.ok(code.endsWith(`\n//# sourceMappingURL=${name.replace('package/', '')}\n`), name);
    } else if (!packed.some((entry) => entry.name === `${name}.map`)) {
      assert.ok(!text.includes('sourceMappingURL'), name);
    }
    assert.ok(!text.includes('\r'), name);
    assert.ok(!text.includes('\uFFFD'), `${name} is not UTF-8`);
  }
});

test('stacks lead to the modules that a bundle was made of', async () => {
  const use = `
    let calls = 0;
    const fn = async () => { await null; throw new Error('no ' + ++calls); };
    const options = { baseMs: 0, maxAttempts: 2, retryIf: () => 7 };
    retry(fn, options).catch(({ stack }) => { console.log(stack); });`;
  const flags = ['--enable-source-maps'];
  const { stdout } = await runNode(`import { retry } from 'rejitter';${use}`, { flags });
  assert.match(stdout, /rejitter.lib.run.steps\.js:\d+:\d+/);
});

test('functions and classes have the names under which they are exported, in all entries and stacks', async () => {
  let named = 0;
  for (const file of CODE) {
    const text = readFileSync(join(installed, file), 'utf8');
    // Bundlers write such names where another one is taken, or is used within its own class.
    assert.deepEqual(text.match(/\b(?:function\*?|class) (?:_\w*|\w*[a-z]\d+)\b/g), null, file);
    // Their wasm files are for those hosts only.
    if (/workerd|edge-light/.test(file)) continue;
    for (const [name, value] of Object.entries(await import(pathToFileURL(join(installed, file)).href))) {
      if (typeof value !== 'function' || name.startsWith('_')) continue;
      assert.equal(value.name, name, file);
      named += 1;
    }
  }
  assert.ok(named > 100, `${named} exports`);
});

test('the code of the entries is ASCII, which engines keep as one byte per character', () => {
  for (const { name, body } of packed)
    if (CODE.includes(name.replace('package/', ''))) assert.ok(!body.some((byte) => byte >= 128), name);
});

test("the licences are the repository's", () => {
  const read = (name) => readFileSync(join(installed, name), 'utf8');
  assert.match(read('LICENSE-MIT'), /Permission is hereby granted, free of charge/);
  assert.match(read('LICENSE-APACHE'), /Apache License\s+Version 2\.0, January 2004/);
  for (const name of ['LICENSE-MIT', 'LICENSE-APACHE']) {
    if (existsSync(join(repo, name))) assert.equal(read(name), readFileSync(join(repo, name), 'utf8'), name);
  }
});

test('the notices name the makers of what the wasm files and the glue contain', () => {
  const text = readFileSync(join(installed, 'THIRD-PARTY-NOTICES'), 'utf8');
  for (const name of ['wasm-bindgen', 'js-sys', 'serde', 'serde-wasm-bindgen'])
    assert.match(text, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.*MIT.*\\)$`, 'm'));
  assert.match(text, /Copyright \(c\) 2014 Alex Crichton/);
  assert.match(text, /The Rust Project Developers/);
});

test('the CommonJS files are CommonJS: Node parses them without the ES module loader', async () => {
  for (const file of FILES.filter((name) => name.endsWith('.cjs'))) {
    const flags = ['--check', '--no-experimental-require-module'];
    const { code, stderr } = await run(process.execPath, [...flags, join(installed, file)]);
    assert.equal(code, 0, `${file}: ${stderr}`);
  }
});

test('sizes, for the record, and no accident among them', (t) => {
  const total = packed.reduce((sum, { size }) => sum + size, 0);
  const wasm = readFileSync(join(installed, 'core.wasm'));
  t.diagnostic(
    `tarball ${tarballBytes.length} B, unpacked ${total} B, core.wasm ${wasm.length} B raw, ` +
      `${gzipSync(wasm).length} gzip, ${brotliCompressSync(wasm).length} brotli`,
  );
  assert.ok(wasm.length < 4096, `core.wasm has ${wasm.length} B`);
  // Node parses it at each import.
  const { size } = statSync(join(installed, 'package.json'));
  assert.ok(size <= 8000, `package.json has ${size} B`);
  // Most of it is the wasm of the lab, which is in it three times (as a file and in a module of either kind), then the
  // entries of each host, and the source maps, eleven of them with the sources.
  assert.ok(tarballBytes.length < 955_000, `the tarball has ${tarballBytes.length} B`);
});
