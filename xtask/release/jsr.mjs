// The package as JSR takes it: the modules of the npm package for all hosts, each with its declarations named.
//
//   node xtask/release/jsr.mjs

import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { inTarget, pkg } from '../run/places.mjs';

export const FOLDER = inTarget('jsr');

/** Fills the folder from the assembled npm package. */
function assembleJsr() {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const file of ['LICENSE-APACHE', 'LICENSE-MIT', 'README.md']) cpSync(join(pkg, file), join(FOLDER, file));
  for (const declarations of readdirSync(pkg).filter((name) => name.endsWith('.d.ts'))) {
    // JSR rejects what changes the globals of its users; those who check types by Deno have the libraries.
    const types = readFileSync(join(pkg, declarations), 'utf8').replaceAll(/^\/\/\/ <reference lib=.*\n+/gm, '');
    writeFileSync(join(FOLDER, declarations), types);
    const module = declarations.replace('.d.ts', '.js');
    // Declarations are divided into more files than modules; JSR looks for a module of each.
    const code = existsSync(join(pkg, module)) ? readFileSync(join(pkg, module), 'utf8') : 'export {};\n';
    writeFileSync(join(FOLDER, module), `/* @ts-self-types="./${declarations}" */\n${code}`);
  }
  const { version, license, exports } = JSON.parse(readFileSync(join(pkg, 'package.json'), 'utf8'));
  const modules = Object.entries(exports).filter(([, conditions]) => typeof conditions === 'object');
  const manifest = {
    ...{ name: '@rejitter/rejitter', version, license },
    exports: Object.fromEntries(modules.map(([path, { types }]) => [path, types.default.replace('.d.ts', '.js')])),
  };
  writeFileSync(join(FOLDER, 'jsr.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (process.argv[1] === import.meta.filename) assembleJsr();
