/** What the scene says, and what its picture shows. That its numbers are those of the package: states.test.mjs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AT_ONCE, INITIAL, INITIAL_STATE, done, page, stateOf } from './lib/node.mjs';

const { scene, sceneInput, endOf, herdsOf, BINS, LANES } = await page('scene/compute');
const words = await page('scene/words');
const { axis, ticks, sceneMarkup, framesOf, picture, rateAt, rateTicks, HEIGHT, WIDTH } =
  await page('scene/markup scene/picture');
const { cost, halfInWords, headline, markdown } = await page('scene/compared');
const { readQuery, toQuery, refusalOf, stepOf } = await page('state/permalink state/strategy state/story');

const SECOND = '?backoff=fixed&jitter=none&baseMs=1000&maxAttempts=Infinity';
const inputOf = (query) => sceneInput(readQuery(query, INITIAL_STATE).state);
const resultOf = (query) => done(scene, inputOf(query));
const plain = (text) => text.replaceAll('\u00a0', ' ');

/** What is said beside the picture: a row for each branch. */
const SAID = [
  // The four steps, from nobody to everybody; each says why.
  ['', /^0 of 1,000 served, 1,000 still retry after 40 s; 3,996 calls each\..* 100,000 calls a second\..*nobody\.$/],
  [SECOND, /^446 of .*, 554 still retry after 40 s; 31\.9 calls each\..* 38 waves, .* of \d+ .* \d+ of each/],
  [
    '?backoff=exponential&jitter=none&maxAttempts=Infinity',
    /^60 .* 9\.9 calls each\..* 5 in 38 s, .* brings 952 calls/,
  ],
  ['?backoff=exponential&jitter=full&maxAttempts=Infinity', /^1,000 .*, by 18\.6 s, 8\.0 calls each\..* can take 12/],
  // Who gives up too early: how long the waits take, and how many attempts the outage needs, or why that is not known.
  ['?maxAttempts=10', /^99\d .* at another moment\.$/],
  ['?maxAttempts=9', /^9[0-8]\d .* this outage needs 10 attempts\.$/],
  ['?maxAttempts=6', / The waits of 6 attempts take at most 3\.1 s; this outage needs 10 attempts\.$/],
  ['?jitter=none&maxAttempts=6', / The waits of 6 .*\. Even 30 attempts do not serve 99%: the calls come together\.$/],
  ['?clients=10000&maxAttempts=6', / The waits of 6 attempts .* 3\.1 s\. Even 30 attempts do not serve 99%\.$/],
  ['?clients=10000&maxAttempts=40&capMs=1000', / The waits of 40 attempts take at most 36\.5 s\.$/],
  ['?totalTimeoutMs=3000', / The deadline of 3 s is too short for this outage\.$/],
  ['?maxAttempts=1', / No client calls after the outage\. A single attempt never waits; .* needs 10 a/],
  // The others, the waves and the last moment are named only where they are.
  [`${SECOND}&clients=10`, /10 calls come within the same 100 ms, and the server can take 12 in that time\.$/],
  [`${SECOND}&clients=20`, /The server can take 12 of them in that time; the others come again\.$/],
  ['?jitter=equal&clients=10000&maxAttempts=Infinity', / After the outage at most [\d,]+/],
  [`${SECOND}&clients=2000`, / All clients wait equally long, so they come back together: \d+ waves/],
  ['?backoff=fixed&jitter=full&baseMs=0&maxAttempts=Infinity', / There is no wait to draw: .* need a wait\. The/],
];

test('says who is served, at what cost, why, and what would help, at a moment when the picture shows it', async () => {
  for (const [i, [query, said]] of SAID.entries()) {
    const result = await resultOf(query);
    assert.match(plain(`${headline(result)}, ${cost(result)}. ${words.sentence(result)}`), said, query);
    if (i >= words.STORY.steps.length) continue;
    const state = { ...INITIAL_STATE, ...words.STORY.steps[i].state };
    assert.equal(toQuery(state, INITIAL_STATE), query);
    assert.equal(stepOf(words.STORY, state), i);
    const moment = words.momentOf(result);
    assert.ok(moment > 2000 && moment < 14_000, `${query}: ${moment}`);
  }
  assert.equal(stepOf(words.STORY, { ...INITIAL_STATE, strategy: INITIAL }), -1);
  const open = await resultOf(`${SECOND}&clients=9000`);
  assert.ok(open.untilMs < open.spanMs && endOf(open) === open.untilMs, 'clients still retry');
  const over = await resultOf('?backoff=fixed&baseMs=1000&maxAttempts=Infinity');
  assert.ok(over.untilMs < over.spanMs && endOf(over) === over.spanMs, 'nothing happens any more');
});

test('the picture: 24 lanes, marks as close as one can see, the capacity where it is', async () => {
  const found = await resultOf('?jitter=none&maxAttempts=Infinity');
  assert.equal(new Set(found.marks.map(({ lane }) => lane)).size, LANES);
  const calls = found.arrivals.reduce((a, b) => a + b);
  assert.deepEqual([found.arrivals.length, calls], [BINS, 1000 * found.callsPerClient]);
  const frame = (result) => framesOf({ ...result, other: undefined })[0][1];
  assert.ok(rateAt(frame(found), 120) > 0.6 && rateAt(frame(found), 120) < 1);
  assert.equal(axis({ spanMs: 90_000 }).replace(/<\/?span>/g, ' '), ' 0\u00a0s  30\u00a0s  60\u00a0s  90\u00a0s ');
  const svg = picture(found);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  for (const [, x, y] of svg.matchAll(/M([\d.]+),([\d.]+)/g))
    assert.ok(Number(x) <= WIDTH && Number(y) <= HEIGHT, `${x},${y}`);
  // Four thousand calls of a lane are two marks: before the server is back, and after.
  const atOnce = await resultOf('');
  assert.equal(atOnce.marks.length, 2 * LANES);
  assert.ok(picture(atOnce).length < 20_000);
  assert.deepEqual(rateTicks(frame(atOnce)), [100, 1000, 10_000]);
  assert.doesNotMatch(ticks(atOnce), />100\/s</, 'at 120/s is the line of the capacity');
  const said = (result, ms) => words.momentInWords(words.momentAt(result, ms), ms);
  assert.match(said(found, 1000), /^1.s: down, rejects [\d.]+k?\/s$/);
  // While clients wait for a second, the last one counts.
  assert.match(said(await resultOf(SECOND), 40_000), /^40.s: serves \d+\/s, rejects [1-9]\d*\/s$/);
  assert.match(said(atOnce, 20_000), /^20.s: serves 0\/s, rejects 100k\/s$/);
  assert.equal(words.momentAt(found, 40_000).served, 60);
});

/** Two herds: what is said of the one beside, then of the own. */
const BESIDE = [
  [
    '',
    /^Instead: 997 of 1,000 served, 3 gave up by 7\.89 s; 8\.0 calls each · Exponential · full jitter$/,
    /^As chosen: 0/,
  ],
  [SECOND, /^Instead: 997 of/, /^As chosen: 446/],
  // As many attempts as these clients need.
  ['?clients=3000&maxAttempts=6', /^Instead: (?:2,9[789]\d|3,000) of 3,000/, /^As chosen: 70/],
  ['?maxAttempts=10&vs=p-retry', /^Before: 108 of 1,000 .* · p-retry 9\.0\.0$/, /^After: 997 .* · Exponential · full/],
];

test('the same clients beside them: before, or with a strategy that serves nearly all, where too few are', async () => {
  for (const [query, ...said] of BESIDE) {
    const result = await resultOf(query);
    const both = herdsOf(result).toSorted((a) => (a === result.other ? -1 : 1));
    for (const [i, herd] of both.entries()) assert.match(plain(halfInWords(herd, result)), said[i]);
    assert.equal(both[0].spanMs, both[1].spanMs, 'one axis of time');
    // Both are in the picture, and neither leaves its half.
    const halves = new Set();
    for (const [, y] of picture(result).matchAll(/M[\d.]+,([\d.]+)h0/g)) halves.add(Number(y) > HEIGHT / 2);
    assert.deepEqual([...halves].sort(), result.served < 100 ? [true] : [false, true], query);
  }
  // None where none is needed, and none where none helps.
  for (const query of ['?maxAttempts=10', '?clients=10000&capacityPerS=1'])
    assert.equal((await resultOf(query)).other, undefined, query);
});

test('before and after are as if each were alone, with both numbers in a line for a pull request', async () => {
  const result = await resultOf('?maxAttempts=10&vs=p-retry');
  for (const [i, query] of ['?jitter=none&baseMs=1000&capMs=Infinity&maxAttempts=11', '?maxAttempts=10'].entries()) {
    const numbers = ({ served, callsPerClient, lastServedMs }) => [served, callsPerClient, lastServedMs];
    assert.deepEqual(numbers(herdsOf(result)[i]), numbers(await resultOf(query)));
  }
  const both = '**108 → 997 of 1,000 served**, 10.6 → 8.0 calls each, longest wait 8.5 min → 10 s';
  assert.equal(plain(`**${headline(result)}**, ${cost(result)}`), both);
  const after = 'Exponential · full jitter, base 100 ms, cap 10 s, factor 2, 10 attempts';
  const link = '([1,000 clients, an outage of 2 s, seed 42](https://x/?vs=p-retry))';
  const line = `**Retries:** p-retry 9.0.0 → ${after}: ${both} ${link}`;
  assert.equal(markdown(result, 'https://x/?vs=p-retry'), line);
});

test('a long job reports how far it is, repeats its result for a seed, and ends when it is not wanted', async () => {
  const { verdict, contention } = await page('verdict/compute contention/compute');
  for (const [job, reports, most, short, long] of [
    [scene, 0, 2000, inputOf('?clients=2000'), inputOf('?clients=10000')],
    [verdict, 29, 30, inputOf('?clients=50'), inputOf('?clients=10000')],
    [contention, 2, 10, { clients: [10, 20], runs: 5, seed: 1 }, { clients: [10, 190], runs: 100, seed: 1 }],
  ]) {
    const numberOf = ({ served, seeds, points }) => served ?? seeds ?? points.length;
    const told = [];
    const result = await done(job, short, (part) => told.push(numberOf(part)));
    assert.ok(told.length >= reports && told.every((n, i) => n <= most && n >= (told[i - 1] ?? 0)), `${told}`);
    assert.deepEqual(await done(job, short), result);
    const stop = new AbortController();
    const report = (part) => stop.abort(new Error(`not wanted after ${numberOf(part)}`));
    await assert.rejects(done(job, long, report, stop), /not wanted after [\d.]+$/);
  }
});

test('each word of the sentence sets what it says, from any strategy; the others stay as they are', async () => {
  const said = (strategy) => words.PARTS.map((part) => part.said(strategy));
  const all = Array.from({ length: 300 }, (_, seed) => stateOf(seed).strategy);
  for (const strategy of [AT_ONCE, INITIAL, ...all])
    for (const [i, part] of words.PARTS.entries())
      for (const word of part.words) {
        const next = word.set(strategy);
        assert.equal(refusalOf(next), undefined, `${word.text} of ${JSON.stringify(strategy)}`);
        const now = said(next);
        assert.ok(now[i].startsWith(word.text), `${now[i]} for ${word.text}`);
        assert.equal(now[2], i === 2 ? word.text : said(strategy)[2]);
      }
  // A choice of the grid has a word of its own, which is chosen.
  const state = { ...INITIAL_STATE, strategy: { ...INITIAL, jitter: 'equal' } };
  assert.match(sceneMarkup(state, await resultOf('')), /value="with equal jitter" checked/);
});
