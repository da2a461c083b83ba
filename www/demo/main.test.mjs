/** The Node demo as a program, and the rule of its flaky server: the same seed gives the same, at the rates it states. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FAILURES, fate } from './fate.mjs';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('main.mjs', import.meta.url));
const PATIENT = `data:text/javascript,import { bePatient } from '${new URL('lib/patience.mjs', import.meta.url)}'; bePatient();`;

/** A run of the program, to whose server another program sends a request. */
async function demo(...args) {
  const running = run(process.execPath, ['--import', PATIENT, MAIN, ...args]);
  let stray;
  running.child.stdout?.once('data', async (printed) => {
    stray = (await fetch(`${/against (\S+)\n/.exec(printed)?.[1]}/favicon.ico`)).status;
  });
  const { stdout } = await running;
  assert.equal(stray, 404);
  const rows = stdout.split('\n').filter((line) => /^(\d\d|missing) +\d+ {2}/.test(line));
  // Without the last column, the milliseconds that the request took.
  return { stdout, stories: rows.map((row) => row.replace(/\s+\d+$/, '')) };
}

test('runs with one seed have the same answers, waits and outcomes, as the table says; others differ', async () => {
  // One after the other: whether an answer came in time should depend on the server alone.
  const { stdout, stories } = await demo('--seed', '42');
  assert.deepEqual((await demo('--seed', '42')).stories, stories);
  // Those of the server, too: without the client's waits.
  const answersOf = (all) => all.map((story) => story.replaceAll(/ \(\d+\)| +(?= )/g, ''));
  assert.notDeepEqual(answersOf((await demo('--seed', '6')).stories), answersOf(stories));
  let sent = 0;
  for (const story of stories) {
    const [, attempts, answers, outcome] = /^\S+ +(\d+) {2}(.+?) +(ok|gave up|rejected)$/.exec(story) ?? [];
    const met = `${answers}`.replaceAll(/ ?\(\d+\)/g, '').split(' ');
    assert.equal(met.length, Number(attempts), story);
    assert.equal(met.at(-1) === '200', outcome === 'ok', story);
    assert.doesNotMatch(met.slice(0, -1).join(' '), /(?<!^)\b(?!503|429|drop|slow)\w/, story);
    if (outcome === 'gave up') assert.equal(met.length, 6, story);
    if (!story.startsWith('missing')) sent += met.length;
  }
  assert.equal(stories.length, 25);
  assert.match(`${stories.at(-1)}`, /^missing +1 {2}404 +rejected$/);
  for (const one of [/ 503/, / 429/, / drop/, / slow/, /\(\d+\) .* ok$/m]) assert.match(stories.join('\n'), one);
  // The stray request is not counted.
  assert.match(stdout, new RegExp(`received ${sent} requests to /flaky/; the client made ${sent}\\n`));
  assert.ok(Math.max(...stdout.split('\n').map((line) => line.length)) <= 100);
});

test('with a server that never fails, and with one that always does', async () => {
  const never = await demo('--rate', '0');
  const always = await demo('--rate', '1', '--requests', '3');
  assert.match(never.stdout, /with retry +24 of 24 \(100%\)/);
  assert.ok(never.stories.slice(0, 24).every((story) => /^\d\d +1 {2}200 +ok$/.test(story)));
  assert.match(always.stdout, /with retry +0 of 3 \(0%\)/);
});

for (const [option, value] of [
  ['--rate', '1.5'],
  ['--requests', 'x'],
  ['--concurrency', '0'],
])
  test(`rejects ${option} ${value}`, () =>
    assert.rejects(demo(option, value), { code: 2, stderr: new RegExp(`^${option} must be`) }));

const IDS = Array.from({ length: 20_000 }, (_, i) => `r${i}`);
const LATENCY_MS = /** @type {const} */ ([60, 160]);
const kindOf = (failure, failureRate, id, n = 1) =>
  fate({ seed: 7, id, n, failure, failureRate, latencyMs: LATENCY_MS }).kind;
/** Checks the shares of what these ids meet, and that they meet nothing else. */
function checkShares(what, met, expected) {
  for (const one of new Set([...met, ...Object.keys(expected)])) {
    const [part, share] = [met.filter((other) => other === one).length / met.length, expected[one] ?? 0];
    const noise = 4 * Math.sqrt((share * (1 - share)) / met.length);
    assert.ok(Math.abs(part - share) <= noise, `${one} of ${what}: ${part}`);
  }
}

test('the server fails at the requested rate, in the shares of its kind, whatever became of requests before', () => {
  const shares = {
    mixed: { unavailable: 0.4, limited: 0.2, dropped: 0.2, slow: 0.2 },
    503: { unavailable: 1 },
    429: { limited: 1 },
  };
  for (const failure of FAILURES)
    for (const rate of [0, 0.3, 0.9, 1]) {
      const expected = Object.entries(shares[failure]).map(([kind, share]) => [kind, share * rate]);
      const met = IDS.map((id) => kindOf(failure, rate, id));
      checkShares(`${failure} at ${rate}`, met, { ok: 1 - rate, ...Object.fromEntries(expected) });
    }
  checkShares(
    'pairs',
    IDS.map((id) => `${kindOf('503', 0.6, id)} ${kindOf('503', 0.6, id, 2)}`),
    { 'ok ok': 0.16, 'ok unavailable': 0.24, 'unavailable ok': 0.24, 'unavailable unavailable': 0.36 },
  );
});

test('a fate is the same for the same seed, id and count, and another for others; the latency is in its range', () => {
  const of = (/** @type {string | number} */ seed, id, n) =>
    fate({ seed, id, n, failureRate: 0.6, latencyMs: LATENCY_MS });
  // These numbers are in links and in screenshots: a change of the rule is a change of the page.
  assert.deepEqual(
    ['1', '2', '3', '4'].map((id) => [1, 2, 3].map((n) => of(42, id, n).kind).join()),
    ['ok,ok,limited', 'slow,dropped,unavailable', 'ok,ok,ok', 'unavailable,unavailable,unavailable'],
  );
  assert.deepEqual(of(42, '1', 1), of('42', '1', 1));
  const all = [42, 43].flatMap((seed) => ['1', '2'].flatMap((id) => [1, 2].map((n) => of(seed, id, n).latencyMs)));
  assert.equal(new Set(all).size, all.length);
  for (const { latencyMs } of IDS.map((id) => of(1, id, 1))) assert.ok(latencyMs >= 60 && latencyMs < 160);
});
