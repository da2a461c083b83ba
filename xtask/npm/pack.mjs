// Packs an assembled package. What it adds to an app is in the budgets of tests/package and in `cargo xtask bench`.
//
//   node pack.mjs --package target/pkg --out target/pkg-tarball

import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

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
  renameSync(join(out, packed.filename), join(out, `${packed.name}.tgz`));
  return packed;
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { package: { type: 'string' }, out: { type: 'string' } },
  });
  const { size, unpackedSize } = pack(values.package, values.out);
  console.log(`tarball ${size} bytes, unpacked ${unpackedSize}`);
}
