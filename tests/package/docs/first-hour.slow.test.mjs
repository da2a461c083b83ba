// The first hour of CONTRIBUTING.md, played in a copy of the checkout where nothing is installed and nothing was built.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { inRoot, root } from '../../../xtask/run/places.mjs';
import { newNpm } from '../../../xtask/steps/setup.mjs';
import { run } from '../lib/consumer.mjs';

/** The commands of the section, each with the sentence behind it. */
const [, BLOCK] = /^## The first hour\n.*?^```sh\n(.*?)^```$/ms.exec(readFileSync(inRoot('CONTRIBUTING.md'), 'utf8'));
const [names, ...LINES] = BLOCK.trimEnd().split('\n');
const STEPS = LINES.map((line) => line.split(/ +# \d+ s: /));

const dir = mkdtempSync(join(tmpdir(), 'rejitter-first-hour-'));
after(() => rmSync(dir, { recursive: true, force: true }));

/** What the host's own tests, builds and runners have set is not there in a stranger's shell. */
const ENV = {
  ...{ CARGO_TARGET_DIR: undefined, REJITTER_TARBALL: undefined, REJITTER_TARGET_DIR: undefined },
  ...{ NODE_OPTIONS: undefined, NODE_TEST_CONTEXT: undefined, REJITTER_QUICK: undefined },
  // The packages are those of the lock file, wherever they come from.
  npm_config_prefer_offline: 'true',
};

/** Runs a line of the section. Returns its exit code and what it printed. */
async function play(line) {
  const script = `${names}\n${line.replace(/^npm(?= ci)/, newNpm().join(' '))}`;
  const { code, stdout, stderr } = await run('sh', ['-c', script], { cwd: dir, env: ENV });
  const summary = Object.fromEntries(
    ['pass', 'fail'].map((end) => [end, Number(new RegExp(`^(?:#|ℹ) ${end} (\\d+)$`, 'm').exec(stdout)?.[1])]),
  );
  return { code, ...summary, printed: stdout + stderr };
}

test('the first hour: seven packages, then tests fail by a changed message, and pass without the change', async () => {
  const git = (line, options) => execFileSync('git', line.split(' '), { encoding: 'utf8', ...options });
  for (const path of git('ls-files -z --cached --others --exclude-standard', { cwd: root }).split('\0'))
    if (path && existsSync(inRoot(path))) cpSync(inRoot(path), join(dir, path));
  // The section restores a file.
  git('init --quiet', { cwd: dir });
  git('add --all', { cwd: dir });

  const [[install, installed], [change, red], [restore, green]] = STEPS;
  const packages = await play(install);
  assert.equal(packages.code, 0, packages.printed);
  const [, added] = /^added (\d+) packages/m.exec(packages.printed) ?? [];
  assert.equal(installed, `${added} packages`);
  assert.ok(Number(added) <= 10, `${added} packages`);

  const changed = await play(change);
  assert.notEqual(changed.code, 0);
  assert.equal(red, `${changed.fail} tests fail`, changed.printed);
  const restored = await play(restore);
  assert.equal(restored.code, 0, restored.printed);
  assert.equal(restored.pass, changed.pass + changed.fail);
  assert.equal(green, 'all pass');
  assert.equal(git('status --porcelain --untracked-files=all', { cwd: dir }).replaceAll(/^A .*\n/gm, ''), '');
});
