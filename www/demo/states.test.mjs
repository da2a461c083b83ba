/**
 * Rule 1 of the page: the numbers are those of the package, and a sentence beside a figure is true for every setting.
 * Asked of states drawn at random, with results drawn at random too, because most take long to simulate; and of
 * fewer states with their own results, which are compared with simulations of the package alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from 'rejitter-lab';
import { INITIAL, STATES, done, loadAlone, outageAlone, outageInput, page, random, stateOf } from './lib/node.mjs';

const { BINS, LANES, described, ending, isBad, key, momentAt, momentInWords, momentOf, opening, scene, sceneInput } =
  await page('scene/compute scene/words scene/markup scene/compared');
const { delays, waits, finding: rows, load: loadFigure, nameOf } = await page('waits/compute waits/figure load/figure');
const { contendersOf, policyOf, recommend, sameChoice, title, verdict, verdictWords, withChoice } = await page(
  'state/strategy verdict/compute verdict/words',
);
const { handOut, handedInWords } = await page('compute/remedy take-away/words');
const { SHARED, finding, load } = await page('load/compute load/recovery');
const { rateLimitFigure, rateLimitInput, QUOTA_STORY } = await page(
  'rate-limit/figure rate-limit/compute rate-limit/steps',
);

const saidOf = ({ finding: found, describe, note }, data) =>
  [found?.(data), describe?.(data), ...note(data)].filter((said) => said !== undefined);

/** What no sentence says, and of which states. */
const RULES = [
  [/NaN|undefined|Infinity|for 0/],
  [/(?<![.,\d])1\s(?:calls|clients|attempts|waves|waits|operations|requests|fail)\b/],
  // That of the strategy itself; one beside it may retry.
  [/retr|\d calls each|again/i, ({ strategy, vs }) => strategy.maxAttempts === 1 && vs === ''],
  [/lose|server for|(?<!no )outage|server is back/i, ({ downMs }) => downMs === 0],
  [/\b24\sclients/, ({ clients }) => clients < LANES],
];
const enoughOf = (clients) => Math.ceil(0.99 * clients);
const ends = ({ maxAttempts, totalTimeoutMs }) => maxAttempts < Infinity || totalTimeoutMs < Infinity;

/** An outage, with the time for which it is simulated: twice as long as the server needs, if the clients never stop. */
function watched(strategy, herd) {
  const { clients, downMs, capacityPerS } = herd;
  return {
    ...herd,
    horizonMs: ends(strategy) ? 1e7 : Math.max(40_000, 2 * (downMs + (1000 * clients) / capacityPerS)),
  };
}

/** A part of the clients, of which all and none are drawn often. */
const partOf = ({ one, whole }, clients) => one([0, clients, whole(0, clients), whole(0, clients)]);
/** Calls of a client, as many as it may make. */
const callsOf = ({ one, number }, { maxAttempts }) =>
  maxAttempts === 1 ? 1 : one([1, number(1, Math.min(maxAttempts, 12)), number(1, Math.min(maxAttempts, 5000))]);

/** An outcome of the scene: whoever makes one call is served by it, or has given up. */
function sceneOf(state, draw) {
  const input = sceneInput(state);
  const own = { ...herdOf(state, draw), input };
  const other = input.before?.strategy ?? draw.one([undefined, { ...INITIAL, maxAttempts: draw.whole(10, 30) }]);
  return other ? { ...own, other: { ...herdOf({ ...state, strategy: other }, draw), spanMs: own.spanMs } } : own;
}

function herdOf(state, draw) {
  const { one, whole, number } = draw;
  const { strategy, clients, downMs } = state;
  const served = partOf(draw, clients);
  const isSingle = strategy.maxAttempts === 1;
  const gaveUp = !ends(strategy) ? 0 : isSingle ? clients - served : partOf(draw, clients - served);
  const isCut = served + gaveUp < clients && one([true, false]);
  const spanMs = 10_000 * whole(4, 100);
  const counts = Array.from({ length: BINS }, () => one([0, whole(0, 50)]));
  let atMs = downMs;
  const waves = Array.from({ length: whole(0, 8) }, () => {
    const [calls, toMs] = [whole(1, clients), (atMs += number(10, 2000)) + number(10, 500)];
    return { atMs, toMs: (atMs = toMs), calls, accepted: partOf(draw, calls) };
  });
  const most = strategy.maxAttempts;
  const remedies = [
    'more',
    ...(most < 30 ? [whole(most + 1, 30)] : []),
    ...(strategy.totalTimeoutMs < Infinity ? ['deadline'] : []),
  ];
  return {
    ...{ input: outageInput(state), served, gaveUp, isCut, spanMs, untilMs: number(0, spanMs) },
    ...{
      lastServedMs: served > 0 ? number(10, spanMs) : undefined,
      lastAttemptMs: gaveUp > 0 ? number(0, spanMs) : undefined,
    },
    ...{ callsPerClient: callsOf(draw, strategy), callsPerS: number(0, 100_000), marks: [] },
    ...{
      arrivals: counts,
      accepted: counts.map((n) => partOf(draw, n)),
      waves: one([undefined, isSingle ? [] : waves]),
    },
    busiest: downMs > 0 && served === 0 ? one([0, 1, clients]) : one([1, whole(1, clients)]),
    longestMs: isSingle ? 0 : Math.min(strategy.totalTimeoutMs, number(0, 1e6)),
    longestWaitMs: isSingle ? 0 : one([Infinity, number(0, 1e6)]),
    needs: gaveUp > 0 && served < enoughOf(clients) ? one(remedies) : undefined,
  };
}

/** Every strategy over some seeds: all alike, within the noise, or unlike. With one attempt all are alike. */
function verdictOf(state, draw) {
  const { one, number, whole } = draw;
  const { strategy, clients } = state;
  const { choices, chosen } = contendersOf(strategy);
  const seeds = one([5, 30]);
  const kind = strategy.maxAttempts === 1 ? 'alike' : one(['alike', 'near', 'unlike', 'unlike']);
  const runOf = () => {
    const served = partOf(draw, clients);
    const enoughMs = served >= enoughOf(clients) ? number(10, 100_000) : Infinity;
    return { served, enoughMs, callsPerClient: callsOf(draw, strategy) };
  };
  const common = Array.from({ length: seeds }, runOf);
  const near = (run) => ({ ...run, callsPerClient: run.callsPerClient * number(1, 1.02) });
  const contenders = choices.map((choice) => {
    const own = runOf();
    const runs = common.map((run) => (kind === 'alike' ? run : near(kind === 'near' ? run : own)));
    return { choice, runs, isCut: kind === 'unlike' && own.callsPerClient > 100 && whole(0, 1) === 1 };
  });
  return { input: outageInput(state), contenders, chosen, seeds };
}

/** Rows of the load, of which some may lose as many requests. */
function loadOf(state, draw) {
  const { one, whole, number } = draw;
  const { strategy, downMs, capacityPerS, demand, failing } = state;
  const requests = whole(1, 100_000);
  const few = [whole(0, requests), whole(0, requests)];
  const runs = SHARED.map((shared) => ({
    ...{ shared, requests, failed: one([0, 1, ...few]), amplification: callsOf(draw, strategy) },
    recoveredAfterMs: one([undefined, 0, number(0, 60_000)]),
  }));
  return {
    input: { strategy, herd: { downMs, capacityPerS, demand, failing }, seed: 42, shared: 'none' },
    ...{ runs, run: one(runs), horizonMs: 60_000, binMs: 200 },
  };
}

/** Jobs against a quota, of which all, one or none may fail. */
function quotaOf(state, { one, whole, number }) {
  const kinds = ['ignored', 'followed', 'shared', ...(state.processes > 1 ? ['whole'] : []), 'limited'];
  const few = () => one([0, 1, whole(0, 1000)]);
  const runs = kinds.map((kind) => ({ kind, rejected: few(), failed: few(), endMs: number(50, 600_000) }));
  return { input: rateLimitInput(state), runs };
}

/** Exact waits, with sums that are drawn: to sample these takes long. */
function waitsOf({ strategy }, { number }) {
  const { maxAttempts, backoff, jitter } = strategy;
  const n = Math.min(maxAttempts - 1, 12);
  const planned = n === 0 ? [] : plan(policyOf({ ...strategy, totalTimeoutMs: Infinity }), n);
  const lasts = maxAttempts === Infinity && planned.some(({ hiMs }) => hiMs > 0);
  const worst = planned.at(-1)?.totalWorstMs ?? 0;
  const all = planned.map((wait) => ({
    ...wait,
    slots: [],
    cells: Float64Array.of(...(wait.loMs < wait.hiMs ? [0, 1, 1] : [])),
  }));
  const landings = all.slice(0, 10).map(() => ({ p5: 1, p50: number(1, 1e6), p95: 1e6 }));
  return { large: [{ choice: { backoff, jitter }, waits: all, landings, totalWorstMs: lasts ? Infinity : worst }] };
}

/** Names that an unbiased reader would look for among equals. */
const WINNER = /For these|Most are served by|It is the best|only|worse/;

/** A state whose scene is soon computed. */
function smallScene({ strategy, ...state }, seed) {
  const capMs = Math.min(strategy.capMs, 20_000);
  return {
    ...state,
    clients: [10, 25, 100][seed % 3],
    downMs: state.downMs % 5000,
    capacityPerS: 1 + (state.capacityPerS % 500),
    strategy: { ...strategy, capMs, baseMs: Math.min(capMs, Math.max(5, strategy.baseMs)), minMs: 0 },
  };
}

/**
 * The sentences of each section about a result; how results are drawn; and, where it takes long to compute them, for
 * how many states they are, and how these are made small enough.
 */
const SECTIONS = {
  'the sentence of the scene, and its key': {
    drawn: sceneOf,
    say: (result, state) => [opening(state), ending(state.strategy), key(result)],
  },
  'the result of the scene': {
    drawn: sceneOf,
    computed: (state) => done(scene, sceneInput(state)),
    states: 60,
    small: smallScene,
    alone({ served, gaveUp, callsPerClient, lastServedMs, ...result }, state) {
      const { strategy, herd, seed } = outageInput(state);
      const { servedMs, giveUps, meanAttempts } = outageAlone(policyOf(strategy), { ...watched(strategy, herd), seed });
      assert.deepEqual(
        [served, gaveUp, callsPerClient, lastServedMs],
        [servedMs.length, giveUps, meanAttempts, servedMs.at(-1)],
      );
      assert.equal(isBad({ served, ...result }), served < 0.99 * herd.clients);
    },
    say(result, state) {
      assert.ok(result.served <= state.clients && momentOf(result) <= result.spanMs);
      const moments = [0, 0.3, 1].map((part) => part * result.spanMs);
      // What stands beside a single attempt may retry.
      const own = state.strategy.maxAttempts === 1 ? { ...result, other: undefined } : result;
      return [described(own), ...moments.map((ms) => momentInWords(momentAt(result, ms), ms))];
    },
  },
  'the delay distributions': {
    drawn: waitsOf,
    computed: ({ strategy }) => done(waits, { strategy, choices: [], large: [strategy], seed: 42 }),
    states: 60,
    small: (state) => ({ ...state, downMs: 1000, clients: 100 }),
    say: ({ large: [chosen] }, { strategy }) => saidOf(delays(0), { strategy, chosen }),
  },
  'the verdict': {
    drawn: verdictOf,
    computed: (state) => done(verdict, outageInput(state)),
    states: 12,
    small: (state, seed) => ({ ...state, clients: 25 + (seed % 30), downMs: 1000 + (state.downMs % 4000) }),
    alone({ contenders, input: { strategy, herd, seed } }) {
      // The chosen one, and another.
      for (const { choice, runs } of [contenders.at(-1), contenders[seed % contenders.length]])
        for (const [k, run] of runs.entries()) {
          const outage = { ...watched(strategy, herd), seed: k === 0 ? seed : `${seed}/${k}` };
          const policy = policyOf(withChoice(strategy, choice));
          const { servedMs, meanAttempts } = outageAlone(policy, outage, 150 * herd.clients);
          const enoughMs = servedMs[enoughOf(herd.clients) - 1] ?? Infinity;
          assert.deepEqual([run.served, run.callsPerClient, run.enoughMs], [servedMs.length, meanAttempts, enoughMs]);
        }
    },
    say(result) {
      const { use, ...words } = verdictWords(result);
      assert.doesNotMatch(JSON.stringify(words), /\d\.\d{3}/);
      const { pick, level } = recommend(result);
      const best = pick ? [pick, ...level] : [];
      const isAlike = result.contenders.every(
        ({ runs }) => JSON.stringify(runs) === JSON.stringify(result.contenders[0].runs),
      );
      // No verdict among equals, nor where nobody is served; and what is chosen is not offered.
      if (isAlike || !pick) assert.doesNotMatch(words.headline + words.reason, WINNER);
      else
        for (const { choice } of best.slice(0, 2)) assert.ok(words.headline.includes(title(choice)) || best.length > 3);
      if (use) assert.ok(sameChoice(use, pick.choice) && !best.some(({ choice }) => sameChoice(choice, result.chosen)));
      // No percentile of an overload: of runs that were stopped.
      if (pick?.isCut && pick.enoughMs.p50 === Infinity) assert.doesNotMatch(words.reason, /percentile/);
      return Object.values(words);
    },
  },
  'the load': {
    drawn: loadOf,
    computed({ strategy, downMs, capacityPerS, demand, failing }, seed) {
      const herd = { downMs, capacityPerS, demand, failing };
      return done(load, { strategy, herd, seed: 42, shared: SHARED[seed % SHARED.length] });
    },
    states: 20,
    small({ strategy, ...state }, seed) {
      const baseMs = strategy.capMs < 500 ? strategy.baseMs : 500;
      const small = { ...strategy, maxAttempts: Math.min(strategy.maxAttempts, 5), baseMs };
      return { ...state, strategy: small, capacityPerS: 60, clients: 100, downMs: seed % 4 ? state.downMs % 3000 : 0 };
    },
    alone({ runs, run: shown, horizonMs, binMs, input: { strategy, herd, seed, shared: wanted } }) {
      assert.equal(shown.shared, wanted);
      assert.deepEqual(
        runs.map(({ shared }) => shared),
        SHARED,
      );
      for (const { shared, requests, failed, amplification, recoveredAfterMs } of runs) {
        const result = loadAlone(shared, strategy, herd, { horizonMs, binMs, seed });
        const sum = (counts) => counts.reduce((a, b) => a + b, 0);
        const { requests: all, successes } = result.totals;
        assert.deepEqual([requests, failed], [all, all - successes], shared);
        assert.ok(Math.abs(amplification - (sum(result.requests) + sum(result.retries)) / requests) < 0.01, shared);
        // Rule: never, if calls still fail in the last 30 s; else the end of the last second with one that did.
        const bad = [...result.timeouts].map((n, i) => n + (result.rejectedByBreaker[i] ?? 0));
        const endMs = 1000 * Math.ceil(((bad.findLastIndex((n) => n > 0) + 1) * binMs) / 1000);
        const expected = horizonMs - endMs < 30_000 ? undefined : Math.max(0, endMs - 10_000 - herd.downMs);
        assert.equal(recoveredAfterMs, expected, shared);
      }
    },
    say(result) {
      const { runs } = result;
      const fewest = Math.min(...runs.map(({ failed }) => failed));
      const said = rows(result);
      assert.ok(said.includes(fewest.toLocaleString('en-US')), said);
      // All rows with the fewest failures are named, and no other one is; none is where all are equal.
      const [, named = ''] = /The fewest, [\d,]+: (.*)\.$/.exec(said) ?? [];
      const isTold = runs[0].failed > fewest;
      const least = isTold ? runs.filter(({ failed }) => failed === fewest) : [];
      assert.equal(named, least.map(({ shared }) => nameOf(shared, result).toLowerCase()).join('; '));
      return [finding(result), said, ...saidOf(loadFigure, result)];
    },
  },
  'the quota': {
    drawn: quotaOf,
    say(result) {
      const told = QUOTA_STORY.steps.map(({ why }) => why(result));
      // The name of a header is no retry.
      return [...told, ...saidOf(rateLimitFigure, result)].map((text) => text.replace(/against|Retry-After/g, ''));
    },
  },
  'what is handed out': {
    computed: (state) => done(handOut, outageInput(state)),
    states: 200,
    small: smallScene,
    say(handed) {
      const said = [true, false].map((isOwn) => handedInWords(handed, isOwn));
      const { own, input } = handed;
      assert.equal(said.join('') === '', own.served >= enoughOf(input.herd.clients) && !own.isCut);
      return said;
    },
  },
};

for (const [name, { drawn, computed, states, small = (state) => state, alone, say }] of Object.entries(SECTIONS)) {
  const check = (result, state, seed) => {
    const spoken = say(result, state).join(' ');
    for (const [never, of = () => true] of RULES)
      if (of(state)) assert.doesNotMatch(spoken, never, `seed ${seed}: ${JSON.stringify(state)}`);
  };
  if (drawn)
    test(`${name}: true for ${STATES} states with results at random`, () => {
      for (let seed = 0; seed < STATES; seed++) check(drawn(stateOf(seed), random(seed)), stateOf(seed), seed);
    });
  if (computed)
    test(`${name}: true for ${states} states with their results, which are those of the package`, async () => {
      for (let seed = 0; seed < states; seed++) {
        const state = small(stateOf(seed), seed);
        const result = await computed(state, seed);
        alone?.(result, state);
        check(result, state, seed);
      }
    });
}
