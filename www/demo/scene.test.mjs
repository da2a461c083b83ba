/**
 * The scene in Node, by the page's own functions: its numbers are those of the package, and its sentences those of the
 * numbers. Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateOf } from './lib/states.mjs';
import { outageAlone } from './lib/verdict.mjs';
import { pageModule } from './page-module.mjs';

const { scene, endOf, BINS, LANES } = await pageModule('scene/compute.ts');
const { outageInput } = await pageModule('compute/outage.ts');
const words = await pageModule('scene/words.ts');
const { key, sceneMarkup } = await pageModule('scene/markup.ts');
const { capacityAt, picture, rateTicks, HEIGHT, WIDTH } = await pageModule('scene/picture.ts');
const { fromQuery, toQuery } = await pageModule('state/permalink.ts');
const { INITIAL_STATE, PROTECTIONS } = await pageModule('state/state.ts');
const { ALL_BACKOFFS, ALL_JITTERS, AT_ONCE, INITIAL, refusalOf } = await pageModule('state/strategy.ts');

const signal = new AbortController().signal;
const PAGE = { ALL_BACKOFFS, ALL_JITTERS, INITIAL_STATE, PROTECTIONS };
const SECOND = '?backoff=fixed&jitter=none&baseMs=1000&maxAttempts=Infinity';
/** @param {string} query */
const resultOf = (query) => scene(outageInput(fromQuery(query, INITIAL_STATE)), () => {}, signal);
const NBSP = '\u00a0';
const DRAWN = await resultOf('');

describe('nine links', () => {
  const doubling = { baseMs: 100, capMs: 10_000 };
  const never = { maxAttempts: Infinity };
  const fixed = (/** @type {number} */ baseMs) => ({ backoff: 'fixed', jitter: 'none', baseMs, ...never });
  const long = { horizonMs: 5_000_000 };
  /** @type {[query: string, options: object, herd?: object][]} */
  const links = [
    ['?backoff=fixed&jitter=none&baseMs=1000&maxAttempts=Infinity', fixed(1000)],
    ['?jitter=none&maxAttempts=Infinity', { ...doubling, jitter: 'none', ...never }],
    ['?maxAttempts=Infinity', { ...doubling, ...never }],
    ['?backoff=fixed&baseMs=1000&maxAttempts=Infinity', { ...fixed(1000), jitter: 'full' }],
    ['?maxAttempts=6', { ...doubling, maxAttempts: 6 }, long],
    ['?jitter=decorrelated', { ...doubling, jitter: 'decorrelated', maxAttempts: 10 }, long],
    [
      '?backoff=linear&jitter=equal&maxAttempts=Infinity',
      { backoff: 'linear', jitter: 'equal', ...doubling, ...never },
    ],
    [
      '?maxAttempts=4&totalTimeoutMs=3000&seed=7',
      { ...doubling, maxAttempts: 4 },
      { ...long, deadlineMs: 3000, seed: 7 },
    ],
    [
      '?clients=200&downMs=500&rejectionCost=0.2&jitter=equal',
      { ...doubling, jitter: 'equal', maxAttempts: 10 },
      { ...long, clients: 200, downMs: 500, rejectionCost: 0.2 },
    ],
  ];
  for (const [query, options, herd] of links)
    test(`${query}: served, calls and times are those of simulateOutage`, async () => {
      const found = await resultOf(query);
      const expected = outageAlone(options, herd);
      assert.deepEqual(
        [found.served, found.gaveUp, found.callsPerClient, found.lastServedMs],
        [expected.servedMs.length, expected.giveUps, expected.meanAttempts, expected.servedMs.at(-1)],
      );
      assert.equal(words.headline(found).startsWith(`${found.served.toLocaleString('en-US')} of `), true);
      const calls = Number(/([\d.,]+) calls? each$/.exec(words.cost(found))?.[1]?.replaceAll(',', ''));
      assert.ok(Math.abs(calls - expected.meanAttempts) <= (calls < 100 ? 0.05 : 0.5), words.cost(found));
      assert.equal(words.isBad(found), found.served < 0.99 * found.input.herd.clients);
    });
});

test('the four steps go from nobody to everybody, and each says why', async () => {
  const steps = await Promise.all(
    words.STEPS.map((/** @type {any} */ { strategy }) =>
      resultOf(toQuery({ ...INITIAL_STATE, strategy }, INITIAL_STATE)),
    ),
  );
  assert.deepEqual(
    steps.map(({ served }) => served),
    [0, 446, 60, 1000],
  );
  assert.deepEqual(steps.map(words.cost), [
    `1,000 still retry after 40${NBSP}s; 3,996 calls each`,
    `554 still retry after 40${NBSP}s; 31.9 calls each`,
    `940 still retry after 40${NBSP}s; 9.9 calls each`,
    `by 18.6${NBSP}s, 8.0 calls each`,
  ]);
  const [atOnce, second, doubling, random] = steps.map(words.sentence);
  assert.match(atOnce, /^The clients send 100,000 calls a second\. .* serves nobody\.$/);
  assert.match(
    second,
    /come back together: 38 waves, the last one of \d+ calls\. The server takes at most \d+ of each/,
  );
  assert.match(doubling, /rarer, not smaller: 5 in 38.s, and the last one still brings 952 calls/);
  assert.match(random, /^After the outage at most \d+.calls come within the same 100.ms\. The server can take 12/);
  assert.deepEqual(
    words.STEPS.map((/** @type {any} */ { strategy }) => words.stepOf(strategy)),
    [0, 1, 2, 3],
  );
  assert.equal(words.stepOf(INITIAL), -1);
  // Each sentence comes when the picture shows it.
  for (const step of steps)
    assert.ok(words.momentOf(step) > 2000 && words.momentOf(step) < 14_000, words.momentOf(step));
});

test('who gives up too early is told how long the waits take, and how many attempts the outage needs', async () => {
  const six = await resultOf('?maxAttempts=6');
  assert.equal(six.needs, 10);
  assert.equal(
    words.patience(six),
    `The waits of 6${NBSP}attempts take at most 3.1${NBSP}s; this outage needs 10${NBSP}attempts.`,
  );
  assert.ok((await resultOf('?maxAttempts=10')).served >= 990);
  const nine = await resultOf('?maxAttempts=9');
  assert.ok(nine.served < 990, 'and one less does not do');
  // Three reasons why no number is known, and none if enough are served.
  for (const [query, expected] of /** @type {[string, RegExp][]} */ ([
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
  assert.equal(words.patience(await resultOf('?backoff=fixed&jitter=none&baseMs=1000&maxAttempts=Infinity')), '');
  assert.match(
    words.sentence(await resultOf('?maxAttempts=1')),
    /No client calls after the outage\. A single attempt never waits; .* needs 10.a/,
  );
});

test('why: the others, the waves and the last moment are named only where they are', async () => {
  for (const [query, expected] of /** @type {[string, RegExp][]} */ ([
    [`${SECOND}&clients=10`, /10.calls come within the same 100.ms, and the server can take 12 in that time\.$/],
    [`${SECOND}&clients=20`, /The server can take 12 of them in that time; the others come again\.$/],
    ['?maxAttempts=Infinity&clients=10000', /^After the outage at most [\d,]+/],
    ['?jitter=equal&clients=10000&maxAttempts=Infinity', /^After the outage at most [\d,]+/],
    [`${SECOND}&clients=2000`, /^All clients wait equally long, so they come back together: \d+ waves/],
  ]))
    assert.match(words.sentence(await resultOf(query)), expected, query);
  const open = await resultOf(`${SECOND}&clients=9000`);
  assert.ok(open.untilMs < open.spanMs && endOf(open) === open.untilMs, 'clients still retry');
  const over = await resultOf('?backoff=fixed&baseMs=1000&maxAttempts=Infinity');
  assert.ok(over.untilMs < over.spanMs && endOf(over) === over.spanMs, 'nothing happens any more');
});

test('the picture: 24 lanes, marks as close as one can see, the capacity where it is', async () => {
  const found = await resultOf('?jitter=none&maxAttempts=Infinity');
  assert.equal(new Set(found.marks.map((/** @type {any} */ { lane }) => lane)).size, LANES);
  assert.equal(found.arrivals.length, BINS);
  assert.equal(
    found.arrivals.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b),
    1000 * found.callsPerClient,
  );
  assert.ok(capacityAt(found) > 0.6 && capacityAt(found) < 1);
  const svg = picture(found);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  for (const [, x = '', y = ''] of svg.matchAll(/M([\d.]+),([\d.]+)/g))
    assert.ok(Number(x) <= WIDTH && Number(y) <= HEIGHT, `${x},${y}`);
  // Four thousand calls of a lane are two marks: before the server is back, and after.
  const atOnce = await resultOf('');
  assert.equal(atOnce.marks.length, 2 * LANES);
  assert.ok(picture(atOnce).length < 20_000);
  const said = (/** @type {any} */ result, /** @type {number} */ ms) =>
    words.momentInWords(words.momentAt(result, ms), ms);
  assert.match(said(found, 1000), /^1.s: down, rejects [\d.]+k?\/s$/);
  assert.match(said(atOnce, 20_000), /^20.s: serves 0\/s, rejects 100k\/s$/);
  assert.equal(words.momentAt(found, 40_000).served, 60);
  assert.deepEqual(
    rateTicks(atOnce).map((/** @type {{ perS: number }} */ { perS }) => perS),
    [100, 1000, 10_000],
  );
});

test('a long run reports what there is on its way, and ends when it is not wanted', async () => {
  let reports = 0;
  const stop = new AbortController();
  const input = outageInput(fromQuery('?clients=10000', INITIAL_STATE));
  await assert.rejects(
    scene(
      input,
      () => {
        reports += 1;
        stop.abort(new Error('not wanted'));
      },
      stop.signal,
    ),
    /not wanted/,
  );
  assert.equal(reports, 1);
});

test('random times without a wait change nothing, and the scene says why', async () => {
  const [still, drawn] = [
    await resultOf(''),
    await resultOf('?backoff=fixed&jitter=full&baseMs=0&maxAttempts=Infinity'),
  ];
  assert.deepEqual([still.served, drawn.served], [0, 0]);
  assert.match(words.sentence(drawn), /^There is no wait to draw: random times need a wait\. The clients send/);
  assert.doesNotMatch(words.sentence(still), /no wait to draw/);
});

describe('the words are the strategy', () => {
  const said = (/** @type {any} */ strategy) => words.PARTS.map((/** @type {any} */ part) => part.said(strategy));

  test('each word sets what it says, from any strategy; the others stay as they are', () => {
    const all = Array.from({ length: 300 }, (_, seed) => stateOf(seed, PAGE).strategy);
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

  test('a choice of the grid has words of its own', () => {
    assert.deepEqual(said({ ...INITIAL, jitter: 'equal', maxAttempts: 7 }), [
      'after doubling waits',
      'with equal jitter',
      `7${NBSP}attempts`,
    ]);
    assert.deepEqual(said({ ...INITIAL, jitter: 'decorrelated', capMs: 5000 }).slice(0, 2), [
      `after waits from 100${NBSP}ms, up to 5${NBSP}s`,
      'with decorrelated jitter',
    ]);
    assert.equal(said({ ...INITIAL, backoff: 'linear' })[0], `after waits that grow by 100${NBSP}ms`);
    const html = sceneMarkup({ ...INITIAL_STATE, strategy: { ...INITIAL, jitter: 'equal' } }, DRAWN);
    assert.match(html, /value="with equal jitter" checked/);
  });
});

test('sentences hold for every state: one attempt, few clients, no outage, a run that is cut off', async () => {
  for (let seed = 0; seed < 10_000; seed++) {
    const { strategy, herd } = stateOf(seed, PAGE);
    const spoken = `${words.opening({ strategy, herd })} ${words.ending(strategy)}`;
    if (strategy.maxAttempts === 1) assert.doesNotMatch(spoken, /retr/);
    if (herd.downMs === 0) assert.doesNotMatch(spoken, /lose|server for/);
    const input = { strategy, herd, seed: 1 };
    if (herd.clients < LANES) assert.doesNotMatch(key({ ...DRAWN, input }), /24/);
  }
  // Fewer of them are simulated: each takes some milliseconds.
  for (let seed = 0; seed < 150; seed++) {
    const state = stateOf(seed, PAGE);
    const clients = [10, 24, 100][seed % 3] ?? 10;
    const herd = {
      ...state.herd,
      clients,
      downMs: state.herd.downMs % 5000,
      capacityPerS: 1 + (state.herd.capacityPerS % 500),
    };
    const capMs = Math.min(state.strategy.capMs, 20_000);
    const strategy = {
      ...state.strategy,
      capMs,
      baseMs: Math.min(capMs, Math.max(5, state.strategy.baseMs)),
      minMs: 0,
    };
    const result = await scene(outageInput({ ...state, strategy, herd }), () => {}, signal);
    const spoken = words.described(result);
    assert.doesNotMatch(
      spoken,
      /NaN|undefined|Infinity|(?<![.\d])1.(?:calls|clients|attempts|waves)\b/,
      JSON.stringify(state),
    );
    if (strategy.maxAttempts === 1) assert.doesNotMatch(spoken, /retr|\d calls each|again/, spoken);
    if (herd.downMs === 0) assert.doesNotMatch(spoken, /After the outage|this outage/, spoken);
    assert.ok(result.served <= clients && words.momentOf(result) <= result.spanMs);
  }
});
