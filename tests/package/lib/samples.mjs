// The code that readers copy: each block of the documents, and each example of the declarations.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { transform } from '../../../xtask/npm/esbuild.mjs';
import { installed, installedLab, repo } from './consumer.mjs';
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
  'model.mjs': `import { flaky } from './world.mjs';
    export async function* ask(text) {
      flaky(text);
      yield* ['A', 'da'];
    }`,
};

/** The blocks of documents: what each prints at its end. @param {Iterable<[name: string, text: string]>} texts */
const blocksOf = (texts) =>
  [...texts].flatMap(([name, text]) =>
    blocks(text).map(({ number, language, code }) => ({
      name: `${name}, block ${number}`,
      file: `${name.replaceAll(/\W+/g, '-')}-${number}.${/ts/.test(language) ? 'mts' : 'mjs'}`,
      code,
      // The lab computes; it calls nothing that could fail. The light entries have no channel that counts.
      expected: /from 'rejitter(-lab|\/light|\/light\/fetch)'/.test(code) ? /^retries /m : /^retries [1-9]/m,
      run: async () => {
        assert.match(
          code,
          /from 'rejitter(?:-lab|\/[\w/]+)?'|require\('rejitter'\)/,
          'it is copied whole, with its import',
        );
        const plain = /ts/.test(language) ? (await transform(code, { loader: 'ts' })).code : code;
        return runAsPasted(plain, MODULES);
      },
    })),
  );

/** The examples in the declarations of a folder: what all of a file print, or one after the other. */
const examplesOf = (folder, printed) =>
  Object.entries(printed).flatMap(([entry, expected]) =>
    blocks(declarations(`${entry}.d.ts`, folder)).map(({ code }, i) => ({
      name: `${basename(folder)}, ${entry}.d.ts, ${i + 1}`,
      file: `example-${basename(folder)}-${entry}-${i}.mts`,
      // Examples of single options do not repeat the import.
      code: code.includes('import ') ? code : `import { retry, type RetryOptions } from 'rejitter';\n${code}`,
      expected: expected[i] ?? expected,
      run: () => runBlock(code),
    })),
  );

const OF_LAB = 'docs/guide/lab.md';
export const BLOCKS = blocksOf([...documents].filter(([name]) => name !== OF_LAB));

const RETRIED = /failures [2-9]/;
const TESTED = [/^200 \d+$/m, /^\{ status: 200, name: 'Ada' \} 150$/m, /^\[ 0, 100, 100 \]\n.*is exhausted/m];
export const EXAMPLES = examplesOf(installed, { index: RETRIED, options: RETRIED, fetch: RETRIED, testing: TESTED });

/** Those of rejitter-lab, where that is installed. */
export function ofLab() {
  const texts = [OF_LAB, 'lab/README.md'].map((name) => [name, readFileSync(join(repo, name), 'utf8')]);
  // The world prints its counts last.
  const PRINTED = /^(?!retries )/;
  return {
    blocks: blocksOf(texts),
    examples: examplesOf(installedLab, { index: PRINTED, simulations: PRINTED }),
  };
}
