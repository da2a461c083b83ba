import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { inRoot } from '../run/places.mjs';
import { FOLDER, PAGE, findings, page } from './findings.mjs';

const ALL = findings();

test('the page lists each script with its words, versions and day', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), page(ALL));
  for (const { name, guess, found, day } of ALL) {
    assert.ok(guess && found && /^20\d\d-\d\d-\d\d$/.test(day), `${name} lacks one of its first four lines`);
    assert.doesNotMatch(guess + found, /\|/, name);
  }
});

test('a script installs exactly the versions that it states', () => {
  for (const { name, text, versions } of ALL) {
    const code = text.replaceAll(/^# .*$/gm, '');
    const npm = Array.from(code.matchAll(/[\w@/-]+@\d[\w.-]*/g), ([version]) => version);
    const crates = Array.from(
      code.matchAll(/^([\w-]+) = (?:\{ version = )?"=([\d.]+)"/gm),
      ([, crate, at]) => `${crate}@${at}`,
    );
    assert.deepEqual([...npm, ...crates].sort(), versions.split(' ').sort(), name);
    assert.ok(
      [...npm, ...crates].every((version) => /@\d+\.\d+\.\d+$/.test(version)),
      name,
    );
  }
});

test('a script is bounded, leaves nothing, takes no fixed port and fails with its output', () => {
  for (const { name, text } of ALL) {
    assert.ok(text.includes(`cd "$(mktemp -d)"\ntrap 'rm -rf "$PWD"' EXIT\ntrap exit HUP INT TERM\n`), name);
    if (text.includes('createServer')) assert.match(text, /setTimeout\(process\.exit, 30_000, 1\);/, name);
    for (const [, port] of text.matchAll(/\blisten\((\d+)/g)) assert.equal(port, '0', name);
    assert.match(text, /\ndiff - seen <<'EOF'\n(?:.+\n)+EOF\n$/, name);
    assert.ok(
      text.split('\n').every((line) => line.length <= 120),
      name,
    );
    assert.equal(spawnSync('sh', ['-n', `${FOLDER}/${name}.sh`]).status, 0, name);
  }
});

test('a name that no script has is an error', () => {
  const { status, stderr } = spawnSync('node', [inRoot('xtask/findings/main.mjs'), 'no such'], { encoding: 'utf8' });
  assert.deepEqual([status, /contains "no such"/.test(stderr)], [1, true]);
});
