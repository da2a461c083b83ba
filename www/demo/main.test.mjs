/** The Node demo as a program: the same seed gives the same output. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('main.mjs', import.meta.url));
const PATIENT = new URL('lib/patient-node.mjs', import.meta.url).href;

/** @param {string[]} args */
async function demo(...args) {
  const { stdout } = await run(process.execPath, ['--import', PATIENT, MAIN, ...args], {
    env: { ...process.env, FORCE_COLOR: undefined },
  });
  const lines = stdout.split('\n');
  const rows = lines.filter((line) => /^(\d\d|missing) +\d+ {2}/.test(line));
  // Without the last column, the milliseconds that the request took.
  return { stdout, lines, stories: rows.map((row) => row.replace(/\s+\d+$/, '')) };
}

test('runs with one seed have the same answers, waits and outcomes; another seed has others', async () => {
  // One after the other: whether an answer came in time should depend on the server alone.
  const first = await demo('--seed', '5');
  const second = await demo('--seed', '5');
  const other = await demo('--seed', '6');
  assert.equal(first.stories.length, 25);
  assert.deepEqual(second.stories, first.stories);
  assert.notDeepEqual(other.stories, first.stories);
});

test('the table says what happened, and the counts agree', async () => {
  const { stdout, lines, stories } = await demo('--seed', '42');
  let sent = 0;
  for (const story of stories) {
    const [, attempts, answers, outcome] = /^\S+ +(\d+) {2}(.+?) +(ok|gave up|rejected)$/.exec(story) ?? [];
    assert.ok(attempts && answers, story);
    const met = answers.replaceAll(/ ?\(\d+\)/g, '').split(' ');
    assert.equal(met.length, Number(attempts), story);
    assert.equal(met.at(-1) === '200', outcome === 'ok', story);
    assert.ok(
      met.slice(0, -1).every((answer) => /^(503|429|drop|slow)$/.test(answer)),
      story,
    );
    if (outcome === 'gave up') assert.equal(met.length, 6, story);
    if (!story.startsWith('missing')) sent += met.length;
  }
  assert.match(stories.at(-1) ?? '', /^missing +1 {2}404 +rejected$/);
  assert.ok(
    stories.some((story) => / ok$/.test(story) && /\(/.test(story)),
    'a request succeeded after a retry',
  );
  assert.match(stdout, new RegExp(`server {4}received ${sent} requests to /flaky/; the client made ${sent}\\n`));
  assert.ok(Math.max(...lines.map((line) => line.length)) <= 100);
  assert.ok(!stdout.includes('\x1b'), 'no colour where no terminal is');
});

test('the counts agree although another program sends a request to the server', async () => {
  const program = execFile(process.execPath, [MAIN, '--requests', '3']);
  let printed = '';
  let strays = 0;
  for await (const chunk of program.stdout ?? []) {
    printed += chunk;
    const [, address] = /against (\S+)\n/.exec(printed) ?? [];
    if (address && strays++ === 0) assert.equal((await fetch(`${address}/favicon.ico`)).status, 404);
  }
  assert.ok(strays > 0);
  assert.match(printed, /received (\d+) requests to \/flaky\/; the client made \1\n/);
});

test('with a server that never fails, and with one that always does', async () => {
  const never = await demo('--rate', '0');
  const always = await demo('--rate', '1', '--requests', '3');
  assert.match(never.stdout, /with retry +24 of 24 +100%/);
  assert.ok(never.stories.slice(0, 24).every((story) => /^\d\d +1 {2}200 +ok$/.test(story)));
  assert.match(always.stdout, /with retry +0 of 3 +0%/);
});

test('rejects invalid arguments, and names them', async () => {
  for (const [option, value] of [
    ['--rate', '1.5'],
    ['--requests', 'x'],
    ['--concurrency', '0'],
  ]) {
    await assert.rejects(demo(option ?? '', value ?? ''), { code: 2, stderr: new RegExp(`^${option} must be`) });
  }
});
