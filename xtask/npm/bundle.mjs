// One file per entry point instead of one per module: Node resolves, reads and compiles each file when the package
// is imported, and that was most of the time of a first call. The main entry point is whole in one file. What the
// others share with it, they import from it, so that the package keeps one instance: one set of brands, one report
// per error.

import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
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
 * Precedes the names under which the main entry point exports what only the others use. No declaration has them. A file
 * for what is shared would be one more to load at each import; an object of it would add 0.7 kB to an app with fetch,
 * since bundlers keep objects whole.
 */
export const INTERNAL = '_';

/** Stands in the first pass for the path of a module that an entry point shares with the main one. */
const SHARED = 'shared:';

/**
 * @param {string} dir a package in which every module is a file
 * @param {Record<string, string | undefined>} entries names of files in `dir`, each with the main entry point that it
 *   shares an instance with
 * @returns {Promise<Map<string, string>>} their texts by name
 */
export async function bundle(dir, entries) {
  const all = Object.keys(entries);
  const mains = new Set(Object.values(entries).filter((main) => main !== undefined));
  const files = new Map();
  for (const main of mains) {
    const { metafile } = await built(dir, main, entries, []);
    const own = new Set(Object.keys(metafile.inputs).filter((input) => input.startsWith('lib/')));
    const others = all.filter((entry) => entries[entry] === main);
    /** The modules that the others import from, by name. */
    const origins = new Map();
    const outside = sharing(dir, own, (module) => ({ path: SHARED + module, external: true, sideEffects: false }));
    /** the names that each of them uses */
    const used = {};
    for (const other of others) {
      used[other] = new Set();
      for (const [name, module] of sharedBy(await built(dir, other, entries, [outside]), other)) {
        if ((origins.get(name) ?? module) !== module) throw new Error(`two modules of ${main} export ${name}`);
        origins.set(name, module);
        used[other].add(name);
      }
    }
    const exported = [...origins]
      .sort()
      .map(([name, module]) => `export { ${name} as ${INTERNAL}${name} } from './${module}';`);
    const contents = [readFileSync(join(dir, main), 'utf8'), ...exported].join('\n');
    files.set(main, textOf(await built(dir, main, entries, [], { contents, resolveDir: dir, sourcefile: main })));
    for (const other of others) {
      // Also what only unused code imports: esbuild looks for it, and keeps it in the list of imports.
      const whole = await built(dir, other, entries, [outside], undefined, false);
      const list = [...new Set(sharedBy(whole, other).map(([name]) => name))].sort();
      const imported = list.map((name) => `${INTERNAL}${name} as ${name}`).join(', ');
      const contents = `import { ${imported} } from './${main}';\nexport { ${list.join(', ')} };\n`;
      const one = sharing(dir, own, () => ({ path: main, namespace: 'shared' }), contents);
      const made = await built(dir, other, entries, [one]);
      const text = made.text.replaceAll(
        new RegExp(`(?<=^import \\{.*) ${INTERNAL}(\\w+) as \\w+,?`, 'gm'),
        (each, name) => (used[other].has(name) ? each : ''),
      );
      files.set(other, textOf({ text: text.replaceAll(/,(?= \} from)/g, '') }));
    }
  }
  for (const entry of all) {
    if (!files.has(entry)) files.set(entry, textOf(await built(dir, entry, entries, [])));
  }
  return files;
}

/** The names that a bundle imports from shared modules, each with its module. */
function sharedBy({ text }, entry) {
  if (/^import [^{"].* from "shared:/m.test(text)) throw new Error(`${entry} imports a default from another entry`);
  return [...text.matchAll(/^import \{([^}]*)\} from "shared:(.*)";$/gm)].flatMap(([, list, module]) =>
    list.split(',').map((each) => [each.trim().split(' ')[0], module]),
  );
}

/**
 * Bundles one entry point. Everything of the package is in the file, except other entry points.
 * @param {import('esbuild').StdinOptions} [stdin] another text of the entry point
 */
async function built(dir, entry, entries, plugins, stdin, treeShaking) {
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
    treeShaking,
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
  return { text: outputFiles[0].text, metafile };
}

/**
 * Replaces the modules of the main entry point in another one.
 * @param {Set<string>} modules their paths in `dir`
 * @param {string} [contents] of the module that replaces them
 */
function sharing(dir, modules, replace, contents) {
  return {
    name: 'shared modules',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, kind, resolveDir }) => {
        const module = relative(dir, join(resolveDir, path)).replaceAll('\\', '/');
        return kind === 'import-statement' && modules.has(module) ? replace(module) : undefined;
      });
      onLoad({ filter: /./, namespace: 'shared' }, () => ({ contents, resolveDir: dir }));
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

/** The text of a file as it is published. @param {{ text: string }} output of one entry point */
function textOf({ text }) {
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
