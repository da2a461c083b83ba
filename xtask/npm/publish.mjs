// What the assembly of both packages has in common: a folder that is written aside, twins for CommonJS, the manifest.

import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';

import { inRoot } from '../run/places.mjs';
import { withoutComments } from './bundle.mjs';

const SITE = {
  docs: 'https://rejitter.github.io/rejitter/docs/',
  raw: 'https://raw.githubusercontent.com/rejitter/rejitter/main/',
  blob: 'https://github.com/rejitter/rejitter/blob/main/',
};

/** Specifiers of modules of the package itself, in CommonJS written by esbuild or in declarations. */
const OWN_MODULE = /((?:require|import)\(\s*|from\s+|import\s+)(['"])(\.{1,2}\/[^'"]+)\.js\2/g;

const toCommonJsPaths = (code) =>
  code.replace(OWN_MODULE, (_, before, quote, path) => `${before}${quote}${path}.cjs${quote}`);

/** A package in the making. It takes its place in one move, so that nobody sees half of it. */
export class Draft {
  /** @param {string} out the folder of the package */
  constructor(out) {
    this.out = out;
    this.dir = `${out}.next`;
    rmSync(this.dir, { recursive: true, force: true });
    mkdirSync(this.dir, { recursive: true });
  }

  path(...names) {
    return join(this.dir, ...names);
  }

  write(file, content) {
    mkdirSync(dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), content);
  }

  read(file) {
    return readFileSync(this.path(file), 'utf8');
  }

  /** Writes the licences, the README, and the manifest with its version, after the name, and its exports. */
  writeAbout({ manifest, readme, version, exports }) {
    for (const licence of ['LICENSE-MIT', 'LICENSE-APACHE']) this.write(licence, readFileSync(inRoot(licence)));
    this.write('README.md', readme);
    const { name, ...rest } = JSON.parse(manifest);
    this.write('package.json', `${JSON.stringify({ name, version, ...rest, exports }, null, 2)}\n`);
  }

  /** Writes the twins of all declarations at the top, also of those that an entry's are divided into. */
  writeDeclarationTwins() {
    for (const file of readdirSync(this.dir).filter((name) => /^[^.]+\.d\.ts$/.test(name)))
      this.write(file.replace(/ts$/, 'cts'), toCommonJsPaths(this.read(file)));
  }

  publish() {
    rmSync(this.out, { recursive: true, force: true });
    renameSync(this.dir, this.out);
  }
}

/** The CommonJS twin of a file. */
export async function commonJs(text, file) {
  const result = await transform(text, { format: 'cjs', platform: 'node', target: 'es2022', sourcefile: file });
  const twin = toCommonJsPaths(result.code);
  const left = twin.match(/\brequire\("\.[^"]*\.js"\)|\bimport\("\.[^"]*"\)/);
  if (left) throw new Error(`${file}: ${left[0]} would load a second instance in CommonJS`);
  return withoutComments(twin);
}

/** All forms of an entry must offer the same. */
export function sameExports(exportsByFile) {
  const [[first, wanted], ...others] = Object.entries(exportsByFile);
  for (const [file, found] of others) {
    const differing = [...wanted, ...found].filter((name) => wanted.includes(name) !== found.includes(name));
    if (differing.length > 0) throw new Error(`${file} and ${first} differ in ${differing.join(', ')}`);
  }
}

/** A README as the registry shows it: links lead to the site. */
export const withLinks = (text) =>
  text
    .replaceAll(/\b(srcset|src)="(docs\/[\w-]+\.png)"/g, `$1="${SITE.raw}$2"`)
    .replaceAll(/\]\((?:\.\.\/)?docs\/([\w/-]+)\.md/g, `](${SITE.docs}$1.html`)
    .replaceAll(/\]\((?:\.\.\/)?SECURITY\.md\)/g, `](${SITE.blob}SECURITY.md)`);
