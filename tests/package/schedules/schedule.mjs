// A schedule is data: the policies, what each callback does when it is called, when signals are aborted, when the core
// fails, and what is protected. It is made from a seed, and because it is data it can be shrunk and printed.

import { callbacks, failureKind, outcome, resultKind, slipKind, usesOf } from './callbacks.mjs';
import { protectedSchedule } from './protected-schedule.mjs';
import { generator } from './random.mjs';
import { KINDS } from './values.mjs';
import { PRESETS } from './waits.mjs';

/** The share of schedules without protection. */
const PLAIN = 0.47;

/**
 * @param {number} seed
 * @param {number} index
 * @param {'plain' | 'protected' | 'hedged'} [among] for planted bugs, which schedules to make. Then the numbers of
 *   protection are read after each macrotask, so that a bug shows where it acts.
 */
export function makeSchedule(seed, index, among) {
  const g = generator(seed, index);
  const plain = g.chance(PLAIN);
  if (among === undefined ? plain : among === 'plain') return plainSchedule(g, index);
  return protectedSchedule(g, seed, index, among);
}

const NAMED = {
  retryWithFullJitter: { jitter: 'full' },
  retryWithEqualJitter: { jitter: 'equal' },
  retryWithDecorrelatedJitter: { jitter: 'decorrelated' },
  retryWithExponentialBackoff: { backoff: 'exponential', jitter: 'none' },
  retryWithLinearBackoff: { backoff: 'linear', jitter: 'none' },
  retryWithFixedDelay: { backoff: 'fixed', jitter: 'none' },
  retryWithTruncatedBackoff: { backoff: 'truncated', maxAttempts: Infinity },
};

/** A policy without protection: one operation or a few, with hostile callbacks of every kind. */
function plainSchedule(g, index) {
  const single = g.chance(0.76);
  const shape = g.pick(['policy', 'policy', 'policy', 'once', 'named', 'preset']);
  const schedule = {
    single,
    traced: g.chance(0.04),
    clock: {
      start: g.pick([0, 1000.5, 123_456.789]),
      early: g.pick([0, 0, 1]),
      late: g.pick([0, 0, 0, 3, 40, 3_600_000]),
      skew: g.whole(1, 1e9),
    },
    core: core(g, index),
    lies: [],
    protections: [],
    policies: [],
    operations: [],
    events: [],
  };
  const policy = {
    preset: undefined,
    named: undefined,
    implied: {},
    options: {},
    signal: g.chance(0.3) ? g.pick(['real', 'real', 'bare']) : undefined,
    uses: usesOf(g, 0.2, 0.5),
  };
  schedule.policies.push(policy);
  if (shape === 'preset') {
    policy.preset = g.pick(Object.keys(PRESETS));
    policy.implied = PRESETS[policy.preset];
    policy.options = timing(g, { maxAttempts: g.whole(2, 5) });
  } else if (shape === 'named') {
    policy.named = g.pick(Object.keys(NAMED));
    policy.implied = NAMED[policy.named];
    policy.options = timing(g, curve(g, policy.implied));
  } else {
    policy.options = timing(g, curve(g, {}));
    if (shape === 'once') policy.named = 'retry';
  }
  if (policy.named === undefined && g.chance(0.2)) policy.options.metrics = true;
  if (g.chance(0.15)) policy.options.name = g.pick(['load user', '']);
  if (policy.uses.retryOnResult && g.chance(0.35)) policy.options.finalResult = g.pick(['resolve', 'reject', 'reject']);
  if (g.chance(0.4)) policy.options.seed = g.whole(0, 15);
  else if (g.chance(0.92)) policy.uses.random = true;
  const count = single ? 1 : g.whole(2, 3);
  for (let i = 0; i < count; i += 1) schedule.operations.push(plainOperation(g, schedule, i));
  for (let i = 0; i < count; i += 1)
    if (schedule.operations[i].signal && g.chance(0.6)) schedule.events.push(abortion(g, i));
  if (policy.signal && g.chance(0.6)) schedule.events.push(abortion(g, 'policy'));
  return schedule;
}

/**
 * How the core fails: `traps` lists the uses of it that trap, counted from 0; from `deniedFrom` on no instance can be
 * made, in one of three ways. The first schedules fail more often: they find a process that has no instance yet.
 */
function core(g, index) {
  if (!g.chance(index < 50 ? 0.4 : 0.025)) return undefined;
  if (g.chance(0.5))
    return { traps: [g.whole(0, 5), ...(g.chance(0.3) ? [g.whole(0, 9)] : [])], deniedFrom: Infinity, how: undefined };
  return { traps: [], deniedFrom: g.pick([0, 0, 2, 3]), how: g.pick(['module', 'instance', 'missing']) };
}

function abortion(g, abort) {
  return {
    at: g.chance(0.08) ? -1 : g.pick([0, g.unit() * 50, g.unit() * 500, g.unit() * 5000]),
    abort,
    reason: g.pick(KINDS),
  };
}

function curve(g, implied) {
  const options = {};
  if (g.chance(0.6)) options.maxAttempts = g.pick([1, 2, 3, 4, 5, 12, Infinity]);
  if (g.chance(0.6)) options.baseMs = g.pick([0, 0.25, 1, 7.5, 100, 1000, 3e9]);
  if (g.chance(0.5)) options.capMs = (options.baseMs ?? 0) + g.pick([0, 10, 333.3, 5000, 6e9, Infinity]);
  if (implied.backoff === undefined && g.chance(0.6)) {
    options.backoff = g.pick([
      'fixed',
      'linear',
      'exponential',
      'truncated',
      'fibonacci',
      'function',
      [5, 50, 1.5],
      [0, Infinity],
    ]);
  }
  if (implied.jitter === undefined && g.chance(0.7)) {
    options.jitter = g.pick([
      'none',
      'full',
      'equal',
      'decorrelated',
      'decorrelatedBounded',
      'slotted',
      'pollyV2',
      { type: 'proportional', ratio: 0.3 },
      { type: 'proportional', ratio: 1 },
      { type: 'additive', ratio: 0.5 },
      { type: 'additive', maxMs: 40 },
    ]);
  }
  const backoff = options.backoff ?? implied.backoff ?? 'exponential';
  const jitter = options.jitter ?? implied.jitter ?? 'full';
  const own = ['decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'].includes(jitter);
  if (backoff === 'exponential' && !own && g.chance(0.3)) options.factor = g.pick([1, 1.5, 3, 1e6]);
  if (backoff === 'linear' && !own && g.chance(0.4)) options.stepMs = g.pick([0, 3.5, 1000]);
  if ((backoff === 'truncated' || jitter === 'slotted') && g.chance(0.5)) options.truncateAt = g.whole(1, 6);
  if (g.chance(0.15)) options.minMs = Math.min(g.pick([0, 5, 80]), options.capMs ?? 10_000);
  return options;
}

function timing(g, options) {
  if (g.chance(0.3)) options.attemptTimeoutMs = g.pick([1, 20.5, 100, 1000, 3e9, Infinity]);
  if (g.chance(0.35)) options.totalTimeoutMs = g.pick([0.5, 30, 150.25, 1000, 20_000, 5e9]);
  if (g.chance(0.1)) options.maxRetryAfterMs = g.pick([0, 50, 1000, Infinity]);
  if (g.chance(0.1)) options.longRetryAfter = g.pick(['stop', 'cap']);
  if (g.chance(0.15)) options.finalError = 'wrap';
  if (g.chance(0.1)) options.unref = true;
  return options;
}

function plainOperation(g, schedule, i) {
  const [policy] = schedule.policies;
  const op = {
    id: i,
    at: i === 0 ? 0 : g.pick([0, g.unit() * 300]),
    policy: 0,
    via: policy.named === undefined ? g.pick(['run', 'run', 'run', 'wrap']) : 'once',
    signal: undefined,
    attempts: [],
    /** Whether the attempts beyond those fail as well. */
    stubborn: g.chance(0.08),
    verdicts: [],
    results: [],
    befores: [],
    hooks: {},
    draws: [],
    curve: [],
  };
  if (op.via === 'run' && g.chance(0.35))
    op.signal = g.pick(['real', 'real', 'bare', ...(policy.signal ? ['policy'] : [])]);
  const { uses, options } = policy;
  const signals = [...(policy.signal ? ['policy'] : []), ...(op.signal && op.signal !== 'policy' ? [i] : [])];
  const attempts = g.whole(1, 6);
  const blocks = [
    0.5,
    30,
    200,
    ...(options.totalTimeoutMs <= 20_000 ? [options.totalTimeoutMs, options.totalTimeoutMs] : []),
  ];
  const dials = { n: attempts, ms: () => g.pick([0, 1, g.unit() * 30, g.unit() * 300, g.unit() * 3000]) };
  dials.acts = (wild) => pre(g, signals, wild, blocks);
  for (let n = 1; n <= attempts; n += 1) {
    const good = n < attempts ? (uses.retryOnResult ? 0.4 : 0.1) : 0.7;
    const end = outcome(g, dials, good, failureKind, resultKind, true);
    op.attempts.push({ before: dials.acts(0.1), end });
  }
  callbacks(g, op, uses, dials);
  const number = (bad, one) =>
    g.list(attempts, () => ({
      end: g.chance(0.02)
        ? { how: 'throw', ok: false, value: slipKind(g) }
        : { how: 'return', ok: true, value: { number: g.chance(0.02) ? g.pick(bad) : one() } },
      before: dials.acts(0.04),
    }));
  if (uses.random)
    op.draws = number([1, NaN, -0.1, 2, '0.5', undefined], () => g.pick([0, 0.5, 1 - 2 ** -53, g.unit(), g.unit()]));
  if (options.backoff === 'function')
    op.curve = number([NaN, -1, '5', undefined], () => g.pick([0, g.unit() * 200, 50, 1e12, Infinity]));
  return op;
}

/** Makes the acts of a callback before it ends. */
function pre(g, signals, wild, blocks) {
  const acts = [];
  // Most do nothing: one draw says so.
  if (!g.chance(wild * 2)) return acts;
  if (signals.length > 0 && g.chance(0.35)) acts.push({ do: 'abort', signal: g.pick(signals), reason: g.pick(KINDS) });
  if (g.chance(0.25)) acts.push({ do: 'busy', ms: g.pick(blocks) });
  if (g.chance(0.5)) acts.push({ do: 'wall', ms: g.pick([3.15e11, -3.15e11]) });
  if (g.chance(0.2)) acts.push({ do: 'reenter', ms: g.pick([0, 10]) });
  return acts;
}
