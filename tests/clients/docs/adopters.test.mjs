// The changes that docs/adopters.md offers to other projects, applied to copies of their packages as npm installs them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { project, repo } from '../../package/lib/consumer.mjs';
import { documents, tableIn } from '../../package/lib/readers.mjs';
import { packaged } from '../lib/packages.mjs';
import { underClock } from '../lib/pasted.mjs';

const CHANGES = Object.fromEntries(
  tableIn(documents.get('docs/adopters.md'), 'package').map(([name, program, lines]) => [
    /`(.*)`/.exec(name)?.[1],
    { program: /\]\(https:.*\/main\/(.*)\)/.exec(program)?.[1], lines: Number(lines.replace('−', '-')) },
  ]),
);

/** A copy of a package, beside the packages that it needs. */
function copied(name) {
  const dir = project('adopted', {});
  const modules = realpathSync(packaged(name)).slice(0, -name.length);
  cpSync(modules, join(dir, 'node_modules'), { recursive: true });
  return { dir, folder: join(dir, 'node_modules', name) };
}

/** Runs the program of a package. Returns what it prints. */
const changed = (name, folder) =>
  execFileSync(process.execPath, [join(repo, CHANGES[name].program), folder], { encoding: 'utf8', stdio: 'pipe' });

for (const [name, { lines }] of Object.entries(CHANGES))
  test(`${name}: the program changes as many lines as the page says, and refuses what it does not know`, () => {
    const { folder } = copied(name);
    assert.match(changed(name, folder), new RegExp(`: ${lines} lines\n$`));
    assert.throws(() => changed(name, folder), /must be in .* once, got 0/);
  });

test('@slack/web-api: after a 429 no queued call starts too early, or later than half as long again', async () => {
  const { dir, folder } = copied('@slack/web-api');
  changed('@slack/web-api', folder);
  const { WebClient } = createRequire(join(dir, 'main.js'))('@slack/web-api');
  const times = [];
  await underClock(async (clock) => {
    const fetch = async () => {
      times.push(clock.now);
      const late = { status: 429, headers: { 'retry-after': '30' } };
      return times.length === 1 ? new Response('', late) : Response.json({ ok: true });
    };
    const logger = Object.fromEntries(
      ['debug', 'info', 'warn', 'error', 'setLevel', 'setName'].map((k) => [k, () => {}]),
    );
    const client = new WebClient('token', { fetch, logger, maxRequestConcurrency: 1 });
    const calls = ['api.test', 'auth.test', 'team.info'].map((method) => client.apiCall(method));
    await clock.runUntil(Promise.all(calls), { graceMs: 2 });
  }, null);
  // The server's wait, spread upwards by a half at most.
  const [first, ...others] = times;
  assert.ok(first === 0 && others.length === 3 && others.every((time) => time >= 30_000), times.join());
  assert.ok(Math.max(...others) <= 45_001, times.join());
});

/** Times of requests: the first meets GitHub's secondary rate limit, and two more are made a second later. */
async function sentBy({ dir, folder }) {
  const load = (path) => import(pathToFileURL(path).href);
  const { throttling } = await load(join(folder, 'dist-bundle/index.js'));
  const { Octokit } = await load(join(dir, 'node_modules/@octokit/core/dist-src/index.js'));
  const times = [];
  await underClock(async (clock) => {
    const fetch = async () => {
      times.push(clock.now);
      const headers = { 'content-type': 'application/json', 'retry-after': '60' };
      return times.length === 1
        ? Response.json({ message: 'You have exceeded a secondary rate limit' }, { status: 403, headers })
        : Response.json({});
    };
    const throttle = { onRateLimit: () => true, onSecondaryRateLimit: () => true };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const octokit = new (Octokit.plugin(throttling))({ request: { fetch }, throttle, log });
    const first = octokit.request('GET /a');
    await clock.advance(1000);
    const more = ['GET /b', 'GET /c'].map((route) => octokit.request(route));
    await clock.runUntil(Promise.all([first, ...more]), { graceMs: 2 });
  }, null);
  return times;
}

test('@octokit/plugin-throttling: a secondary rate limit holds all requests, not only one', async () => {
  const name = '@octokit/plugin-throttling';
  const before = await sentBy(copied(name));
  assert.ok(before[1] < 2000, `as it is published, it sends at ${before}`);
  const copy = copied(name);
  changed(name, copy.folder);
  const [first, ...others] = await sentBy(copy);
  assert.ok(first < 100 && others.length === 3 && others.every((time) => time >= 60_000), `${first}, ${others}`);
});

test('the programs hold no lines of these packages', () => {
  const names = { '@slack/web-api': 'dist/WebClient.js', '@octokit/plugin-throttling': 'dist-bundle/index.js' };
  for (const [name, file] of Object.entries(names)) {
    const theirs = new Set(
      readFileSync(packaged(`${name}/${file}`), 'utf8')
        .split('\n')
        .map((line) => line.trim()),
    );
    const ours = readFileSync(join(repo, CHANGES[name].program), 'utf8')
      .split('\n')
      .map((line) => line.trim());
    assert.deepEqual(
      ours.filter((line) => line.length > 30 && theirs.has(line)),
      [],
    );
  }
});
