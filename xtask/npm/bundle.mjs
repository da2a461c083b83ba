// Few files instead of many: Node resolves, reads and compiles each of them when the package is imported,
// and that was most of the time of a first call. What several entries use is in a file of its own, so that
// they still share one instance. Generated modules stay as they are: long texts, which few of the entries use.

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

/** A file of several modules is named after the one that it is about; of others, after the last. */
const SUBJECTS = { 'lib/index.js': 'driver', 'lib/fetch/index.js': 'fetch', 'lib/lab/index.js': 'lab' };

const GENERATED = /\/lab-(glue|bytes)\.js$/;

/**
 * @param {string} dir a package in which every module is a file
 * @param {string[]} entries names of files in `dir`
 * @param {(entry: string) => string[]} companions what else an entry loads, so that modules which entries
 *   need in part are one file for all of them
 * @returns {Promise<Map<string, { text: string, imports: string[] }>>} by its name each file of the bundled
 *   package, with the names of those that it imports
 */
export async function bundle(dir, entries, companions = () => []) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: dir,
    entryPoints: entries,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    external: ['*.wasm', '*.wasm?module'],
    plugins: [
      {
        name: 'files of their own',
        setup({ onLoad, onResolve }) {
          onLoad({ filter: /\.js$/ }, ({ path }) => {
            if (dirname(path) !== dir) return undefined;
            const loaded = companions(basename(path)).map((module) => `\nimport '${module}';`);
            return { contents: `${readFileSync(path, 'utf8')}${loaded.join('')}` };
          });
          // The package says that none of its modules has side effects; esbuild would leave companions out.
          onResolve({ filter: /^\.\/lib\// }, ({ path, resolveDir, kind }) =>
            kind === 'import-statement' && !GENERATED.test(path)
              ? { path: join(resolveDir, path), sideEffects: true }
              : undefined,
          );
          onResolve({ filter: GENERATED }, ({ path }) => ({ path: `./${basename(path)}`, external: true }));
          // An entry imports another one, so that wasm files are imported beside them and nowhere else.
          onResolve({ filter: /^\.\/[^/]+$/ }, ({ path, kind, resolveDir }) =>
            kind !== 'entry-point' && resolveDir === dir && entries.includes(basename(path))
              ? { path, external: true }
              : undefined,
          );
        },
      },
    ],
    outdir: 'out',
    chunkNames: 'lib/[hash]',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });

  /** @type {Map<string, string>} what esbuild calls a shared file, and what we do */
  const names = new Map();
  for (const [path, { inputs, entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint) continue;
    const modules = Object.keys(inputs);
    const name = SUBJECTS[modules.find((module) => module in SUBJECTS)] ?? basename(modules.at(-1) ?? '', '.js');
    if (name === '' || [...names.values()].includes(name))
      throw new Error(`the shared file of ${modules.join(', ')} has no name of its own`);
    names.set(basename(path, '.js'), name);
  }
  const named = (text) => [...names].reduce((renamed, [hash, name]) => renamed.replaceAll(hash, name), text);
  // Imports for the order of side effects: there are none, and bundlers would warn of them.
  const needed = (text) => named(text).replaceAll(/^import "\.[^"]*";\n/gm, '');

  const files = new Map();
  for (const { path, text } of outputFiles) {
    const output = Object.keys(metafile.outputs).find((name) => path.endsWith(`/${name}`));
    const file = named(output.slice('out/'.length));
    // Generated modules are beside the shared files; the entries are one folder above.
    const code = file.startsWith('lib/')
      ? needed(text)
      : needed(text).replaceAll(/"\.\/(lab-(?:glue|bytes)\.js)"/g, '"./lib/$1"');
    const imports = metafile.outputs[output].imports.flatMap(({ path: to, external }) =>
      external ? asItIs(to, entries) : [named(to.slice('out/'.length))],
    );
    files.set(file, { text: code, imports });
  }
  const asTheyAre = [...files.values()].flatMap(({ imports }) => imports).filter((file) => !files.has(file));
  for (const file of asTheyAre) {
    const text = readFileSync(join(dir, file), 'utf8');
    const imports = [...text.matchAll(/ from '\.\/([\w-]+\.js)'/g)].map(([, name]) => `lib/${name}`);
    files.set(file, { text, imports });
    asTheyAre.push(...imports.filter((name) => !files.has(name)));
  }
  return files;
}

/**
 * @param {string} path of what is not bundled: a generated module, another entry, or a wasm file
 * @param {string[]} entries
 */
function asItIs(path, entries) {
  if (GENERATED.test(path)) return [join('lib', basename(path))];
  return entries.filter((entry) => path === `./${entry}`);
}
