// Counters of operations and attempts, whose quotient is the amplification; gauges of protections.

import { VERSION } from './version.js';

/** Values of the gauge of a circuit. */
const STATES = ['closed', 'half-open', 'open'];

const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Pairs of name and key that are counted apart. The SDK keeps 2,000 series of a metric, and attempts have three. */
const MOST = 600;

/** @typedef {ReturnType<typeof countsOf>} Counts */

/** Counts of attempts by kind, and of ends by outcome or reason. @param {Record<string, string | boolean>} labels */
const countsOf = (labels) => ({ labels, attempts: { first: 0, retry: 0, hedge: 0 }, ends: Object.create(null) });

/**
 * The meters of each API: for a label, a meter takes one value, whoever observes it.
 * @type {WeakMap<object, Meters>}
 */
const METERS = new WeakMap();

/** @param {any} [api] `metrics` of @opentelemetry/api @returns {Meters} */
export function metersOf(api = {}) {
  if (!METERS.has(api)) METERS.set(api, new Meters(api));
  return /** @type {Meters} */ (METERS.get(api));
}

/** The meter reads the counts when it collects: that costs an operation a hundredth of a counter's `add`. */
export class Meters {
  #api;
  #others = countsOf({ 'otel.metric.overflow': true });
  /** By name and key. @type {Map<string | undefined, Counts>} */
  #all = new Map();
  /** @type {[protection: any, name: string, keys: boolean][]} */
  #protections = [];
  /** @type {unknown} */
  #provider;
  /** @type {Record<string, any>} */
  #instruments = {};

  /** @param {any} api */
  constructor(api) {
    this.#api = api;
  }

  /** Returns what an operation adds to. @param {string} [name] @param {string} [key] */
  counts(name, key) {
    try {
      this.#refresh();
    } catch (fault) {
      console.error(fault);
    }
    const id = key === undefined ? name : `${name}\n${key}`;
    let counts = this.#all.get(id);
    if (counts === undefined) {
      if (this.#all.size === MOST) return this.#others;
      this.#all.set(id, (counts = countsOf(labelsOf(name, key))));
    }
    return counts;
  }

  /** @param {string} name of a histogram @param {number} ms @param {object} labels */
  record(name, ms, labels) {
    this.#instruments[name]?.record(ms / 1000, labels);
  }

  /** @param {any} protection @param {string} name @param {boolean} keys whether each of its keys is observed */
  protection(protection, name, keys) {
    this.#protections.push([protection, name, keys]);
    this.#refresh();
  }

  /** Takes a meter at the first use, and another one once the SDK is registered. */
  #refresh() {
    const api = this.#api;
    const present = api.getMeterProvider?.() ?? api;
    if (present === this.#provider || !api.getMeter) return;
    this.#provider = present;
    const meter = api.getMeter('rejitter', VERSION);
    /** @type {(kind: string, name: string, unit: string, description: string, more?: object) => any} */
    const make = (kind, name, unit, description, more) =>
      (this.#instruments[name] = meter[`create${kind}`](`rejitter.${name}`, { unit, description, ...more }));
    const buckets = { advice: { explicitBucketBoundaries: BUCKETS } };
    make('Histogram', 'wait.duration', 's', 'Waits between attempts', buckets);
    make('Histogram', 'hold.duration', 's', 'Holds of attempts by a cooldown', buckets);
    const observed = [
      make('ObservableCounter', 'operations', '{operation}', 'Operations that ended'),
      make('ObservableCounter', 'attempts', '{attempt}', 'Attempts that started'),
      make('ObservableGauge', 'budget.tokens', '{token}', 'Tokens left'),
      make('ObservableGauge', 'circuit.state', '', '0: closed, 1: half-open, 2: open'),
      make('ObservableGauge', 'limiter.queued', '{attempt}', 'Attempts that wait for their turn'),
    ];
    meter.addBatchObservableCallback((/** @type {any} */ result) => this.#observe(result, observed), observed);
  }

  /** @param {any} result @param {any[]} instruments */
  #observe(result, [operations, attempts, tokens, states, queues]) {
    for (const { labels, attempts: kinds, ends } of [this.#others, ...this.#all.values()]) {
      for (const [kind, count] of Object.entries(kinds))
        if (count > 0) result.observe(attempts, count, { ...labels, 'rejitter.attempt.kind': kind });
      for (const [end, count] of Object.entries(ends)) {
        const failure = end !== 'success' && { 'rejitter.outcome': 'failure', 'rejitter.reason': end };
        result.observe(operations, count, { ...labels, ...(failure || { 'rejitter.outcome': end }) });
      }
    }
    for (const [protection, name, keys] of this.#protections)
      for (const [key, { budget, breaker, limiter }] of statusesOf(protection, keys)) {
        const labels = labelsOf(name, key);
        if (budget) result.observe(tokens, budget.tokens, labels);
        if (breaker) result.observe(states, STATES.indexOf(breaker.state), labels);
        if (limiter) result.observe(queues, limiter.queued, labels);
      }
  }
}

/** @param {string} [name] @param {string} [key] @returns {Record<string, string>} */
const labelsOf = (name, key) => ({
  ...(name !== undefined && { 'rejitter.name': name }),
  ...(key !== undefined && { 'rejitter.key': key }),
});

/**
 * Returns the state of a protection and those of its keys. Without `keys`: the fewest tokens, the worst state and the
 * longest queue.
 * @param {any} protection @param {boolean} keys @returns {[key: string | undefined, status: any][]}
 */
function statusesOf(protection, keys) {
  const own = protection.status();
  const found = protection.keys().map((/** @type {string} */ key) => [key, protection.for(key).status()]);
  if (keys || found.length === 0) return [[undefined, own], ...found];
  const statuses = [own, ...found.map((/** @type {any} */ [, status]) => status)];
  const state = Math.max(...statuses.map((status) => STATES.indexOf(status.breaker?.state)));
  const tokens = Math.min(...statuses.map((status) => status.budget?.tokens));
  const queued = Math.max(...statuses.map((status) => status.limiter?.queued));
  const { budget, breaker, limiter } = own;
  return [
    [
      undefined,
      { budget: budget && { tokens }, breaker: breaker && { state: STATES[state] }, limiter: limiter && { queued } },
    ],
  ];
}
