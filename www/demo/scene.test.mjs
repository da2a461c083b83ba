/**
 * The scene in Node, by the page's own functions: its numbers are those of the package, and its sentences those of the
 * numbers. Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outageAlone } from './lib/verdict.mjs';
import { pageModule } from './page-module.mjs';

const { scene, sceneInput, endOf, BINS, LANES } = await pageModule('scene/compute.ts');
const words = await pageModule('scene/words.ts');
const { capacityAt, picture, HEIGHT, WIDTH } = await pageModule('scene/picture.ts');
const { fromQuery, readQuery, toQuery } = await pageModule('state/permalink.ts');
const { INITIAL_STATE } = await pageModule('state/state.ts');
const { movedTo } = await pageModule('shell/moved.ts');

const signal = new AbortController().signal;
/** @param {string} query */
const resultOf = (query) => scene(sceneInput(fromQuery(query)), () => {}, signal);
const NBSP = '\u00a0';

describe('ten links', () => {
  const doubling = { baseMs: 100, capMs: 10_000 };
  const never = { maxAttempts: Infinity };
  const fixed = (/** @type {number} */ baseMs) => ({ backoff: 'fixed', jitter: 'none', baseMs, ...never });
  const long = { horizonMs: 5_000_000 };
  /** @type {[query: string, options: object, herd?: object][]} */
  const links = [
    ['?retry=1s', fixed(1000)],
    ['?retry=doubling', { ...doubling, jitter: 'none', ...never }],
    ['?retry=doubling&times=random', { ...doubling, ...never }],
    ['?retry=1s&times=random', { ...fixed(1000), jitter: 'full' }],
    ['?retry=doubling&times=random&giveUp=6', { ...doubling, maxAttempts: 6 }, long],
    ['?jitter=decorrelated', { ...doubling, jitter: 'decorrelated', maxAttempts: 10 }, long],
    ['?backoff=linear&jitter=equal&limits=served', { backoff: 'linear', jitter: 'equal', ...doubling, ...never }],
    ['?backoff=fixed&limits=served', { ...fixed(100), jitter: 'full' }],
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
      const calls = Number(/([\d.,]+) calls each$/.exec(words.cost(found))?.[1]?.replaceAll(',', ''));
      assert.ok(Math.abs(calls - expected.meanAttempts) <= (calls < 100 ? 0.05 : 0.5), words.cost(found));
      assert.equal(words.isBad(found), found.served < 0.99 * found.input.herd.clients);
    });
});

test('the four steps go from nobody to everybody, and each says why', async () => {
  const steps = await Promise.all(
    words.STEPS.map((/** @type {any} */ step) => resultOf(toQuery({ ...INITIAL_STATE, scene: step }))),
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
    words.STEPS.map((/** @type {any} */ step) => words.stepOf(step)),
    [0, 1, 2, 3],
  );
  assert.equal(words.stepOf({ retry: 'policy', times: 'inStep', giveUp: 'never' }), -1);
});

test('who gives up too early is told how long the waits take, and how many attempts the outage needs', async () => {
  const six = await resultOf('?retry=doubling&times=random&giveUp=6');
  assert.equal(six.needs, 10);
  assert.equal(
    words.patience(six),
    `The waits of 6${NBSP}attempts take at most 3.1${NBSP}s; this outage needs 10${NBSP}attempts.`,
  );
  assert.ok((await resultOf('?retry=doubling&times=random&giveUp=10')).served >= 990);
  const nine = await resultOf('?maxAttempts=9');
  assert.ok(nine.served < 990, 'and one less does not do');
  // Three reasons why no number is known, and none if enough are served.
  for (const [query, expected] of /** @type {[string, RegExp][]} */ ([
    ['?retry=doubling&giveUp=6', /^The waits of 6.attempts .*\. Even 30.attempts do not serve 99%: the calls come/],
    ['?clients=10000&maxAttempts=6', /^The waits of 6.attempts .* 3\.1.s\. Even 30.attempts do not serve 99%\.$/],
    ['?clients=10000&maxAttempts=40&capMs=1000', /^The waits of 40.attempts take at most 36\.5.s\.$/],
    ['?totalTimeoutMs=3000', /^The deadline of 3.s is too short for this outage\.$/],
    ['?totalTimeoutMs=3000&maxAttempts=Infinity', /^The deadline of 3.s is too short/],
    ['?retry=atOnce&giveUp=6', /^The waits of 6.attempts take at most 0.ms\. Even/],
    ['?retry=doubling&times=random&giveUp=10', /^$/],
  ])) {
    const found = await resultOf(query);
    assert.match(words.patience(found), expected, query);
    assert.equal(found.served >= 990 && found.input.herd.clients === 1000, found.needs === undefined, query);
  }
  assert.equal(words.patience(await resultOf('?retry=1s')), '');
  assert.match(
    words.sentence(await resultOf('?maxAttempts=1')),
    /No client calls after the outage\. A single attempt never waits; .* needs 10.a/,
  );
});

test('why: the others, the waves and the last moment are named only where they are', async () => {
  for (const [query, expected] of /** @type {[string, RegExp][]} */ ([
    ['?retry=1s&clients=10', /10.calls come within the same 100.ms, and the server can take 12 in that time\.$/],
    ['?retry=1s&clients=20', /The server can take 12 of them in that time; the others come again\.$/],
    ['?retry=doubling&times=random&clients=10000', /^After the outage at most \d+/],
    ['?jitter=equal&clients=10000&maxAttempts=Infinity', /^After the outage at most [\d,]+/],
    ['?retry=1s&clients=2000', /^All clients wait equally long, so they come back together: \d+ waves/],
  ]))
    assert.match(words.sentence(await resultOf(query)), expected, query);
  const open = await resultOf('?retry=1s&clients=9000');
  assert.ok(open.untilMs < open.spanMs && endOf(open) === open.untilMs, 'clients still retry');
  const over = await resultOf('?retry=1s&times=random');
  assert.ok(over.untilMs < over.spanMs && endOf(over) === over.spanMs, 'nothing happens any more');
});

test('the picture: 24 lanes, marks as close as one can see, the capacity where it is', async () => {
  const found = await resultOf('?retry=doubling');
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
  assert.match(words.moment(found, 0), /^0.ms: 0 served/);
  assert.match(words.moment(found, 40_000), /^40.s: 60 served/);
});

test('a long run reports what there is within 200 ms, and ends when it is not wanted', async () => {
  /** @type {number[]} */
  const reports = [];
  const began = performance.now();
  const stop = new AbortController();
  const input = sceneInput(fromQuery('?seed=1'));
  await assert.rejects(
    scene(
      input,
      () => {
        reports.push(performance.now() - began);
        if (reports.length === 2) stop.abort(new Error('not wanted'));
      },
      stop.signal,
    ),
    /not wanted/,
  );
  assert.equal(reports.length, 2);
});

test('old links: a policy is in the scene, a section that has moved is on its page', () => {
  assert.equal(fromQuery('?jitter=equal').scene.retry, 'policy');
  assert.equal(fromQuery('?limits=served').scene.retry, 'policy');
  assert.equal(fromQuery('?clients=500').scene.retry, 'atOnce');
  assert.equal(fromQuery('?retry=1s&jitter=equal').scene.retry, '1s');
  // Settings that are gone are no error.
  assert.deepEqual(readQuery('?comparedJitter=full&failureRate=0.5&floor=8').problems, []);
  const to = (/** @type {string} */ address) => {
    const { pathname, search, hash } = new URL(address, 'https://page.invalid');
    return movedTo({ pathname, search, hash });
  };
  for (const [link, place] of [
    ['/some/?jitter=equal#budget-heading', '/some/protection/?jitter=equal#budget-heading'],
    ['/#herd-heading', '/lab/#herd-heading'],
    ['/?figure=load&seed=7', '/protection/?figure=load&seed=7'],
    ['/?figure=arrivals', '/lab/?figure=herd'],
    ['/?figure=hedging', '/hedging/?figure=hedging'],
    ['/?import=x&figure=import-waits', '/?import=x#today-heading'],
    ['/#story-heading', '/#main'],
    ['/index.html?maxAttempts=3#tail', '/protection/?maxAttempts=3#tail'],
  ])
    assert.equal(to(link ?? ''), place, link);
  for (const link of ['/', '/#%E0%A4%A', '/#cost', '/?figure=delays', '/protection/#load', '/lab/?figure=herd'])
    assert.equal(to(link), undefined, link);
});
