// `cargo xtask release --dry-run`: builds what a release publishes, twice, and publishes none of it.

import { command, sh } from '../run/command.mjs';
import { inRoot, inTarget, labPkg, labTarball, pkg, tarball } from '../run/places.mjs';
import { CRATES, ofBoth } from './crate.mjs';
import { nodeTests } from './node-tests.mjs';
import { PACK, PACK_LAB, script, version } from './package.mjs';
import { NODE } from './setup.mjs';

const same = (one, other) =>
  command(['cmp', one, other], { remedy: 'a build must not depend on the time or on the folder' });

/** The npm packages: the folder and the tarball of each. */
const PACKAGES = { rejitter: [pkg, tarball], 'rejitter-lab': [labPkg, labTarball] };
const BOTH = [PACK, PACK_LAB];

/** @type {import('../run/run.mjs').Step[]} */
export const releaseSteps = [
  {
    name: 'release: versions, changelog, contents',
    needs: BOTH,
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
    commands: () => {
      const targets = ['crate-1', 'crate-2'].map((name) => inTarget('release', name));
      return [
        ...targets.map((target) => ofBoth('package --allow-dirty --no-verify', { env: { CARGO_TARGET_DIR: target } })),
        ...Object.keys(CRATES).map((crate) => {
          const [one, other] = targets.map((target) => `${target}/package/${crate}-${version()}.crate`);
          return same(one, other);
        }),
      ];
    },
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
