// One file per entry point instead of one per module: Node resolves, reads and compiles each file when the package
// is imported, and that was most of the time of a first call. The main entry point is whole in one file. What the
// others share with it, they import from it, by a list: so the package keeps one instance, with one set of marks and
// one report per error. A file for what is shared would be one more to load at each import; an object of it would add
// 0.7 kB to an app with fetch, since bundlers keep objects whole.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'acorn';
import { build } from 'esbuild';

import { insteadIn } from './artefacts.mjs';

/** Replaces the modules that the form of an entry point has in another form. */
export const formOf = (entry) => ({
  name: 'modules of a form',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const module = join(resolveDir, path).replaceAll('\\', '/');
      const [of, by] = insteadIn(entry).find(([of]) => module.endsWith(of)) ?? [];
      return of && by ? { path: module.replace(of, by) } : undefined;
    });
  },
});

/**
 * Bundles entry points of a package in which every module is a file.
 * @param {string} dir
 * @param {Record<string, string | undefined>} entries names of files in `dir`, each with the main entry point that it
 *   shares an instance with
 * @param {(main: string) => string} sharedOf returns the module that exports what a main entry point shares
 * @returns {Promise<Map<string, string>>} their texts by name
 */
export async function bundle(dir, entries, sharedOf) {
  const all = Object.keys(entries);
  const files = new Map();
  for (const main of new Set(Object.values(entries).filter((main) => main !== undefined))) {
    const shared = sharedOf(main);
    const contents = `${readFileSync(join(dir, main), 'utf8')}${shared}`;
    const whole = await built(dir, main, entries, [], { contents, resolveDir: dir, sourcefile: main });
    files.set(main, textOf(whole.text));
    const others = all.filter((entry) => entries[entry] === main);
    for (const other of others) {
      const { text, inputs } = await built(dir, other, entries, [sharing(dir, main, shared)]);
      const copied = inputs.find((input) => whole.inputs.includes(input));
      if (copied) throw new Error(`${other} would have a copy of ${copied}: list what it imports of that as shared`);
      files.set(other, textOf(joined(text, main)));
    }
    const isUsed = ({ exported }) => others.some((other) => has(files.get(other), exported.name));
    const unused = exportsOf(shared).flatMap(({ names }) => names.filter((name) => !isUsed(name)));
    if (unused.length > 0) throw new Error(`nothing shares ${unused.map(({ local }) => local.name).join(', ')}`);
  }
  for (const entry of all) if (!files.has(entry)) files.set(entry, textOf((await built(dir, entry, entries, [])).text));
  return files;
}

/** Whether a text has a name, and not only longer ones. @param {string} text @param {string} name */
const has = (text, name) => RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text);

/** Joins the imports from the main entry point, without what only unused code has imported. */
function joined(text, main) {
  const names = [];
  const rest = text.replaceAll(/^import \{ (.*) \} from "\.\/([\w.]+)";\n/gm, (statement, list, from) => {
    if (from !== main) return statement;
    names.push(...list.split(', '));
    return '';
  });
  const used = names.filter((name) => has(rest, name.split(' as ').at(-1)));
  return `import { ${used.join(', ')} } from "./${main}";\n${rest}`;
}

/** The statements of a module of exports: from where, and the names there and here. */
const exportsOf = (text) =>
  parse(text, { ecmaVersion: 'latest', sourceType: 'module' }).body.map(
    (/** @type {any} */ { source, specifiers }) => ({ from: source.value, names: specifiers }),
  );

/**
 * Bundles one entry point. Everything of the package is in the file, except other entry points.
 * @param {import('esbuild').StdinOptions} [stdin] another text of the entry point
 */
async function built(dir, entry, entries, plugins, stdin) {
  const apart = {
    name: 'other entry points',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/[^/]+$/ }, ({ path, kind, resolveDir }) =>
        kind !== 'entry-point' && resolveDir === dir && basename(path) in entries
          ? { path, external: true }
          : undefined,
      );
    },
  };
  const { outputFiles, metafile } = await build({
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    outdir: '.',
    allowOverwrite: true,
    metafile: true,
    write: false,
    logLevel: 'silent',
    absWorkingDir: dir,
    ...(stdin ? { stdin } : { entryPoints: [entry] }),
    plugins: [...plugins, formOf(entry), apart],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return { text: outputFiles[0].text, inputs: Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0) };
}

/** Has another entry point import from the main one what that shares, by the names of the list. */
function sharing(dir, main, shared) {
  const texts = Object.fromEntries(
    exportsOf(shared).map(({ from, names }) => {
      const list = names.map(({ local, exported }) => `${exported.name} as ${local.name}`);
      return [join(dir, from), `export { ${list.join(', ')} } from './${main}';`];
    }),
  );
  return {
    name: 'shared modules',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
        const module = join(resolveDir, path);
        return module in texts ? { path: module, namespace: 'shared', sideEffects: false } : undefined;
      });
      onLoad({ filter: /./, namespace: 'shared' }, ({ path }) => ({ contents: texts[path], resolveDir: dir }));
    },
  };
}

/**
 * Makes constants of what esbuild writes as variables, so that an app that is minified has the values in their place.
 * They come first, since esbuild looks for constants only up to the first other statement.
 */
function withConstants(text) {
  const constants = [];
  const others = text.replace(/^var ([A-Z][A-Z0-9_]* = (?:-?\d[\d.e+* -]*|"[^"\\]*");)\n/gm, (_, constant) => {
    constants.push(`const ${constant}\n`);
    return '';
  });
  return constants.join('') + others;
}

/** The text of a file as it is published. @param {string} text of one entry point */
function textOf(text) {
  // Engines keep a file with any other character as two bytes per character.
  const other = /[^\0-\x7f]/.exec(text);
  if (other) throw new Error(`the bundle has ${JSON.stringify(other[0])}; write it in ASCII`);
  return withoutComments(withConstants(text));
}

/**
 * Returns code without its comments, but for those by which bundlers drop what an app does not use. They explain the
 * sources; who reads the package has the declarations.
 * @param {string} code
 */
export function withoutComments(code) {
  /** @type {import('acorn').Comment[]} */
  const comments = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onComment: comments });
  let text = '';
  let end = 0;
  for (const { start, end: next, value } of comments) {
    if (value.includes('__PURE__')) continue;
    // With the line, if nothing else is in it.
    const before = code.slice(end, start);
    const isLine = /(?:^|\n)[ \t]*$/.test(before) && code[next] === '\n';
    text += isLine ? before.replace(/[ \t]*$/, '') : before;
    end = isLine ? next + 1 : next;
  }
  return text + code.slice(end);
}
