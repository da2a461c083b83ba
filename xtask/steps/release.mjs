// `cargo xtask release --dry-run`: builds what a release publishes, twice, and publishes none of it.

import { command, sh } from '../run/command.mjs';
import { inRoot, inTarget, pkg, tarball } from '../run/places.mjs';
import { CRATES, ofBoth } from './crate.mjs';
import { nodeTests } from './node-tests.mjs';
import { PACK, script, version } from './package.mjs';
import { NODE } from './setup.mjs';

const same = (one, other) =>
  command(['cmp', one, other], { remedy: 'a build must not depend on the time or on the folder' });

/** @type {import('../run/run.mjs').Step[]} */
export const releaseSteps = [
  {
    name: 'release: versions, changelog, contents',
    needs: [PACK],
    commands: (run) => [nodeTests([inRoot('tests/package/tarball/packaging.test.mjs')], run)],
  },
  {
    name: 'release: the tarball is reproducible',
    needs: [PACK],
    commands: [
      script('pack.mjs', ...sh`--package ${pkg} --out ${inTarget('release/npm')}`),
      same(tarball, inTarget('release/npm/rejitter.tgz')),
    ],
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
    needs: [PACK, NODE],
    commands: [command(['npm', 'publish', '--dry-run', tarball])],
  },
  {
    name: 'release: cargo publish',
    commands: [ofBoth('publish --dry-run --allow-dirty')],
  },
];
