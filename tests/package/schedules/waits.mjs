// The waits, straight from the table of formulas: independent of the package, and of its language.

const MAX = 2 ** 53 - 1;
/** These jitters replace the curve. */
export const OWN_CURVE = ['decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];

/** Presets with another rule for what the cap bounds. */
const CAP_RULES = {
  awsSdk2020: 'draw',
  jpillora: 'draw',
  pRetryRandomized: 'draw',
  googleHttpClient: 'ceiling',
  cenkalti: 'ceiling',
  grpc: 'ceiling',
};

/** The options of the presets, by the systems' own documents. */
export const PRESETS = {
  awsSdk2020: { baseMs: 1000, capMs: 20_000, maxAttempts: 3 },
  awsSdk2026: { baseMs: 50, capMs: 20_000, maxAttempts: 3 },
  googleHttpClient: {
    baseMs: 500,
    factor: 1.5,
    capMs: 60_000,
    jitter: { type: 'proportional', ratio: 0.5 },
    maxAttempts: Infinity,
    totalTimeoutMs: 900_000,
  },
  grpc: { baseMs: 100, capMs: 1000, jitter: { type: 'proportional', ratio: 0.2 }, maxAttempts: 4 },
  polly: { jitter: 'pollyV2', baseMs: 2000, capMs: Infinity, maxAttempts: 4 },
  goRetryableHttp: { baseMs: 1000, capMs: 30_000, jitter: 'none', maxAttempts: 5 },
  jpillora: { baseMs: 100, minMs: 100, capMs: 10_000, maxAttempts: Infinity },
  pRetryRandomized: { baseMs: 1000, capMs: Infinity, jitter: { type: 'additive', ratio: 1 }, maxAttempts: 11 },
  truncatedBinary: { backoff: 'truncated', truncateAt: 10, capMs: 10_000, maxAttempts: Infinity },
};

/** Options with their defaults. */
export function resolved(options, preset) {
  const {
    backoff = 'exponential',
    jitter = 'full',
    baseMs,
    capMs,
    minMs = 0,
    factor = 2,
    stepMs,
    truncateAt = 10,
  } = options;
  // A curve of the caller's own has no cap but one that was set; a list raises the usual one.
  const own = OWN_CURVE.includes(jitter)
    ? 0
    : backoff === 'function'
      ? Infinity
      : Array.isArray(backoff)
        ? Math.max(...backoff)
        : 0;
  const cap = Math.min(MAX, capMs ?? Math.max(10_000, baseMs ?? 0, own));
  const base = baseMs ?? (backoff === 'truncated' && cap < MAX ? cap / 2 ** (truncateAt - 1) : Math.min(100, cap));
  return {
    backoff,
    jitter,
    cap,
    base,
    min: minMs,
    factor,
    step: stepMs ?? base,
    n: truncateAt,
    rule: CAP_RULES[preset] ?? 'bound',
    longest: options.maxRetryAfterMs ?? 60_000,
    followsFar: options.longRetryAfter === 'cap',
  };
}

function curve({ backoff, base, factor, step, n }, k, own) {
  if (typeof backoff === 'function' || backoff === 'function') return own;
  if (Array.isArray(backoff)) return backoff[Math.min(k, backoff.length) - 1];
  switch (backoff) {
    case 'fixed':
      return base;
    case 'linear':
      return base + step * (k - 1);
    case 'exponential':
      return base === 0 ? 0 : base * factor ** (k - 1);
    case 'truncated':
      return base * 2 ** (Math.min(k, n) - 1);
    case 'fibonacci': {
      let [a, b] = [1, 1];
      for (let i = 1; i < k; i += 1) [a, b] = [b, a + b];
      return base === 0 ? 0 : base * a;
    }
    default:
      throw new Error(`no curve ${backoff}`);
  }
}

const polly = (t) => 2 ** t * Math.tanh(Math.sqrt(4 * t));

/**
 * Wait k as a function of the draws, with its bounds. `previous` is the operation's previous computed
 * wait and `previousR` its draw, undefined before the first; `own` the value of a curve function.
 */
export function computedWait(p, k, { previous, previousR, own }) {
  const { jitter, base, cap, min, rule } = p;
  const type = typeof jitter === 'string' ? jitter : jitter.type;
  const limit = rule === 'draw' ? Infinity : cap;
  const c = OWN_CURVE.includes(type) ? NaN : Math.max(min, Math.min(limit, curve(p, k, own)));
  const room = (x) => (rule === 'bound' ? Math.min(c, x) : c);
  let lo;
  let hi;
  switch (type) {
    case 'none':
      [lo, hi] = [c, c];
      break;
    case 'full':
      [lo, hi] = [0, c];
      break;
    case 'equal':
      [lo, hi] = [c / 2, c];
      break;
    case 'proportional': {
      const h = room(cap / (1 + jitter.ratio));
      [lo, hi] = [h * (1 - jitter.ratio), h * (1 + jitter.ratio)];
      break;
    }
    case 'additive': {
      const h = jitter.maxMs === undefined ? room(cap / (1 + jitter.ratio)) : room(cap - Math.min(jitter.maxMs, cap));
      [lo, hi] = [
        h,
        h +
          (jitter.maxMs === undefined
            ? jitter.ratio * h
            : rule === 'bound'
              ? Math.min(jitter.maxMs, cap)
              : jitter.maxMs),
      ];
      break;
    }
    case 'decorrelated':
      [lo, hi] = [base, 3 * (previous ?? base)];
      break;
    case 'decorrelatedBounded':
      [lo, hi] = [base, Math.min(cap, 3 * (previous ?? base))];
      break;
    case 'slotted':
      [lo, hi] = [0, base * (2 ** Math.min(k, p.n) - 1)];
      break;
    case 'pollyV2':
      [lo, hi] = [0, cap];
      break;
    default:
      throw new Error(`no jitter ${type}`);
  }
  lo = Math.max(lo, min);
  hi = Math.max(hi, lo);
  const clip = (ms) => (rule === 'ceiling' ? ms : Math.min(ms, cap));
  const at = (r, r2) => {
    if (type === 'slotted') return clip(Math.max(min, base * Math.floor(r * 2 ** Math.min(k, p.n))));
    if (type === 'pollyV2') {
      const raw =
        ((polly(k - 1 + r) - (previousR === undefined ? 0 : polly(Math.max(0, k - 2 + previousR)))) / 1.4) * base;
      // The design does not say how one draw of the caller's becomes two: then this is NaN.
      return raw > cap ? Math.max(min, cap / 2 + ((r2 ?? NaN) * cap) / 2) : Math.max(min, raw);
    }
    return clip(lo + r * (hi - lo));
  };
  return { lo: clip(lo), hi: clip(hi), at };
}

/** The wait after a server asked for `ms` > 0: never less than asked, and never less than without it. */
export function hintedWait(p, ms, computed) {
  const requested = Math.min(ms, p.longest, MAX);
  const spread = Math.max(p.base, requested / 2);
  return {
    lo: Math.max(requested, computed.lo),
    hi: Math.max(Math.min(MAX, requested + spread), computed.hi),
    at: (r, r2) => Math.max(Math.min(MAX, requested + r * spread), computed.at(r, r2)),
  };
}

const GOLDEN = 0x9e3779b97f4a7c15n;
const wrap = (x) => BigInt.asUintN(64, x);
function output(state, n) {
  let z = wrap(state + GOLDEN * (n + 1n));
  z = wrap((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = wrap((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}
const drawn = new Map();

/** The documented draw: two chained SplitMix64. Seeds here are whole numbers. Lane 2 has outputs of its own. */
export function draw(seed, operation, attempt, lane) {
  const key = `${seed} ${operation} ${attempt} ${lane}`;
  let r = drawn.get(key);
  if (r === undefined) {
    const n = BigInt(attempt * 2) + (lane < 2 ? BigInt(lane) : 2n ** 62n);
    const bits = output(output(BigInt(seed), BigInt(operation)), n) >> 11n;
    r = Number(bits) / 2 ** 53;
    drawn.set(key, r);
  }
  return r;
}
