// Test runners: the suite as a test, which prints the results.

import { resultsIn } from '../suite.mjs';

const JEST = `test('suite', async () => {
  process.stdout.write('SUITE ' + JSON.stringify(await suite()) + '\\n');
}, 60_000);
`;

const jest = (name, { environment, esm = false, parts, ...more }) => ({
  name,
  parts,
  ...more,
  async run(folder) {
    folder.write({
      'jest.config.json': JSON.stringify({
        testEnvironment: environment,
        testMatch: ['**/jest.test.*'],
        transform: {},
      }),
      [esm ? 'jest.test.mjs' : 'jest.test.cjs']:
        folder.suite({ commonJs: !esm, parts }).replace('exports.suite = suite;', '') + JEST,
    });
    const env = esm ? { NODE_OPTIONS: '--experimental-vm-modules' } : {};
    return resultsIn(await folder.exec(folder.bin('jest'), ['--ci', esm ? 'jest.test.mjs' : 'jest.test.cjs'], { env }));
  },
});

const NO_FETCH = { parts: 'abdefg', remark: 'jsdom has no `fetch`; with a polyfill, `createFetch` works.' };

export const JESTS = {
  name: 'Jest',
  versions: 'Jest 30.5.2, jest-environment-jsdom 30.5.2, @edge-runtime/jest-environment 4.0.0.',
  packages: {
    '@edge-runtime/jest-environment': '4.0.0',
    jest: '30.5.2',
    'jest-environment-jsdom': '30.5.2',
  },
  rows: [
    jest('Jest, node, CommonJS', { environment: 'node' }),
    jest('Jest, node, ESM', { environment: 'node', esm: true }),
    jest('Jest, jsdom, CommonJS', { environment: 'jsdom', ...NO_FETCH }),
    jest('Jest, jsdom, ESM', { environment: 'jsdom', esm: true, ...NO_FETCH }),
    jest('Jest, edge-runtime', { environment: '@edge-runtime/jest-environment' }),
  ],
};

const vitest = (environment, more = {}) => ({
  name: `Vitest, ${environment}`,
  ...more,
  async run(folder) {
    folder.write({
      'vitest.test.mjs': `import { test } from 'vitest';\n${folder.suite(more).replace('export ', '')}
test('suite', async () => { console.log('SUITE ' + JSON.stringify(await suite())); }, 60_000);\n`,
    });
    return resultsIn(await folder.exec(folder.bin('vitest'), ['run', '--environment', environment, 'vitest.test.mjs']));
  },
});

export const VITEST = {
  name: 'Vitest',
  versions: 'Vitest 4.1.12, jsdom 29.1.1, happy-dom 20.14.6.',
  packages: { 'happy-dom': '20.14.6', jsdom: '29.1.1', vitest: '4.1.12' },
  rows: [vitest('node'), vitest('jsdom'), vitest('happy-dom')],
};
