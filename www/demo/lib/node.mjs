/** The page's own functions in Node, and states that the page can be in. */
import { fileURLToPath } from 'node:url';
import { simulateLoad, simulateOutage } from 'rejitter-lab';
import { runnerImport } from 'vite';

/** The exports of modules below www/src: `waits/compute waits/figure`. */
export async function page(names) {
  const modules = names.split(' ').map((name) => {
    const file = fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url));
    return runnerImport(file, { configFile: false, logLevel: 'error' });
  });
  return Object.assign({}, ...(await Promise.all(modules)).map(({ module }) => module));
}

export const {
  ALL_BACKOFFS,
  ALL_JITTERS,
  AT_ONCE,
  CAP_RULES,
  CODES,
  INITIAL,
  INITIAL_STATE,
  PROTECTIONS,
  outageInput,
  PACKAGES,
  idOf,
  policyOf,
  wordsOf,
  createPace,
} = await page('state/strategy state/state compute/outage compute/pace state/packages state/before');

/** Does a job of the worker; `stop` ends it. */
export const done = (job, input, report = (_) => {}, stop = new AbortController()) =>
  job(input, createPace(stop.signal), report);

/** What is drawn at random, the same for each seed. */
export function random(seed) {
  let state = (seed + 1) * 48_271;
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let i = 0; i < 5; i++) next();
  const number = (from, to) => from + (to - from) * next();
  return {
    next,
    number,
    one: (all) => all[Math.floor(next() * all.length)],
    whole: (from, to) => Math.round(number(from, to)),
  };
}

/** How many states are drawn: a sample is tried every day, `cargo xtask proofs samples` tries all. */
export const STATES = process.env.REJITTER_FULL ? 10_000 : 500;

/** A state at random. */
export function stateOf(seed) {
  const { next, number, one, whole } = random(seed);
  const capMs = one([Infinity, 100, 10_000, 60_000, whole(1, 100_000), number(1, 1000)]);
  const upTo = (most) => Math.min(most, capMs);
  const state = {
    strategy: {
      backoff: one(ALL_BACKOFFS),
      jitter: one(ALL_JITTERS),
      baseMs: one([0, upTo(100), upTo(20_000), number(0, upTo(30_000))]),
      capMs,
      minMs: one([0, 0, number(0, upTo(500))]),
      factor: one([2, 1.5, number(1, 10)]),
      truncateAt: whole(1, 12),
      ratio: number(0, 1),
      spreadMs: whole(1, 5000),
      capRule: one(CAP_RULES),
      maxAttempts: one([1, 2, 6, 10, Infinity, whole(1, 40)]),
      totalTimeoutMs: one([Infinity, Infinity, whole(1, 60_000)]),
    },
    clients: one([10, 20, 24, 100, 1000, whole(10, 10_000)]),
    downMs: one([0, 2000, whole(0, 60_000)]),
    capacityPerS: one([120, whole(1, 1000)]),
    rejectionCost: one([0, 0.05, 1, next()]),
    demand: number(0.5, 1.1),
    failing: one([0, 0.05, number(0, 0.9)]),
    retries: one(['on', 'off']),
    protection: one(PROTECTIONS),
    hedgeMs: number(10, 1000),
    code: one(CODES),
    seed: whole(0, 2 ** 32 - 1),
    processes: whole(1, 50),
  };
  const ids = PACKAGES.map(idOf);
  const vs = one([
    '',
    '',
    one(ids),
    `p-retry retries ${whole(0, 20)}`,
    wordsOf({ ...INITIAL, baseMs: upTo(50), capMs }),
  ]);
  return { ...state, vs };
}

export const HERD = { clients: 1000, downMs: 2000, capacityPerS: 120, rejectionCost: 0.05 };

/** What a simulation comes to, after these events at most. */
export function resultOf(simulation, events = Infinity) {
  simulation.step(events);
  const result = simulation.result();
  simulation.free();
  return result;
}

/** One outage by the package alone, with these events at most. */
export function outageAlone(policy, { capacityPerS, ...outage }, events = Infinity) {
  const burst = Math.max(1, capacityPerS / 10);
  const fixed = { burst, spreadMs: 100, latencyMs: 10, traced: 0 };
  return resultOf(simulateOutage(policy, { capacityPerS, ...fixed, ...outage }), events);
}

/** The load by the package alone, for clients that share these parts. */
export function loadAlone(shared, strategy, { capacityPerS, demand, failing, downMs }, options) {
  const parts = { budget: ['budget'], breaker: ['breaker'], both: ['budget', 'breaker'] }[shared] ?? [];
  const server = { capacityPerS, failureShare: failing, timeoutMs: 1000, downFromMs: 10_000, downMs };
  const arrivals = { type: 'regular', perS: demand * capacityPerS };
  const protection = Object.fromEntries(parts.map((part) => [part, {}]));
  const policy = policyOf(shared === 'single' ? { ...strategy, maxAttempts: 1 } : strategy);
  return resultOf(simulateLoad(policy, { arrivals, ...server, protection, ...options }));
}

/** The value in the middle, the lower one of two. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? NaN;
