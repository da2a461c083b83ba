// Package managers: an installation by each, and the suite as a program of both module systems.

import { PRINT, resultsIn } from '../suite.mjs';

const both = (name, run) =>
  [false, true].map((commonJs) => ({
    name: `${name}, ${commonJs ? 'CommonJS' : 'ESM'}`,
    async run(folder) {
      const file = commonJs ? 'main.cjs' : 'main.mjs';
      folder.write({ [file]: folder.suite({ commonJs }) + PRINT });
      return resultsIn(await run(folder, file));
    },
  }));

const YARN = ['npx', '-y', '-p', '@yarnpkg/cli-dist@4.18.1', 'yarn'];
const YARN_ENV = { YARN_ENABLE_IMMUTABLE_INSTALLS: 'false', YARN_ENABLE_TELEMETRY: '0' };

export const PNPM = {
  name: 'pnpm',
  versions: 'pnpm 10.34.9.',
  install: (folder) => folder.install({}, ['npx', '-y', 'pnpm@10.34.9', 'install']),
  rows: both('pnpm', (folder, file) => folder.exec('node', [file])),
};

export const YARN_PNP = {
  name: 'Yarn',
  versions: "Yarn 4.18.1, Plug'n'Play.",
  async install(folder) {
    folder.write({ '.yarnrc.yml': 'nodeLinker: pnp\nenableGlobalCache: false\n', 'yarn.lock': '' });
    const env = Object.entries(YARN_ENV).map(([name, value]) => `${name}=${value}`);
    await folder.install({}, ['env', ...env, ...YARN, 'install']);
  },
  rows: both('Yarn PnP', (folder, file) => folder.exec(YARN[0], [...YARN.slice(1), 'node', file], { env: YARN_ENV })),
};
