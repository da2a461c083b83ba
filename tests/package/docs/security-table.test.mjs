// SECURITY.md: each promise names the tests that hold it, and those exist.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { repo } from '../lib/consumer.mjs';
import { tableIn } from '../lib/readers.mjs';

const text = readFileSync(join(repo, 'SECURITY.md'), 'utf8');

/** Titles of the tests in a file, as patterns: templates may have any text in place of their values. */
function titlesIn(file) {
  const code = readFileSync(join(repo, file), 'utf8');
  if (file.endsWith('.rs'))
    return [...code.matchAll(/#\[test\]\s+fn (\w+)/g)].map(([, name]) => new RegExp(`^${name}$`));
  return [...code.matchAll(/\b(?:test|it)\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g)].map(([, quote, title]) => {
    const parts = title.replaceAll(/\\(['"`])/g, '$1').split(quote === '`' ? /\$\{[^}]*\}/ : /(?!)/);
    return new RegExp(`^${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.+')}$`);
  });
}

/** Objections to the column of tests. */
function problemsIn(markdown) {
  return tableIn(markdown, 'at stake').flatMap(([asset, , , tests]) =>
    tests.split('<br>').flatMap((entry) => {
      const [, file, title] = /^`([^`]+)`: (.+)$/.exec(entry) ?? [];
      if (file === undefined) return [`${asset}: ${entry} is not a test`];
      if (!existsSync(join(repo, file))) return [`${asset}: ${file} does not exist`];
      return titlesIn(file).some((pattern) => pattern.test(title)) ? [] : [`${asset}: ${file} has no test "${title}"`];
    }),
  );
}

test('each promise of SECURITY.md is held by tests that exist', () => {
  assert.ok(tableIn(text, 'at stake').length >= 14);
  assert.deepEqual(problemsIn(text), []);
});

test('control: reports a promise without a test, a missing file and a missing title', () => {
  const row = (tests) => `| at stake | threat | promise | held by |\n|---|---|---|---|\n| a | b | c | ${tests} |\n`;
  const own = '`tests/package/docs/security-table.test.mjs`: ';
  assert.deepEqual(problemsIn(row(`${own}each promise of SECURITY.md is held by tests that exist`)), []);
  assert.deepEqual(problemsIn(row('')), ['a:  is not a test']);
  assert.deepEqual(problemsIn(row('`tests/none.test.mjs`: x')), ['a: tests/none.test.mjs does not exist']);
  assert.deepEqual(problemsIn(row(`${own}each promise`)), [
    'a: tests/package/docs/security-table.test.mjs has no test "each promise"',
  ]);
});
