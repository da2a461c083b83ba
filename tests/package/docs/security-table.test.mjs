// SECURITY.md: each promise names the tests that hold it, and those exist.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { repo } from '../lib/consumer.mjs';
import { tableIn } from '../lib/readers.mjs';

const text = readFileSync(join(repo, 'SECURITY.md'), 'utf8');

/** Titles of the tests or cases in a file, as patterns: templates may have any text in place of their values. */
function titlesIn(file) {
  const code = readFileSync(join(repo, file), 'utf8');
  if (file.endsWith('.json')) return JSON.parse(code).map(({ name }) => ({ test: (title) => title === name }));
  if (file.endsWith('.rs'))
    return [...code.matchAll(/#\[test\]\s+fn (\w+)/g)].map(([, name]) => new RegExp(`^${name}$`));
  return [...code.matchAll(/\b(?:test|it)\(\s*(['"`])((?:\\.|(?!\1).)+)\1/g)].map(([, quote, title]) => {
    const parts = title.replaceAll(/\\(['"`])/g, '$1').split(quote === '`' ? /\$\{[^}]*\}/ : /(?!)/);
    return new RegExp(`^${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.+')}$`);
  });
}

test('each promise of SECURITY.md is held by tests that exist', () => {
  const rows = tableIn(text, 'at stake');
  assert.ok(rows.length >= 14);
  const problems = rows.flatMap(([asset, , , tests]) =>
    tests.split('<br>').flatMap((entry) => {
      const [, file, title] = /^`([^`]+)`: (.+)$/.exec(entry) ?? [];
      if (file === undefined) return [`${asset}: ${entry} is not a test`];
      if (!existsSync(join(repo, file))) return [`${asset}: ${file} does not exist`];
      return titlesIn(file).some((pattern) => pattern.test(title)) ? [] : [`${asset}: ${file} has no test "${title}"`];
    }),
  );
  assert.deepEqual(problems, []);
});
