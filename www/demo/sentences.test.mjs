/** Rule 1 of the page: a sentence beside a figure is true for every setting. Properties over states drawn at random. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, outageInput, page, stateOf } from './lib/node.mjs';

const { LANES, described, ending, key, momentOf, opening, scene } = await page(
  'scene/compute.ts',
  'scene/words.ts',
  'scene/markup.ts',
);
const { delays, waits } = await page('waits/compute.ts', 'waits/figure.ts');
const { verdict, verdictWords } = await page('verdict/compute.ts', 'verdict/words.ts');
const { SHARED, finding, load } = await page('load/compute.ts', 'load/recovery.ts');
const { finding: rows, load: loadFigure } = await page('load/figure.ts');

/** What no sentence says, and of which states. @type {[never: RegExp, of?: (state: any) => boolean][]} */
const RULES = [
  [/NaN|undefined|Infinity|for 0/],
  [/(?<![.,\d])1\s(?:calls|clients|attempts|waves|waits|operations|requests)\b/],
  [/retr|\d calls each|again/i, ({ strategy }) => strategy.maxAttempts === 1],
  [/lose|server for|outage|server is back/i, ({ downMs }) => downMs === 0],
  [/\b24\sclients/, ({ clients }) => clients < LANES],
];
const DRAWN = await done(scene, outageInput({ ...stateOf(0), clients: 10 }));

/** The sentences of each section, for so many states, which are made small enough to be computed. */
const SECTIONS = {
  'the sentence of the scene, and its key': {
    states: 10_000,
    say: (state) => [opening(state), ending(state.strategy), key({ ...DRAWN, input: outageInput(state) })],
  },
  'the result of the scene': {
    states: 150,
    small({ strategy, ...state }, seed) {
      const capMs = Math.min(strategy.capMs, 20_000);
      return {
        ...state,
        clients: [10, 25, 100][seed % 3],
        downMs: state.downMs % 5000,
        capacityPerS: 1 + (state.capacityPerS % 500),
        strategy: { ...strategy, capMs, baseMs: Math.min(capMs, Math.max(5, strategy.baseMs)), minMs: 0 },
      };
    },
    async say(state) {
      const result = await done(scene, outageInput(state));
      assert.ok(result.served <= state.clients && momentOf(result) <= result.spanMs);
      return [described(result)];
    },
  },
  'the delay distributions': {
    states: 120,
    small: (state) => ({ ...state, downMs: 1000, clients: 100 }),
    async say({ strategy }) {
      const [chosen] = await done(waits, { strategy, choices: [strategy], seed: 42 });
      return [delays.describe({ strategy, chosen }), ...delays.note({ strategy, chosen })];
    },
  },
  'the verdict': {
    states: 12,
    small: (state, seed) => ({ ...state, clients: 25 + (seed % 30), downMs: 1000 + (state.downMs % 4000) }),
    async say(state) {
      const { use: _, ...words } = verdictWords(await done(verdict, outageInput(state)));
      assert.doesNotMatch(JSON.stringify(words), /\d\.\d{3}/);
      // That of a strategy's name: additive jitter may retry.
      return Object.values(words).flatMap((one) => (typeof one === 'string' ? one : one.map(({ text }) => text)));
    },
  },
  'the load': {
    states: 44,
    small({ strategy, ...state }, seed) {
      const baseMs = strategy.capMs < 500 ? strategy.baseMs : 500;
      const small = { ...strategy, maxAttempts: Math.min(strategy.maxAttempts, 5), baseMs };
      return { ...state, strategy: small, capacityPerS: 60, clients: 100, downMs: seed % 4 ? state.downMs % 3000 : 0 };
    },
    async say(state, seed) {
      const { strategy, downMs, capacityPerS, demand, failing } = state;
      const herd = { downMs, capacityPerS, demand, failing };
      const result = await done(load, { strategy, herd, seed: 42, shared: SHARED[seed % SHARED.length] });
      const fewest = Math.min(...result.runs.map(({ failed }) => failed));
      assert.ok(rows(result).includes(fewest.toLocaleString('en-US')), rows(result));
      return [finding(result), rows(result), loadFigure.describe(result), ...loadFigure.note(result)];
    },
  },
};

for (const [name, { states, small = (state) => state, say }] of Object.entries(/** @type {any} */ (SECTIONS)))
  test(`${name} is true for ${states} states`, async () => {
    for (let seed = 0; seed < states; seed++) {
      const state = small(stateOf(seed), seed);
      const spoken = (await say(state, seed)).join(' ');
      for (const [never, of = () => true] of RULES)
        if (of(state)) assert.doesNotMatch(spoken, never, `seed ${seed}: ${JSON.stringify(state)}`);
    }
  });
