// The files of a release, in one folder: both npm packages, both crates, checksums, a bill of materials and the notes.

import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { linkedCrates } from '../npm/notices.mjs';
import { inRoot, inTarget } from '../run/places.mjs';

export const FOLDER = inTarget('release-files');
/** Cargo's own is `MIT/Apache-2.0` in old crates. */
const licence = (text) => [{ expression: text.replaceAll('/', ' OR ') }];

/** The bill of materials, as CycloneDX: what is published, and the crates by others that are compiled into it. */
function billOf(files, version) {
  const published = files.map(({ name, kind, bytes }) => {
    const purl = `pkg:${kind}/${name}@${version}`;
    const hashes = [{ alg: 'SHA-512', content: createHash('sha512').update(bytes).digest('hex') }];
    return { type: 'library', 'bom-ref': purl, name, version, hashes, licenses: licence('MIT OR Apache-2.0'), purl };
  });
  const inside = linkedCrates().map((crate) => {
    const purl = `pkg:cargo/${crate.name}@${crate.version}`;
    const { name, version, license } = crate;
    return { type: 'library', 'bom-ref': purl, name, version, licenses: licence(license), purl };
  });
  // The wasm file of rejitter-lab has them. The package rejitter consists of our own code, and a crate of its sources.
  const within = { [`pkg:npm/rejitter-lab@${version}`]: inside.map(({ purl }) => purl) };
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: { component: { type: 'application', 'bom-ref': 'release', name: 'rejitter', version } },
    components: [...published, ...inside],
    dependencies: published.map(({ purl }) => ({ ref: purl, dependsOn: within[purl] ?? [] })),
  };
}

/** The part of the changelog about a version. */
function notesOf(changelog, version) {
  const part = changelog.split(/^(?=## \[)/m).find((text) => text.startsWith(`## [${version}]`));
  if (part === undefined) throw new Error(`CHANGELOG.md must have a part about ${version}`);
  return part.replace(/^.*\n+/, '');
}

/**
 * Fills the folder.
 * @param {string} version
 * @param {{ npm: string[], cargo: string[] }} packed the paths of packages, by kind
 */
export function collect(version, packed) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const files = Object.entries(packed).flatMap(([kind, paths]) =>
    paths.map((path) => {
      copyFileSync(path, join(FOLDER, basename(path)));
      return { kind, name: basename(path).replace(/(-\d[^/]*)?\.(tgz|crate)$/, ''), bytes: readFileSync(path) };
    }),
  );
  writeFileSync(join(FOLDER, 'VERSION'), `${version}\n`);
  writeFileSync(join(FOLDER, 'NOTES.md'), notesOf(readFileSync(inRoot('CHANGELOG.md'), 'utf8'), version));
  writeFileSync(join(FOLDER, 'rejitter.cdx.json'), `${JSON.stringify(billOf(files, version), null, 2)}\n`);
  const sums = readdirSync(FOLDER).map((name) => {
    const sum = createHash('sha256').update(readFileSync(join(FOLDER, name)));
    return `${sum.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));
}
