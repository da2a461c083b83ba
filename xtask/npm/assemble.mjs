// Puts the npm package `rejitter` together: pkg-template/, the README, the entries of src/js/entries in a form per
// host, bundled with the modules that they reach, the CommonJS twins, the manifest. Next to it, in OUT.modules, the
// same with every module as a file: for tests that change one.

import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

import { inRoot } from '../run/places.mjs';
import { ENTRIES, EXPORTS, FORMS, mainOf, sharedOf } from './artefacts.mjs';
import { bundle, formOf } from './bundle.mjs';
import { eager } from './eager.mjs';
import { Draft, commonJs, sameExports, withLinks } from './publish.mjs';

/** The entry points of operations in Node, where import is by file and at once. */
const AT_ONCE = ['index.node.js', 'light.node.js'];

/** The README of the package: that of the repository, without what only a clone has. */
const packageReadme = (text) =>
  withLinks(
    text.replace(/^> .*\n\n/m, '').replace(/\n\[To work on it\][^]*/, '\nMIT or Apache-2.0, at your option.\n'),
  );

/** The modules that a bundle of `file` consists of, and what it exports. */
async function traced(dir, file) {
  const result = await build({
    absWorkingDir: dir,
    entryPoints: [file],
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    metafile: true,
    write: false,
    logLevel: 'silent',
    outdir: 'out',
    plugins: [formOf(file)],
  });
  const [output] = Object.values(result.metafile.outputs);
  return { inputs: Object.keys(result.metafile.inputs), exports: [...output.exports].sort() };
}

/** The text of a module of src/js/entries in the package's own folder. @param {string} code */
const atTop = (code) => code.replaceAll("'../", "'./lib/");

/** Writes the entries in all forms, in their own text, so that each module can be a file. Returns the files' names. */
function writeEntries(draft) {
  const files = [];
  for (const [form, { entries }] of Object.entries(FORMS)) {
    for (const entry of entries) {
      const file = [entry, form, 'js'].filter(Boolean).join('.');
      const code = atTop(draft.read(`lib/entries/${entry}.js`));
      draft.write(file, form === '' ? code : code.replace("'./index.js'", `'./index.${form}.js'`));
      files.push(file);
    }
  }
  return files;
}

/** Deletes the modules that no entry reaches. Returns what each entry exports, the same in all its forms. */
async function keepReached(draft, files) {
  const reached = new Set();
  const offered = {};
  for (const entry of ENTRIES) {
    const exportsByFile = {};
    for (const file of files.filter((file) => file.startsWith(`${entry}.`))) {
      const { inputs, exports } = await traced(draft.dir, file);
      for (const input of inputs) reached.add(input);
      exportsByFile[file] = exports;
    }
    sameExports(exportsByFile);
    offered[entry] = exportsByFile[`${entry}.js`];
  }
  for (const file of readdirSync(draft.path('lib'), { recursive: true })) {
    if (file.endsWith('.js') && !reached.has(`lib/${file}`)) rmSync(draft.path('lib', file));
  }
  return offered;
}

/** Writes the CommonJS twins, file by file: subpaths share one instance there too. */
async function writeTwins(draft, files, offered) {
  for (const entry of ENTRIES) draft.write(`${entry}.cjs`, await commonJs(files.get(`${entry}.js`), entry));
  const require = createRequire(draft.path('package.json'));
  for (const entry of ENTRIES) {
    // Loaded once: what is fine as ESM may not be as CommonJS.
    const found = Object.keys(require(`./${entry}.cjs`)).filter((name) => !name.startsWith('_'));
    sameExports({ [`${entry}.js`]: offered[entry], [`${entry}.cjs`]: found });
  }
}

/** Assembles the package of this checkout from these parts, which are paths. */
export async function assemble({ wasm, light, machines, version, out }) {
  const draft = new Draft(out);
  cpSync(inRoot('pkg-template'), draft.dir, { recursive: true });
  cpSync(inRoot('src/js'), draft.path('lib'), { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
  draft.write('lib/wasm/core-bytes.js', `export default '${readFileSync(wasm, 'base64')}';\n`);
  // The same as JavaScript lies next to it.
  draft.write('lib/wasm/core-generated.js', readFileSync(wasm.replace(/\.wasm$/, '.js')));
  draft.write('lib/light/generated.js', readFileSync(light));
  draft.write('lib/protection/generated.js', readFileSync(machines));
  draft.write('lib/otel/version.js', `export const VERSION = '${version}';\n`);
  const readme = packageReadme(readFileSync(inRoot('README.md'), 'utf8'));
  draft.writeAbout({ manifest: draft.read('package.json'), readme, version, exports: EXPORTS });
  draft.writeDeclarationTwins();

  const entries = writeEntries(draft);
  const offered = await keepReached(draft, entries);
  const modules = `${out}.modules`;
  rmSync(modules, { recursive: true, force: true });
  cpSync(draft.dir, modules, { recursive: true });
  // There, each module has one form.
  writeFileSync(join(modules, 'lib/wasm/core.js'), "export { load } from './core-inline.js';\n");

  const mains = Object.fromEntries(entries.map((file) => [file, mainOf(file)]));
  const files = await bundle(draft.dir, mains, (main) =>
    atTop(readFileSync(inRoot('src/js/entries', sharedOf(main)), 'utf8')),
  );
  rmSync(draft.path('lib'), { recursive: true });
  for (const file of AT_ONCE) files.set(file, eager(files.get(file)));
  for (const [file, text] of files) draft.write(file, text);
  await writeTwins(draft, files, offered);
  draft.publish();
}
