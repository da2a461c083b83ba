// Runs the code that readers copy: of the README, the guide's page and the declarations.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ofLab } from '../../tests/package/lib/samples.mjs';

const { blocks, examples } = ofLab();

for (const { name, expected, run } of [...blocks, ...examples])
  test(`${name}: saved as a file it runs to its end`, async () => {
    const { code, stdout, stderr } = await run();
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(stdout, expected);
  });
