// Test runners: the suite as a test, which prints the results.

import { printedBy, row } from '../row.mjs';

const JEST = `test('suite', async () => {
  process.stdout.write('SUITE ' + JSON.stringify(await suite()) + '\\n');
}, 60_000);
`;

const jest = (name, testEnvironment, commonJs, more = {}) => {
  const file = commonJs ? 'jest.test.cjs' : 'jest.test.mjs';
  return row(name, {
    ...more,
    files: (folder) => ({
      'jest.config.json': JSON.stringify({ testEnvironment, testMatch: ['**/jest.test.*'], transform: {} }),
      [file]: folder.suite({ ...more, commonJs }).replace('exports.suite = suite;', '') + JEST,
    }),
    results: printedBy(`jest --ci ${file}`, commonJs ? {} : { NODE_OPTIONS: '--experimental-vm-modules' }),
  });
};

const NO_FETCH = { parts: 'abdefghi', remark: 'jsdom has no `fetch`; with a polyfill, `createFetch` works.' };

export const JESTS = {
  name: 'Jest',
  versions: 'Jest 30.5.2, jest-environment-jsdom 30.5.2, @edge-runtime/jest-environment 4.0.0.',
  packages: {
    '@edge-runtime/jest-environment': '4.0.0',
    jest: '30.5.2',
    'jest-environment-jsdom': '30.5.2',
  },
  rows: [
    jest('Jest, node, CommonJS', 'node', true),
    jest('Jest, node, ESM', 'node', false),
    jest('Jest, jsdom, CommonJS', 'jsdom', true, NO_FETCH),
    jest('Jest, jsdom, ESM', 'jsdom', false, NO_FETCH),
    jest('Jest, edge-runtime', '@edge-runtime/jest-environment', true),
  ],
};

const VITEST_TEST = `import { test } from 'vitest';
import { suite } from './suite.mjs';
test('suite', async () => { console.log('SUITE ' + JSON.stringify(await suite())); }, 60_000);
`;

export const VITEST = {
  name: 'Vitest',
  versions: 'Vitest 4.1.12, jsdom 29.1.1, happy-dom 20.14.6.',
  packages: { 'happy-dom': '20.14.6', jsdom: '29.1.1', vitest: '4.1.12' },
  rows: ['node', 'jsdom', 'happy-dom'].map((environment) =>
    row(`Vitest, ${environment}`, {
      files: { 'vitest.test.mjs': VITEST_TEST },
      results: printedBy(`vitest run --environment ${environment} vitest.test.mjs`),
    }),
  ),
};
