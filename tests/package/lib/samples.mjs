// The code that readers copy: each block of the documents, and each example of the declarations.

import assert from 'node:assert/strict';

import { transform } from '../../../xtask/npm/esbuild.mjs';
import { blocks, declarations, documents, marked, runAsPasted, runBlock } from './readers.mjs';

/** The module that the samples import as the reader's own. */
const [[, OWN]] = marked('api.mjs');

const MODULES = {
  'api.mjs': OWN,
  'database.mjs': `import { flaky } from './world.mjs';
    export const database = { query: async (text) => {
      try { flaky(text); } catch (cause) { throw Object.assign(cause, { code: 'ECONNRESET', status: undefined }); }
      return [text];
    } };`,
};

/** The blocks of the documents: what each prints at its end. */
export const BLOCKS = [...documents].flatMap(([name, text]) =>
  blocks(text).map(({ number, language, code }) => ({
    name: `${name}, block ${number}`,
    file: `${name.replaceAll(/\W+/g, '-')}-${number}.${/ts/.test(language) ? 'mts' : 'mjs'}`,
    code,
    // The lab computes; it calls nothing that could fail. The light entries have no channel that counts.
    expected: /from 'rejitter\/(lab|light|light\/fetch)'/.test(code) ? /^retries /m : /^retries [1-9]/m,
    run: async () => {
      assert.match(code, /from 'rejitter(?:\/[\w/]+)?'|require\('rejitter'\)/, 'it is copied whole, with its import');
      const plain = /ts/.test(language) ? (await transform(code, { loader: 'ts' })).code : code;
      return runAsPasted(plain, MODULES);
    },
  })),
);

const RETRIED = /failures [2-9]/;
/** The world prints its counts last. */
const PRINTED = /^(?!retries )/;
const TESTED = [/^200 \d+$/m, /^\{ status: 200, name: 'Ada' \} 150$/m, /^\[ 0, 100, 100 \]\n.*is exhausted/m, RETRIED];

/** The examples in the declarations, by file: what all print, or one after the other. */
export const EXAMPLES = Object.entries({
  ...{ index: RETRIED, options: RETRIED, fetch: RETRIED, lab: PRINTED, simulations: PRINTED, testing: TESTED },
}).flatMap(([entry, expected]) =>
  blocks(declarations(`${entry}.d.ts`)).map(({ code }, i) => ({
    name: `${entry}.d.ts, ${i + 1}`,
    file: `example-${entry}-${i}.mts`,
    // Examples of single options do not repeat the import.
    code: code.includes('import ') ? code : `import { retry, type RetryOptions } from 'rejitter';\n${code}`,
    expected: expected[i] ?? expected,
    run: () => runBlock(code),
  })),
);
