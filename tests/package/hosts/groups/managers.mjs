// Package managers: an installation by each, and the suite as a program of both module systems.

import { program } from '../row.mjs';

const YARN = 'npx -y -p @yarnpkg/cli-dist@4.18.1 yarn';
const YARN_ENV = { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false', YARN_ENABLE_TELEMETRY: '0' };

const both = (name, line, env) => [
  program(`${name}, ESM`, `${line} main.mjs`, { env }),
  program(`${name}, CommonJS`, `${line} main.cjs`, { env }),
];

export const PNPM = {
  name: 'pnpm',
  versions: 'pnpm 10.34.9.',
  install: (folder) => folder.install({}, 'npx -y pnpm@10.34.9 install'),
  rows: both('pnpm', 'node'),
};

export const YARN_PNP = {
  name: 'Yarn',
  versions: "Yarn 4.18.1, Plug'n'Play.",
  async install(folder) {
    folder.write({ '.yarnrc.yml': 'nodeLinker: pnp\nenableGlobalCache: false\n', 'yarn.lock': '' });
    const env = Object.entries(YARN_ENV).map(([name, value]) => `${name}=${value}`);
    await folder.install({}, `env ${env.join(' ')} ${YARN} install`);
  },
  rows: both('Yarn PnP', `${YARN} node`, YARN_ENV),
};
