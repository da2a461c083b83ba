// Prose and comments keep to 120 columns. Formatters see to code, and leave these alone.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { inRoot, root } from '../run/places.mjs';

const COLUMNS = 120;

/** Scripts of their own kind; what a compiler says; what is written by a run. */
const OTHERS = /^(findings|tests\/ui)\/|^docs\/hosts\.md$/;

/** Rows of tables, links and tags do not break. */
const isWhole = (line) => /^\s*([|<]|- <)|https?:/.test(line);

/** The numbers of lines of prose or comment that are too wide. */
const tooWide = (text, isProse) =>
  text
    .split('\n')
    .flatMap((line, i) =>
      line.length > COLUMNS && !isWhole(line) && (isProse || /^\s*(\/\/|\/?\*|#)/.test(line)) ? [i + 1] : [],
    );

test(`prose and comments have at most ${COLUMNS} columns`, () => {
  const all = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const read = all.filter((path) => /\.(css|html|js|md|mjs|rs|toml|ts)$/.test(path) && !OTHERS.test(path));
  assert.ok(read.length > 800, `${read.length} files`);
  const found = read.flatMap((path) =>
    tooWide(readFileSync(inRoot(path), 'utf8'), path.endsWith('.md')).map((line) => `${path}:${line}`),
  );
  assert.deepEqual(found, []);
  const wide = 'word '.repeat(25);
  assert.deepEqual(tooWide(`${wide}\n| ${wide} |\n`, true), [1]);
  assert.deepEqual(tooWide(`call('${wide}');\n  // ${wide}\n * ${wide}\n#[doc = "${wide}"]`, false), [2, 3, 4]);
});
