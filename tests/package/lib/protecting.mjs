// Shared by the tests of rejitter/protection: the entries as a consumer imports them, side by side.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { project } from './consumer.mjs';

const dir = project('protecting', {
  'all.mjs': `
export * from 'rejitter';
export * from 'rejitter/protection';
export { createFetch, fetchWithRetry } from 'rejitter/fetch';
`,
});

/** Everything of 'rejitter', 'rejitter/protection' and the functions of 'rejitter/fetch'. */
export const importAll = () => import(pathToFileURL(join(dir, 'all.mjs')).href);
