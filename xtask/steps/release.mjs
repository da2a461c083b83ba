// `cargo xtask release`: builds what a release publishes, twice, and publishes none of it, or on the loopback alone.

import { command, sh } from '../run/command.mjs';
import { fromRoot, inRoot, inTarget, labPkg, labTarball, pkg, tarball } from '../run/places.mjs';
import { CRATES, ofBoth } from './crate.mjs';
import { nodeTests } from './node-tests.mjs';
import { PACK, PACK_LAB, script, version } from './package.mjs';
import { NODE, NPM_OF_RELEASE } from './setup.mjs';

const same = (one, other) =>
  command(['cmp', one, other], { remedy: 'a build must not depend on the time or on the folder' });

/** The npm packages: the folder and the tarball of each. */
const PACKAGES = { rejitter: [pkg, tarball], 'rejitter-lab': [labPkg, labTarball] };
const BOTH = [PACK, PACK_LAB];

const deno = inRoot('xtask/release/node_modules/.bin/deno');

/** Where the crates are packed. */
const [BUILT, AGAIN] = ['crate-1', 'crate-2'].map((name) => inTarget('release', name));
const packCrates = (folder) => ofBoth('package --allow-dirty --no-verify', { env: { CARGO_TARGET_DIR: folder } });
const crateFile = (folder, crate) => `${folder}/package/${crate}-${version()}.crate`;

/** What is published lies in one folder. */
export const FILES = 'release files';

export const steps = [
  {
    name: FILES,
    needs: BOTH,
    async setUp(log) {
      await log.run(packCrates(BUILT));
      const { FOLDER, collect } = await import('../release/files.mjs');
      collect(version(), {
        npm: Object.values(PACKAGES).map(([, packed]) => packed),
        cargo: Object.keys(CRATES).map((crate) => crateFile(BUILT, crate)),
      });
      log.note = fromRoot(FOLDER);
    },
  },
];

/** @type {import('../run/run.mjs').Step[]} */
export const releaseSteps = [
  {
    name: 'release: versions, changelog, contents',
    needs: [...BOTH, FILES],
    commands: (run) =>
      ['tests/package/tarball', 'lab/tests'].map((folder) => nodeTests([inRoot(folder, 'packaging.test.mjs')], run)),
  },
  {
    name: 'release: the tarballs are reproducible',
    needs: BOTH,
    commands: Object.entries(PACKAGES).flatMap(([name, [folder, packed]]) => {
      const out = inTarget('release', name);
      return [script('pack.mjs', ...sh`--package ${folder} --out ${out}`), same(packed, `${out}/${name}.tgz`)];
    }),
  },
  {
    name: 'release: the crates are reproducible',
    needs: [FILES],
    commands: () => [
      packCrates(AGAIN),
      ...Object.keys(CRATES).map((crate) => same(crateFile(BUILT, crate), crateFile(AGAIN, crate))),
    ],
  },
  {
    name: 'release: JSR',
    needs: [PACK, NPM_OF_RELEASE],
    commands: [
      command(['node', inRoot('xtask/release/jsr.mjs')]),
      command(sh`sh -c ${'exec "$0" doc --lint ./*.d.ts'} ${deno}`, { dir: inTarget('jsr') }),
      command(sh`${deno} publish --dry-run --allow-dirty`, { dir: inTarget('jsr') }),
    ],
  },
  {
    name: 'release: schemas',
    needs: [FILES, NPM_OF_RELEASE],
    commands: [command(['node', inRoot('xtask/release/schemas.mjs')])],
  },
  {
    name: 'release: npm publish',
    needs: [...BOTH, NODE],
    commands: Object.values(PACKAGES).map(([, packed]) => command(['npm', 'publish', '--dry-run', packed])),
  },
  {
    name: 'release: cargo publish',
    commands: [ofBoth('publish --dry-run --allow-dirty')],
  },
];
