// Packs the assembled package and says what it weighs.
//
//   node pack.mjs --package target/pkg --out target/pkg-tarball [--list]

import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** An entry as a bundler puts it into an app: minified, alone. */
async function bundled(dir, entry) {
  const result = await build({
    entryPoints: [join(dir, entry)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return result.outputFiles[0].contents;
}

export function sizes(code) {
  const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  return {
    raw: code.length,
    gzip: gzipSync(code, { level: 9 }).length,
    brotli: brotliCompressSync(code, { params: quality }).length,
  };
}

export function table(files) {
  const width = Math.max(...files.map(({ size }) => String(size).length));
  return files.map(({ path, size }) => `  ${String(size).padStart(width)}  ${path}\n`).join('');
}

/** Packs a folder into `out`, and returns what npm says about the tarball. */
export function pack(folder, out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  // npm's warnings are left out of the report; when it fails they are in the error.
  const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  // An array, or (npm 12) an object by name.
  const [packed] = Object.values(JSON.parse(printed));
  // One name for all versions: who uses the tarball need not know the version.
  renameSync(join(out, packed.filename), join(out, 'rejitter.tgz'));
  return packed;
}

async function main() {
  const { values } = parseArgs({
    options: { package: { type: 'string' }, out: { type: 'string' }, list: { type: 'boolean' } },
  });
  const packed = pack(values.package, values.out);
  if (values.list) process.stdout.write(table(packed.files));
  process.stdout.write(`  tarball ${packed.size} bytes, unpacked ${packed.unpackedSize}\n`);
  for (const [name, entry] of [
    ['main entry', 'index.js'],
    ['with fetch', 'fetch.js'],
    ['with protection', 'protection.js'],
    ['with the lab', 'lab.js'],
  ]) {
    const { raw, gzip, brotli } = sizes(await bundled(values.package, entry));
    process.stdout.write(`  ${name} in an app, minified: ${raw} bytes, gzip ${gzip}, brotli ${brotli}\n`);
  }
}

if (import.meta.url === pathToFileURL(argv[1]).href) await main();
