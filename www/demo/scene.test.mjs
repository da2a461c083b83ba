/** The scene in Node: its numbers are those of the package, and its sentences those of the numbers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AT_ONCE, HERD, INITIAL, INITIAL_STATE, done, outageAlone, page, stateOf } from './lib/node.mjs';

const { scene, sceneInput, endOf, herdsOf, BINS, LANES } = await page('scene/compute');
const words = await page('scene/words');
const { axis, ticks, sceneMarkup, framesOf, picture, rateAt, rateTicks, HEIGHT, WIDTH } =
  await page('scene/markup scene/picture');
const { cost, halfInWords, headline, markdown } = await page('scene/compared');
const { readQuery, toQuery, refusalOf } = await page('state/permalink state/strategy');

const SECOND = '?backoff=fixed&jitter=none&baseMs=1000&maxAttempts=Infinity';
const inputOf = (query) => sceneInput(readQuery(query, INITIAL_STATE).state);
const resultOf = (query) => done(scene, inputOf(query));

test('of nine links: served, calls and times are those of simulateOutage', async () => {
  for (const query of [
    SECOND,
    '?jitter=none&maxAttempts=Infinity',
    '?maxAttempts=Infinity',
    '?backoff=fixed&baseMs=1000&maxAttempts=Infinity',
    '?maxAttempts=6',
    '?jitter=decorrelated',
    '?backoff=linear&jitter=equal&maxAttempts=Infinity',
    '?totalTimeoutMs=3000&seed=7',
    '?clients=200&downMs=500&rejectionCost=0.2&jitter=equal',
  ]) {
    // A link has the names of the package's options and of its outage, but for the deadline.
    const asked = Array.from(new URLSearchParams(query), ([name, value]) => [name, Number(value) || value]);
    const all = { maxAttempts: 10, ...HERD, ...Object.fromEntries(asked) };
    const { clients, downMs, rejectionCost, capacityPerS, seed = 42, totalTimeoutMs: deadlineMs, ...options } = all;
    const herd = { clients, downMs, rejectionCost, capacityPerS, seed, deadlineMs };
    const horizonMs = options.maxAttempts === Infinity ? 40_000 : 5_000_000;
    const { servedMs, giveUps, meanAttempts } = outageAlone(options, { ...herd, horizonMs });
    const { served, gaveUp, callsPerClient, lastServedMs, ...found } = await resultOf(query);
    const expected = [servedMs.length, giveUps, meanAttempts, servedMs.at(-1)];
    assert.deepEqual([served, gaveUp, callsPerClient, lastServedMs], expected, query);
    assert.equal(words.isBad({ served, ...found }), served < 0.99 * found.input.herd.clients);
  }
});

/** What is said beside the picture. @type {[query: string, said: RegExp][]} */
const SAID = [
  // The four steps, from nobody to everybody; each says why.
  [
    '',
    /^0 of 1,000 served, 1,000 still retry after 40 s; 3,996 calls each\. The .* 100,000 calls a second\..*nobody\.$/,
  ],
  [
    SECOND,
    /^446 of .*, 554 still retry after 40 s; 31\.9 calls each\. .* back together: 38 waves, .* of \d+ .* \d+ of each/,
  ],
  [
    '?backoff=exponential&jitter=none&maxAttempts=Infinity',
    /^60 .*, 940 still retry .* 9\.9 calls each\. .* rarer, not smaller: 5 in 38 s, .* still brings 952 calls/,
  ],
  [
    '?backoff=exponential&jitter=full&maxAttempts=Infinity',
    /^1,000 .*, by 18\.6 s, 8\.0 calls each\. After the outage at most \d+ calls come within .* server can take 12/,
  ],
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
  // What changes nothing says so.
  [
    '?backoff=fixed&jitter=full&baseMs=0&maxAttempts=Infinity',
    / There is no wait to draw: .* need a wait\. The clients/,
  ],
];

const plain = (text) => text.replaceAll('\u00a0', ' ');

test('what is said of a link: who is served, at what cost, why, and what would help', async () => {
  for (const [query, said] of SAID) {
    const result = await resultOf(query);
    assert.match(plain(`${headline(result)}, ${cost(result)}. ${words.sentence(result)}`), said, query);
  }
});

test('each of the four steps has its link, and a moment at which the picture shows what is said', async () => {
  for (const [i, { strategy }] of words.STEPS.entries()) {
    const query = toQuery({ ...INITIAL_STATE, strategy }, INITIAL_STATE);
    assert.equal(query, SAID[i]?.[0]);
    assert.equal(words.stepOf(strategy), i);
    const moment = words.momentOf(await resultOf(query));
    assert.ok(moment > 2000 && moment < 14_000, `${moment}`);
  }
  assert.equal(words.stepOf(INITIAL), -1);
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
  const [[, frame]] = framesOf({ ...found, other: undefined });
  assert.ok(rateAt(frame, 120) > 0.6 && rateAt(frame, 120) < 1);
  assert.equal(axis({ spanMs: 90_000 }).replace(/<\/?span>/g, ' '), ' 0\u00a0s  30\u00a0s  60\u00a0s  90\u00a0s ');
  const svg = picture(found);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  for (const [, x, y] of svg.matchAll(/M([\d.]+),([\d.]+)/g))
    assert.ok(Number(x) <= WIDTH && Number(y) <= HEIGHT, `${x},${y}`);
  // Four thousand calls of a lane are two marks: before the server is back, and after.
  const atOnce = await resultOf('');
  assert.equal(atOnce.marks.length, 2 * LANES);
  assert.ok(picture(atOnce).length < 20_000);
  const said = (result, ms) => words.momentInWords(words.momentAt(result, ms), ms);
  assert.match(said(found, 1000), /^1.s: down, rejects [\d.]+k?\/s$/);
  // While clients wait for a second, the last one counts.
  assert.match(said(await resultOf(SECOND), 40_000), /^40.s: serves \d+\/s, rejects [1-9]\d*\/s$/);
  assert.match(said(atOnce, 20_000), /^20.s: serves 0\/s, rejects 100k\/s$/);
  assert.equal(words.momentAt(found, 40_000).served, 60);
  assert.equal(String(rateTicks(framesOf({ ...atOnce, other: undefined })[0][1])), '100,1000,10000');
  // At 120/s, the line of the capacity is there.
  assert.doesNotMatch(ticks(atOnce), />100\/s</);
});

test('where too few are served, the same clients beside them with a strategy that serves nearly all', async () => {
  for (const [query, served, instead] of /** @type {[string, number, RegExp][]} */ ([
    ['', 0, /^Instead: 997 of 1,000 served, 3 gave up by 7\.89 s; 8\.0 calls each · Exponential · full jitter$/],
    [SECOND, 446, /^Instead: 997 of/],
    // As many attempts as these clients need.
    ['?clients=3000&maxAttempts=6', 70, /^Instead: (?:2,9[789]\d|3,000) of 3,000/],
  ])) {
    const result = await resultOf(query);
    assert.equal(result.served, served, query);
    const [own, other] = herdsOf(result);
    assert.match(plain(halfInWords(other, result)), instead);
    assert.match(halfInWords(own, result), /^As chosen: /);
    assert.equal(own.spanMs, other.spanMs, 'one axis of time');
    // Both are in the picture, and neither leaves its half.
    const rows = new Set(
      Array.from(picture(result).matchAll(/M[\d.]+,([\d.]+)h0/g), ([, y]) => Number(y) > HEIGHT / 2),
    );
    assert.deepEqual([...rows], served === 446 ? [false, true] : [true]);
  }
  // None where none is needed, and none where none helps.
  for (const query of ['?maxAttempts=10', '?clients=10000&capacityPerS=1'])
    assert.equal((await resultOf(query)).other, undefined, query);
});

test('before and after: one picture, both numbers, and a line for a pull request', async () => {
  const result = await resultOf('?maxAttempts=10&vs=p-retry');
  assert.equal(plain(headline(result)), '108 → 997 of 1,000 served');
  assert.equal(plain(cost(result)), '10.6 → 8.0 calls each, longest wait 8.5 min → 10 s');
  assert.deepEqual(
    herdsOf(result).map((herd) => plain(halfInWords(herd, result)).replace(/,.* each/, '')),
    ['Before: 108 of 1 · p-retry 9.0.0', 'After: 997 of 1 · Exponential · full jitter'],
  );
  // As if each were alone.
  for (const [query, i] of /** @type {[string, number][]} */ ([
    ['?jitter=none&baseMs=1000&capMs=Infinity&maxAttempts=11', 0],
    ['?maxAttempts=10', 1],
  ])) {
    const { served, callsPerClient, lastServedMs } = await resultOf(query);
    const half = herdsOf(result)[i];
    assert.deepEqual([half.served, half.callsPerClient, half.lastServedMs], [served, callsPerClient, lastServedMs]);
  }
  assert.equal(
    markdown(result, 'https://x/?vs=p-retry'),
    '**Retries:** p-retry 9.0.0 → Exponential · full jitter, base 100 ms, cap 10 s, factor 2, 10 attempts: ' +
      '**108 → 997 of 1,000 served**, 10.6 → 8.0 calls each, longest wait 8.5 min → 10 s ' +
      '([1,000 clients, an outage of 2 s, seed 42](https://x/?vs=p-retry))',
  );
});

test('a long job reports how far it is, repeats its result for a seed, and ends when it is not wanted', async () => {
  const { verdict, contention } = await page('verdict/compute contention/compute');
  for (const [job, reports, most, short, long] of [
    [scene, 0, 2000, inputOf('?clients=2000'), inputOf('?clients=10000')],
    [verdict, 29, 30, inputOf('?clients=50'), inputOf('?clients=10000')],
    [contention, 10, 1, { clients: [10, 20], runs: 5, seed: 1 }, { clients: [190], runs: 100, seed: 1 }],
  ]) {
    const numberOf = ({ served, seeds, share }) => served ?? seeds ?? share;
    const told = [];
    const result = await done(job, short, (part) => told.push(numberOf(part)));
    assert.ok(told.length >= reports && told.every((n, i) => n <= most && n >= (told[i - 1] ?? 0)), `${told}`);
    assert.deepEqual(await done(job, short), result);
    const stop = new AbortController();
    const report = (part) => stop.abort(new Error(`not wanted after ${numberOf(part)}`));
    await assert.rejects(done(job, long, report, stop), /not wanted after [\d.]+$/);
  }
});

describe('the words are the strategy', () => {
  const said = (strategy) => words.PARTS.map((part) => part.said(strategy));

  test('each word sets what it says, from any strategy; the others stay as they are', () => {
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
  });

  test('a choice of the grid has words of its own', async () => {
    for (const [part, retry, times] of [
      [{ jitter: 'equal' }, 'after doubling waits', 'with equal jitter'],
      [{ jitter: 'decorrelated', capMs: 5000 }, 'after waits from 100 ms, up to 5 s', 'with decorrelated jitter'],
      [{ backoff: 'linear' }, 'after waits that grow by 100 ms', 'at random times'],
    ])
      assert.deepEqual(
        said({ ...INITIAL, .../** @type {object} */ (part), maxAttempts: 7 }).map((text) => text.replace(/\s/g, ' ')),
        [retry, times, '7 attempts'],
      );
    const html = sceneMarkup({ ...INITIAL_STATE, strategy: { ...INITIAL, jitter: 'equal' } }, await resultOf(''));
    assert.match(html, /value="with equal jitter" checked/);
  });
});
