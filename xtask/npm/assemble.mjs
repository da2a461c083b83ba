// Puts the npm package together: pkg-template/, the README, the entries of src/js/entries in a form per host, bundled
// with the modules that they reach, each wasm as a file and as a module, the CommonJS twins, the version. Next to it,
// in OUT.modules, the same with every module as a file: for tests that change one.
//
// The folder of the lab holds lab.wasm, its glue, lab_bg.js, as wasm-bindgen writes it for bundlers, and the licences
// of its crates. Without it, the package has no lab: for tests where there is no Rust.

import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, transform } from 'esbuild';

import { inRoot } from '../run/places.mjs';
import { ENTRIES, FORMS, insteadIn, mainOf } from './artefacts.mjs';
import { INTERNAL, bundle, formOf } from './bundle.mjs';
import { numbersModule, withNumbers } from './simulations.mjs';
import { hexOf, textOf } from './wasm-text.mjs';

const SITE = {
  docs: 'https://rejitter.github.io/rejitter/docs/',
  raw: 'https://raw.githubusercontent.com/rejitter/rejitter/main/',
  blob: 'https://github.com/rejitter/rejitter/blob/main/',
};

/** Specifiers of modules of the package itself, in CommonJS written by esbuild or in declarations. */
const OWN_MODULE = /((?:require|import)\(\s*|from\s+|import\s+)(['"])(\.{1,2}\/[^'"]+)\.js\2/g;

export const toCommonJsPaths = (code) =>
  code.replace(OWN_MODULE, (_, before, quote, path) => `${before}${quote}${path}.cjs${quote}`);

const bytesModule = (text, name) => `// ${name} as text\nexport default '${text}';\n`;

/**
 * wasm-bindgen's glue without its comments, and without what it does at import: it makes a TextDecoder
 * there, which some hosts do not have.
 */
export async function lazyGlue(code) {
  const lazy = code
    .replaceAll(/new TextDecoder\([^)]*\)/g, 'new LazyDecoder()')
    .replaceAll('new TextEncoder()', 'new LazyEncoder()');
  if (lazy === code || /new Text(De|En)coder/.test(lazy)) {
    throw new Error('the glue of wasm-bindgen makes its text coders in another way than this script knows');
  }
  const { code: bare } = await transform(lazy, { format: 'esm', target: 'es2022' });
  return `// Written by wasm-bindgen.\nimport { LazyDecoder, LazyEncoder } from './text.js';\n${bare}`;
}

/**
 * The README of the package: that of the repository, without what only a clone has, which follows the links by reader.
 */
export const packageReadme = (text) =>
  text
    .replace(/^> .*\n\n/m, '')
    .replace(
      /\nTo work on it: [^]*/,
      '\nMIT or Apache-2.0, at your option. THIRD-PARTY-NOTICES has the licences of the crates in the WebAssembly.\n',
    )
    .replaceAll(/\b(srcset|src)="(docs\/[\w-]+\.png)"/g, `$1="${SITE.raw}$2"`)
    .replaceAll(/\]\(docs\/([\w/-]+)\.md/g, `](${SITE.docs}$1.html`)
    .replaceAll('](SECURITY.md)', `](${SITE.blob}SECURITY.md)`);

/** The modules that a bundle of `file` consists of, and what it exports. */
async function traced(dir, file) {
  const result = await build({
    absWorkingDir: dir,
    entryPoints: [file],
    bundle: true,
    // The manifest's field `browser` is for others.
    platform: 'neutral',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'silent',
    outdir: 'out',
    external: ['*.wasm', '*.wasm?module'],
    plugins: [formOf(file)],
  });
  const [output] = Object.values(result.metafile.outputs);
  return { inputs: Object.keys(result.metafile.inputs), exports: [...output.exports].sort() };
}

/** The CommonJS twin of a file. */
async function commonJs({ text }, file) {
  const result = await transform(text, { format: 'cjs', platform: 'node', target: 'es2022', sourcefile: file });
  const twin = toCommonJsPaths(result.code);
  const left = twin.match(/\brequire\("\.[^"]*\.js"\)|\bimport\("\.[^"]*"\)/);
  if (left) throw new Error(`${file}: ${left[0]} would load a second instance in CommonJS`);
  return twin;
}

/** The entries of all hosts must offer the same. */
function sameExports(exportsByFile) {
  const [[first, wanted], ...others] = Object.entries(exportsByFile);
  for (const [file, found] of others) {
    const differing = [...wanted, ...found].filter((name) => wanted.includes(name) !== found.includes(name));
    if (differing.length > 0) throw new Error(`${file} and ${first} differ in ${differing.join(', ')}`);
  }
}

/** Assembles the package of this checkout from these parts, which are paths. */
export async function assemble({ wasm, light, machines, lab, version, out }) {
  const next = `${out}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(dirname(next), { recursive: true });
  cpSync(inRoot('pkg-template'), next, { recursive: true });
  const write = (file, text) => {
    mkdirSync(dirname(join(next, file)), { recursive: true });
    writeFileSync(join(next, file), text);
  };
  const read = (file) => readFileSync(join(next, file), 'utf8');

  cpSync(inRoot('src/js'), join(next, 'lib'), { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
  const coreBytes = readFileSync(wasm);
  write('core.wasm', coreBytes);
  write('lib/wasm/core-bytes.js', bytesModule(hexOf(coreBytes), 'core.wasm'));
  // The same as JavaScript lies next to it.
  write('lib/wasm/core-generated.js', readFileSync(wasm.replace(/\.wasm$/, '.js')));
  write('lib/lab/numbers.js', numbersModule());
  write('simulations.d.ts', withNumbers(read('simulations.d.ts')));
  write('lib/light/generated.js', readFileSync(light));
  write('lib/protection/generated.js', readFileSync(machines));
  const isMade = (entry) => lab !== undefined || entry !== 'lab';
  if (lab) {
    const labBytes = readFileSync(join(lab, 'lab.wasm'));
    write('lab.wasm', labBytes);
    write('lib/wasm/lab-bytes.js', bytesModule(textOf(labBytes), 'lab.wasm'));
    write('THIRD-PARTY-NOTICES', readFileSync(join(lab, 'THIRD-PARTY-NOTICES')));
    write('lib/wasm/lab-glue.js', await lazyGlue(readFileSync(join(lab, 'lab_bg.js'), 'utf8')));
  }
  write('README.md', packageReadme(readFileSync(inRoot('README.md'), 'utf8')));
  write('lib/otel/version.js', `export const VERSION = '${version}';\n`);
  for (const licence of ['LICENSE-MIT', 'LICENSE-APACHE']) write(licence, readFileSync(inRoot(licence)));

  const entryFiles = [];
  for (const [form, { entries }] of Object.entries(FORMS)) {
    for (const entry of entries.filter(isMade)) {
      const file = [entry, form, 'js'].filter(Boolean).join('.');
      const code = read(`lib/entries/${entry}.js`).replaceAll("'../", "'./lib/");
      // In their own text, so that each module can be a file.
      write(
        file,
        insteadIn(file).reduce((text, [of, by]) => text.replace(`${of}'`, `${by}'`), code),
      );
      entryFiles.push(file);
    }
  }
  // Only what an entry reaches is shipped.
  const reached = new Set();
  const offered = {};
  for (const entry of ENTRIES.filter(isMade)) {
    const exportsByFile = {};
    for (const file of entryFiles.filter((file) => file.startsWith(`${entry}.`))) {
      const { inputs, exports } = await traced(next, file);
      for (const input of inputs) reached.add(input);
      exportsByFile[file] = exports;
    }
    sameExports(exportsByFile);
    offered[entry] = exportsByFile[`${entry}.js`];
  }
  for (const file of readdirSync(join(next, 'lib'), { recursive: true })) {
    if (file.endsWith('.js') && !reached.has(`lib/${file}`)) rmSync(join(next, 'lib', file));
  }
  const modules = `${out}.modules`;
  rmSync(modules, { recursive: true, force: true });
  cpSync(next, modules, { recursive: true });

  const files = await bundle(next, Object.fromEntries(entryFiles.map((file) => [file, mainOf(file)])));
  rmSync(join(next, 'lib'), { recursive: true });
  // The bundle is readable but has no comments: its map leads stacks to the modules, which it holds. Other forms have
  // no map: with the modules they would add 40% to the tarball, and without them they lead nowhere.
  const writeMapped = (file, { text, map }) => {
    const isMapped = map && /^[\w-]+\.js$/.test(file);
    write(file, isMapped ? `${text}//# sourceMappingURL=${file}.map\n` : text);
    if (isMapped) write(`${file}.map`, map);
  };
  for (const [file, made] of files) writeMapped(file, made);

  // CommonJS file by file: subpaths share one instance there too.
  const portable = new Set(entryFiles.filter((file) => !/\.(workerd|edge-light)\./.test(file)));
  for (const file of portable) for (const imported of files.get(file).imports) portable.add(imported);
  for (const file of portable) {
    write(file.replace(/\.js$/, '.cjs'), await commonJs(files.get(file), file));
  }
  const require = createRequire(join(next, 'package.json'));
  for (const file of entryFiles.filter((file) => portable.has(file))) {
    // Loaded once: what is fine as ESM may not be as CommonJS.
    const twin = file.replace(/\.js$/, '.cjs');
    const found = Object.keys(require(`./${twin}`)).filter((name) => !name.startsWith(INTERNAL));
    sameExports({ [file]: offered[file.replace(/\..*$/, '')], [twin]: found });
  }
  // Also those that an entry's declarations are divided into.
  for (const file of readdirSync(next).filter((file) => /^[^.]+\.d\.ts$/.test(file))) {
    write(file.replace(/ts$/, 'cts'), toCommonJsPaths(read(file)));
  }

  // The text as it is written, line by line: people read it too.
  const manifest = read('package.json').replace('"name": "rejitter",\n', `$&  "version": "${version}",\n`);
  write('package.json', manifest);
  cpSync(join(next, 'package.json'), join(modules, 'package.json'));

  // In one move: readers of the package never see half of it.
  rmSync(out, { recursive: true, force: true });
  renameSync(next, out);
}
