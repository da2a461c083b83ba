/** The scene in Node: its numbers are those of the package, and its sentences those of the numbers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AT_ONCE, INITIAL, INITIAL_STATE, done, outageInput, page, stateOf } from './lib/node.mjs';
import { outageAlone } from './lib/outage.mjs';

const { scene, endOf, BINS, LANES } = await page('scene/compute.ts');
const words = await page('scene/words.ts');
const { sceneMarkup, capacityAt, picture, rateTicks, HEIGHT, WIDTH } = await page(
  'scene/markup.ts',
  'scene/picture.ts',
);
const { readQuery, toQuery, refusalOf } = await page('state/permalink.ts', 'state/strategy.ts');

const SECOND = '?backoff=fixed&jitter=none&baseMs=1000&maxAttempts=Infinity';
const inputOf = (query) => outageInput(readQuery(query, INITIAL_STATE).state);
const resultOf = (query) => done(scene, inputOf(query));

describe('nine links', () => {
  const never = { maxAttempts: Infinity };
  const second = { backoff: 'fixed', jitter: 'none', baseMs: 1000, ...never };
  const long = { horizonMs: 5_000_000 };
  for (const [query, options, herd] of /** @type {[string, object, object?][]} */ ([
    [SECOND, second],
    ['?jitter=none&maxAttempts=Infinity', { jitter: 'none', ...never }],
    ['?maxAttempts=Infinity', never],
    ['?backoff=fixed&baseMs=1000&maxAttempts=Infinity', { ...second, jitter: 'full' }],
    ['?maxAttempts=6', { maxAttempts: 6 }, long],
    ['?jitter=decorrelated', { jitter: 'decorrelated', maxAttempts: 10 }, long],
    ['?backoff=linear&jitter=equal&maxAttempts=Infinity', { backoff: 'linear', jitter: 'equal', ...never }],
    ['?maxAttempts=4&totalTimeoutMs=3000&seed=7', { maxAttempts: 4 }, { ...long, deadlineMs: 3000, seed: 7 }],
    [
      '?clients=200&downMs=500&rejectionCost=0.2&jitter=equal',
      { jitter: 'equal', maxAttempts: 10 },
      { ...long, clients: 200, downMs: 500, rejectionCost: 0.2 },
    ],
  ]))
    test(`${query}: served, calls and times are those of simulateOutage`, async () => {
      const found = await resultOf(query);
      const { servedMs, giveUps, meanAttempts } = outageAlone(options, herd);
      assert.deepEqual(
        [found.served, found.gaveUp, found.callsPerClient, found.lastServedMs],
        [servedMs.length, giveUps, meanAttempts, servedMs.at(-1)],
      );
      assert.ok(words.headline(found).startsWith(`${found.served.toLocaleString('en-US')} of `));
      const calls = Number(/([\d.,]+) calls? each$/.exec(words.cost(found))?.[1]?.replaceAll(',', ''));
      assert.ok(Math.abs(calls - meanAttempts) <= (calls < 100 ? 0.05 : 0.5), words.cost(found));
      assert.equal(words.isBad(found), found.served < 0.99 * found.input.herd.clients);
    });
});

test('the four steps go from nobody to everybody, and each says why when the picture shows it', async () => {
  const expected = /** @type {const} */ ([
    [
      0,
      '1,000 still retry after 40 s; 3,996 calls each',
      /^The clients send 100,000 calls a second\. .* serves nobody\.$/,
    ],
    [446, '554 still retry after 40 s; 31.9 calls each', /back together: 38 waves, the last one of \d+ .* \d+ of each/],
    [60, '940 still retry after 40 s; 9.9 calls each', /rarer, not smaller: 5 in 38.s, .* still brings 952 calls/],
    [1000, 'by 18.6 s, 8.0 calls each', /^After the outage at most \d+.calls come within .* server can take 12/],
  ]);
  for (const [i, { strategy }] of words.STEPS.entries()) {
    const [served, cost, why] = expected[i];
    const found = await resultOf(toQuery({ ...INITIAL_STATE, strategy }, INITIAL_STATE));
    assert.deepEqual([found.served, words.cost(found).replaceAll('\u00a0', ' ')], [served, cost]);
    assert.match(words.sentence(found), why);
    assert.equal(words.stepOf(strategy), i);
    assert.ok(words.momentOf(found) > 2000 && words.momentOf(found) < 14_000, words.momentOf(found));
  }
  assert.equal(words.stepOf(INITIAL), -1);
});

test('who gives up too early is told how long the waits take, and how many attempts the outage needs', async () => {
  assert.ok((await resultOf('?maxAttempts=10')).served >= 990);
  assert.ok((await resultOf('?maxAttempts=9')).served < 990, 'and one less does not do');
  // Three reasons why no number is known, and none if enough are served.
  for (const [query, expected] of /** @type {[string, RegExp][]} */ ([
    ['?maxAttempts=6', /^The waits of 6.attempts take at most 3\.1.s; this outage needs 10.attempts\.$/],
    ['?jitter=none&maxAttempts=6', /^The waits of 6.attempts .*\. Even 30.attempts do not serve 99%: the calls come/],
    ['?clients=10000&maxAttempts=6', /^The waits of 6.attempts .* 3\.1.s\. Even 30.attempts do not serve 99%\.$/],
    ['?clients=10000&maxAttempts=40&capMs=1000', /^The waits of 40.attempts take at most 36\.5.s\.$/],
    ['?totalTimeoutMs=3000', /^The deadline of 3.s is too short for this outage\.$/],
    ['?totalTimeoutMs=3000&maxAttempts=Infinity', /^The deadline of 3.s is too short/],
    ['?backoff=fixed&jitter=none&baseMs=0&maxAttempts=6', /^The waits of 6.attempts take at most 0.ms\. Even/],
    ['?maxAttempts=10', /^$/],
  ])) {
    const found = await resultOf(query);
    assert.match(words.patience(found), expected, query);
    assert.equal(found.served >= 990 && found.input.herd.clients === 1000, found.needs === undefined, query);
  }
  assert.equal(words.patience(await resultOf(SECOND)), '');
  const one = words.sentence(await resultOf('?maxAttempts=1'));
  assert.match(one, /No client calls after the outage\. A single attempt never waits; .* needs 10.a/);
});

test('why: the others, the waves and the last moment are named only where they are', async () => {
  for (const [query, expected] of /** @type {[string, RegExp][]} */ ([
    [`${SECOND}&clients=10`, /10.calls come within the same 100.ms, and the server can take 12 in that time\.$/],
    [`${SECOND}&clients=20`, /The server can take 12 of them in that time; the others come again\.$/],
    ['?maxAttempts=Infinity&clients=10000', /^After the outage at most [\d,]+/],
    ['?jitter=equal&clients=10000&maxAttempts=Infinity', /^After the outage at most [\d,]+/],
    [`${SECOND}&clients=2000`, /^All clients wait equally long, so they come back together: \d+ waves/],
    // What changes nothing says so.
    [
      '?backoff=fixed&jitter=full&baseMs=0&maxAttempts=Infinity',
      /^There is no wait to draw: random times need a wait\. The clients send/,
    ],
    ['', /^The clients send/],
  ]))
    assert.match(words.sentence(await resultOf(query)), expected, query);
  const open = await resultOf(`${SECOND}&clients=9000`);
  assert.ok(open.untilMs < open.spanMs && endOf(open) === open.untilMs, 'clients still retry');
  const over = await resultOf('?backoff=fixed&baseMs=1000&maxAttempts=Infinity');
  assert.ok(over.untilMs < over.spanMs && endOf(over) === over.spanMs, 'nothing happens any more');
});

test('the picture: 24 lanes, marks as close as one can see, the capacity where it is', async () => {
  const found = await resultOf('?jitter=none&maxAttempts=Infinity');
  assert.equal(new Set(found.marks.map(({ lane }) => lane)).size, LANES);
  assert.equal(found.arrivals.length, BINS);
  assert.equal(
    found.arrivals.reduce((a, b) => a + b),
    1000 * found.callsPerClient,
  );
  assert.ok(capacityAt(found) > 0.6 && capacityAt(found) < 1);
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
  assert.match(said(atOnce, 20_000), /^20.s: serves 0\/s, rejects 100k\/s$/);
  assert.equal(words.momentAt(found, 40_000).served, 60);
  assert.deepEqual(
    rateTicks(atOnce).map(({ perS }) => perS),
    [100, 1000, 10_000],
  );
});

test('a long run reports what there is on its way, and ends when it is not wanted', async () => {
  let reports = 0;
  const stop = new AbortController();
  const report = () => {
    reports += 1;
    stop.abort(new Error('not wanted'));
  };
  await assert.rejects(done(scene, inputOf('?clients=10000'), report, stop), /not wanted/);
  assert.equal(reports, 1);
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
