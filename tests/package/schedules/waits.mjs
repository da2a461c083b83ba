// The waits, straight from the table of formulas: independent of the package, and of its language.

import { readFileSync } from 'node:fs';

const MAX = 2 ** 53 - 1;
/** These jitters replace the curve. */
export const OWN_CURVE = ['decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];

const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8'), (_, value) =>
    value === 'Infinity' ? Infinity : value,
  );
const kinds = vectors('kinds');

/** The names of the backoffs or jitters that have no parameter. @param {'backoff' | 'jitter'} option */
export const kindsOf = (option) =>
  kinds[option].filter(({ name, parameter }) => name !== 'custom' && parameter === undefined).map(({ name }) => name);

/** The data of presets, by the systems' own documents. */
export const PRESETS = Object.fromEntries(vectors('presets').map(({ preset, policy }) => [preset, policy]));
/** The options of functions that are named after them. */
export const NAMED = {
  retry: {},
  retryWithFullJitter: { jitter: 'full' },
  retryWithEqualJitter: { jitter: 'equal' },
  retryWithDecorrelatedJitter: { jitter: 'decorrelated' },
  retryWithExponentialBackoff: { backoff: 'exponential', jitter: 'none' },
  retryWithLinearBackoff: { backoff: 'linear', jitter: 'none' },
  retryWithFixedDelay: { backoff: 'fixed', jitter: 'none' },
  retryWithTruncatedBackoff: { backoff: 'truncated', maxAttempts: Infinity },
};

/** Options with their defaults. */
export function resolved(options) {
  const { backoff = 'exponential', jitter = 'full', baseMs, capMs, truncateAt = 10 } = options;
  // A curve of the caller's own has no cap but one that was set; a list raises the usual one.
  const longest = backoff === 'function' ? Infinity : Array.isArray(backoff) ? Math.max(...backoff) : 0;
  const own = OWN_CURVE.includes(jitter) ? 0 : longest;
  const cap = Math.min(MAX, capMs ?? Math.max(10_000, baseMs ?? 0, own));
  const base = baseMs ?? (backoff === 'truncated' && cap < MAX ? cap / 2 ** (truncateAt - 1) : Math.min(100, cap));
  return {
    ...{ backoff, jitter, cap, base, n: truncateAt },
    min: options.minMs ?? 0,
    factor: options.factor ?? 2,
    step: options.stepMs ?? base,
    rule: options.capRule ?? 'bound',
    longest: options.maxRetryAfterMs ?? 60_000,
    followsFar: options.longRetryAfter === 'cap',
  };
}

const fibonacci = (k) => (k <= 2 ? 1 : Array.from({ length: k - 2 }).reduce(([a, b]) => [b, a + b], [1, 1])[1]);

/** The curves in units of the base, but for the linear one. */
const CURVES = {
  fixed: () => 1,
  exponential: ({ factor }, k) => factor ** (k - 1),
  truncated: ({ n }, k) => 2 ** (Math.min(k, n) - 1),
  fibonacci: (_, k) => fibonacci(k),
};

function curve(p, k, own) {
  const { backoff, base, step } = p;
  if (backoff === 'function') return own;
  if (Array.isArray(backoff)) return backoff[Math.min(k, backoff.length) - 1];
  if (backoff === 'linear') return base + step * (k - 1);
  return base === 0 ? 0 : base * CURVES[backoff](p, k);
}

const polly = (t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));

/**
 * Wait k as a function of the draws. `previous` is the operation's previous computed wait and `previousR` its draw,
 * undefined before the first; `own` the value of a curve function.
 */
export function computedWait(p, k, { previous, previousR, own }) {
  const { jitter, base, cap, min, rule } = p;
  const type = typeof jitter === 'string' ? jitter : jitter.type;
  const limit = rule === 'draw' ? Infinity : cap;
  const c = OWN_CURVE.includes(type) ? NaN : Math.max(min, Math.min(limit, curve(p, k, own)));
  const room = (x) => (rule === 'bound' ? Math.min(c, x) : c);
  const slots = 2 ** Math.min(k, p.n);
  const last = previous ?? base;
  const { ratio, maxMs } = jitter;
  const bounds = {
    none: () => [c, c],
    full: () => [0, c],
    equal: () => [c / 2, c],
    proportional: (h = room(cap / (1 + ratio))) => [h * (1 - ratio), h * (1 + ratio)],
    additive: (h = room(cap / (1 + ratio))) => [h, h + ratio * h],
    additiveMax: (x = rule === 'bound' ? Math.min(maxMs, cap) : maxMs, h = room(cap - x)) => [h, h + x],
    decorrelated: () => [base, 3 * last],
    decorrelatedBounded: () => [base, Math.min(cap, 3 * last)],
    slotted: () => [0, base * (slots - 1)],
    pollyV2: () => [0, cap],
  };
  let [lo, hi] = bounds[maxMs === undefined ? type : 'additiveMax']();
  lo = Math.max(lo, min);
  hi = Math.max(hi, lo);
  const clip = (ms) => (rule === 'ceiling' ? ms : Math.min(ms, cap));
  const at = (r, r2 = NaN) => {
    if (type === 'slotted') return clip(Math.max(min, base * Math.floor(r * slots)));
    if (type === 'pollyV2') {
      const before = previousR === undefined ? 0 : polly(Math.max(0, k - 2 + previousR));
      const raw = ((polly(k - 1 + r) - before) / 1.4) * base;
      return Math.max(min, raw > cap ? cap / 2 + (r2 * cap) / 2 : raw);
    }
    return clip(lo + r * (hi - lo));
  };
  return { at };
}

/** The wait after a server asked for `ms` > 0: never less than asked, and never less than without it. */
export function hintedWait(p, ms, computed) {
  const requested = Math.min(ms, p.longest, MAX);
  const spread = Math.max(p.base, requested / 2);
  return { at: (r, r2) => Math.max(Math.min(MAX, requested + r * spread), computed.at(r, r2)) };
}

const GOLDEN = 0x9e3779b97f4a7c15n;
const wrap = (x) => BigInt.asUintN(64, x);
function output(state, n) {
  let z = wrap(state + GOLDEN * (n + 1n));
  z = wrap((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = wrap((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** The documented draw: two chained SplitMix64. Seeds here are whole numbers. Lane 2 has outputs of its own. */
export function draw(seed, operation, attempt, lane) {
  const n = BigInt(attempt * 2) + (lane < 2 ? BigInt(lane) : 2n ** 62n);
  return Number(output(output(BigInt(seed), BigInt(operation)), n) >> 11n) / 2 ** 53;
}
