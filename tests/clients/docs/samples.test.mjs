// The types of the code that readers copy.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DECLARED } from '../../package/lib/readers.mjs';
import { BLOCKS, EXAMPLES, ofLab } from '../../package/lib/samples.mjs';
import { checkFiles } from '../lib/programs.mjs';

/** The types of the module that the samples import as the reader's own. */
const OWN_TYPES =
  'export declare const callApi: (path: string, init?: { signal?: AbortSignal }) => Promise<{ status: number; ' +
  'name: string }>;\n';
const MODEL_TYPES =
  'export declare const ask: (text: string, options: { signal: AbortSignal }) => AsyncIterable<string>;\n';

test('all blocks and examples type-check in a strict project', async () => {
  assert.ok(BLOCKS.length > 38 && EXAMPLES.length >= 37, `${BLOCKS.length} and ${EXAMPLES.length}`);
  const lab = ofLab();
  const filesOf = (all) => Object.fromEntries(all.map(({ file, code }) => [file, code]));
  // JavaScript annotates no parameter; all else is strict.
  const options = { noImplicitAny: false };
  const database = 'export declare const database: any;';
  const types = { 'api.d.mts': OWN_TYPES, 'model.d.mts': MODEL_TYPES, 'database.d.mts': database };
  await checkFiles({ ...filesOf([...BLOCKS, ...lab.blocks]), ...types }, '', {
    ...options,
    allowJs: true,
    checkJs: true,
  });
  await checkFiles({ ...filesOf([...EXAMPLES, ...lab.examples]), 'callers.d.ts': DECLARED }, '', {
    ...options,
    exactOptionalPropertyTypes: true,
    lib: ['es2022'],
    useUnknownInCatchVariables: false,
  });
});
