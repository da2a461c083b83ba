// Wrong calls (tests/vectors/mistakes-lab.json), and the error that each throws or rejects with: in Node, and in a
// bundle of a page for production. There, what is wrong with a policy is said by `rejitter`, in short.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { bundled } from '../../tests/package/lib/bundle.mjs';
import { project, vectors } from '../../tests/package/lib/consumer.mjs';
import { callsOf, errorOf, patternOf } from '../../tests/package/lib/mistakes.mjs';
import { evaluate } from '../../tests/package/lib/readers.mjs';

const dir = project('mistakes', { 'main.mjs': "export * from 'rejitter-lab';\n" });
const define = { 'process.env.NODE_ENV': '"production"' };
writeFileSync(join(dir, 'page.mjs'), await bundled(dir, { platform: 'browser', define }));
const load = (name) => import(pathToFileURL(join(dir, name)).href);

/** A value that poses as a policy of another copy: it is validated as by fromData. */
const posing = (data) => ({ toJSON: () => data });
const [node, page] = (await Promise.all(['main.mjs', 'page.mjs'].map(load))).map((lab) => ({ ...lab, posing }));

test('a mistake is an error that says the remedy', async () => {
  let short = 0;
  for (const [code, says] of Object.entries(vectors('mistakes-lab')).flatMap((row) => callsOf(...row))) {
    const [error, other] = await Promise.all([node, page].map((names) => errorOf(() => evaluate(code, names))));
    const text = error.message.replace(/^rejitter: /, '');
    assert.match(`${error.name}: ${text}`, patternOf(says), code);
    assert.equal(other.name, error.name, code);
    if (other.message === error.message) continue;
    assert.match(other.message, /^rejitter: ((\S+|the policy): invalid|unknown option)/, code);
    short += 1;
  }
  assert.ok(short > 3 && short < 15, `${short}`);
});
