// Puts the npm package `rejitter-lab` together: the declarations and the modules of lab/, bundled in a form per host
// with copies of what they use of src/js, the wasm file, and the CommonJS twin. Policies are those of its peer
// `rejitter`.
//
// The folder `bound` holds lab.wasm, its glue, lab_bg.js, as wasm-bindgen writes it for bundlers, and the licences of
// its crates.

import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';

import { inRoot } from '../run/places.mjs';
import { LAB } from './artefacts.mjs';
import { withoutComments } from './bundle.mjs';
import { Draft, sameExports, withLinks } from './publish.mjs';
import { numbersModule, withNumbers } from './simulations.mjs';
import { textOf } from './wasm-text.mjs';

/**
 * wasm-bindgen's glue without what it does at import: it makes a TextDecoder there, which some hosts do not have.
 */
async function lazyGlue(code) {
  const lazy = code
    .replaceAll(/new TextDecoder\([^)]*\)/g, 'new LazyDecoder()')
    .replaceAll('new TextEncoder()', 'new LazyEncoder()');
  if (lazy === code || /new Text(De|En)coder/.test(lazy)) {
    throw new Error('the glue of wasm-bindgen makes its text coders in another way than this script knows');
  }
  const { code: bare } = await transform(lazy, { format: 'esm', target: 'es2022' });
  return `import { LazyDecoder, LazyEncoder } from './text.js';\n${bare}`;
}

/** Bundles the package in the form of a file. Returns its text and what it exports. */
async function bundled(draft, file, loader) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: draft.dir,
    entryPoints: ['lib/lab/js/index.js'],
    bundle: true,
    platform: 'neutral',
    format: file.endsWith('.cjs') ? 'cjs' : 'esm',
    target: 'es2022',
    external: ['rejitter', 'node:fs', './lab.wasm', './lab.wasm?module'],
    outdir: '.',
    metafile: true,
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'what compiles the wasm',
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/wasm\/inline\.js$/ }, () => ({ path: draft.path(`lib/lab/js/wasm/${loader}.js`) })),
      },
    ],
  });
  const [{ exports }] = Object.values(metafile.outputs);
  return { text: withoutComments(outputFiles[0].text), exports };
}

/** Assembles the package of this checkout. */
export async function assembleLab({ bound, version, out }) {
  const draft = new Draft(out);
  cpSync(inRoot('lab/package'), draft.dir, { recursive: true });
  draft.write('simulations.d.ts', withNumbers(draft.read('simulations.d.ts')));
  draft.writeDeclarationTwins();
  const manifest = draft.read('package.json').replace('"rejitter": "*"', `"rejitter": "^${version}"`);
  const readme = withLinks(readFileSync(inRoot('lab/README.md'), 'utf8'));
  draft.writeAbout({ manifest, readme, version, exports: LAB.exports });
  draft.write('THIRD-PARTY-NOTICES', readFileSync(join(bound, 'THIRD-PARTY-NOTICES')));

  for (const folder of ['lab/js', 'src/js']) cpSync(inRoot(folder), draft.path('lib', folder), { recursive: true });
  const bytes = readFileSync(join(bound, 'lab.wasm'));
  draft.write('lab.wasm', bytes);
  draft.write('lib/lab/js/wasm/bytes.js', `export default '${textOf(bytes)}';\n`);
  draft.write('lib/lab/js/wasm/glue.js', await lazyGlue(readFileSync(join(bound, 'lab_bg.js'), 'utf8')));
  draft.write('lib/lab/js/numbers.js', numbersModule());
  const exportsByFile = {};
  for (const [file, loader] of Object.entries(LAB.forms)) {
    const { text, exports } = await bundled(draft, file, loader);
    draft.write(file, text);
    if (!file.endsWith('.cjs')) exportsByFile[file] = exports;
  }
  sameExports(exportsByFile);
  rmSync(draft.path('lib'), { recursive: true });
  draft.publish();
}
