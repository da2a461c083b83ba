// The tarball itself: what is in it, what is not, and that its parts agree with each other.

import assert from 'node:assert/strict';
import { existsSync, lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { installed, repo, runNode, tarballBytes } from '../lib/consumer.mjs';

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

/** What npm installs of the tarball, each file with its bytes. */
const packed = readdirSync(installed, { recursive: true, withFileTypes: true })
  .filter((entry) => !entry.isDirectory())
  .map(({ parentPath, name }) => join(parentPath, name))
  .map((path) => ({ name: relative(installed, path).split(sep).join('/'), path, body: readFileSync(path) }));

test('the files are these and no others, and none is executable', () => {
  assert.deepEqual(packed.map(({ name }) => name).sort(), FILES);
  for (const { name, path } of packed) assert.equal(lstatSync(path).mode & 0o170111, 0o100000, name);
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

/** Hosts that get the core as JavaScript. That files are there, and types and module kinds right, is publint's and attw's. */
const PAGES = ['react-native', 'workerd', 'edge-light', 'browser'];
const FORMS = ['bun', 'module', 'module-sync', 'require', 'default'];

test('each entry has the conditions of its hosts, and for pages the forms for browsers', () => {
  for (const [subpath, { types, ...found }] of Object.entries(manifest.exports)) {
    const name = subpath.replace(/^\.\/?/, '') || 'index';
    if (typeof types !== 'object' && !ENTRIES.includes(name)) continue;
    const hosts = CODE.includes(`${name}.browser.js`) ? PAGES : name === 'lab' ? ['workerd', 'edge-light'] : [];
    assert.deepEqual(Object.keys(found), [...hosts, ...FORMS], subpath);
    for (const host of hosts.filter(() => name !== 'lab'))
      for (const [kind, file] of Object.entries(found[host]))
        assert.equal(file, found[kind].replace(/(\.c?js)$/, '.browser$1'), `${subpath} ${host} ${kind}`);
  }
});

test('tools that know no exports find the form for browsers by fields of the manifest', () => {
  const { browser, 'react-native': native } = manifest;
  const forms = CODE.filter((file) => /\.browser\./.test(file)).sort();
  assert.deepEqual(
    Object.values(browser).sort(),
    forms.map((file) => `./${file}`),
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

const { CARGO_HOME, RUSTUP_HOME } = process.env;
/** Texts that only the machine of the build knows, and where compilers put their own sources. */
const TRACES = [...new Set([repo, process.cwd(), homedir(), tmpdir(), CARGO_HOME, RUSTUP_HOME])]
  // '/', '/root' or '/tmp' alone may stand in a comment of anyone's.
  .filter((path) => path && path.split(sep).filter(Boolean).length >= 2)
  .concat(['/.cargo/', '/rustc/', '/home/', '/Users/', 'C:\\Users', 'file:///']);
const traced = ({ name, body }) => TRACES.filter((trace) => body.includes(trace)).map((trace) => `${name}: ${trace}`);

test('no file tells where it was built', () => {
  assert.deepEqual(packed.flatMap(traced), []);
  // The control: a path of the build in a binary file is found.
  const body = Buffer.concat([Buffer.from([0, 255, 1]), Buffer.from(join(repo, 'src', 'lib.rs')), Buffer.from([0])]);
  assert.equal(traced({ name: 'planted', body }).length, 1);
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
      assert.ok(code.endsWith(`\n//# sourceMappingURL=${name}\n`), name);
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

test('sizes, for the record, and no accident among them', (t) => {
  const sizeOf = (file) => statSync(join(installed, file)).size;
  t.diagnostic(`tarball ${tarballBytes.length} B, core.wasm ${sizeOf('core.wasm')} B`);
  // A memory would mean that an allocator, or the text of a panic, has been linked in.
  assert.ok(sizeOf('core.wasm') < 2400, `core.wasm has ${sizeOf('core.wasm')} B`);
  // Node parses it at each import.
  assert.ok(sizeOf('package.json') <= 8000);
  // Most of it is the wasm of the lab, which is in it three times (as a file and in a module of either kind), then the
  // entries of each host, and the source maps, eleven of them with the sources.
  assert.ok(tarballBytes.length < 955_000, `the tarball has ${tarballBytes.length} B`);
});
