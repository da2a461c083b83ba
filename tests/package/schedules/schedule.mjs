// A schedule is data: the options, what each callback does when it is called, when signals are aborted, when the
// core fails. It is made from a seed, and because it is data it can be shrunk and printed.

import { generator } from './random.mjs';
import { KINDS, RESULTS } from './values.mjs';
import { PRESETS } from './waits.mjs';

export const HOOKS = ['onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp'];

const NAMED = {
  retryWithFullJitter: { jitter: 'full' },
  retryWithEqualJitter: { jitter: 'equal' },
  retryWithDecorrelatedJitter: { jitter: 'decorrelated' },
  retryWithExponentialBackoff: { backoff: 'exponential', jitter: 'none' },
  retryWithLinearBackoff: { backoff: 'linear', jitter: 'none' },
  retryWithFixedDelay: { backoff: 'fixed', jitter: 'none' },
  retryWithTruncatedBackoff: { backoff: 'truncated', maxAttempts: Infinity },
};

export function makeSchedule(seed, index) {
  const g = generator(seed, index);
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
    preset: undefined,
    named: undefined,
    implied: {},
    options: {},
    policySignal: g.chance(0.3) ? g.pick(['real', 'real', 'bare']) : undefined,
    uses: {
      retryIf: g.chance(0.35),
      retryOnResult: g.chance(0.2),
      random: false,
      beforeRetry: g.chance(0.25),
      hooks: g.chance(0.5) ? HOOKS.filter(() => g.chance(0.7)) : [],
    },
    operations: [],
    events: [],
  };
  if (shape === 'preset') {
    schedule.preset = g.pick(Object.keys(PRESETS));
    schedule.implied = PRESETS[schedule.preset];
    schedule.options = timing(g, { maxAttempts: g.whole(2, 5) });
  } else if (shape === 'named') {
    schedule.named = g.pick(Object.keys(NAMED));
    schedule.implied = NAMED[schedule.named];
    schedule.options = timing(g, curve(g, schedule.implied));
  } else {
    schedule.options = timing(g, curve(g, {}));
    if (shape === 'once') schedule.named = 'retry';
  }
  if (schedule.named === undefined && g.chance(0.2)) schedule.options.metrics = true;
  if (g.chance(0.15)) schedule.options.name = g.pick(['load user', '']);
  if (schedule.uses.retryOnResult && g.chance(0.35))
    schedule.options.finalResult = g.pick(['resolve', 'reject', 'reject']);
  if (g.chance(0.4)) schedule.options.seed = g.whole(0, 15);
  else if (g.chance(0.92)) schedule.uses.random = true;
  const count = single ? 1 : g.whole(2, 3);
  for (let i = 0; i < count; i += 1) schedule.operations.push(operation(g, schedule, i));
  for (let i = 0; i < count; i += 1)
    if (schedule.operations[i].signal && g.chance(0.6)) schedule.events.push(abortion(g, i));
  if (schedule.policySignal && g.chance(0.6)) schedule.events.push(abortion(g, 'policy'));
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

function abortion(g, signal) {
  return {
    at: g.chance(0.08) ? -1 : g.pick([0, g.unit() * 50, g.unit() * 500, g.unit() * 5000]),
    signal,
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

function operation(g, schedule, i) {
  const policy = schedule.named === undefined;
  const op = {
    at: i === 0 ? 0 : g.pick([0, g.unit() * 300]),
    // A wrapped function gets no signal: without a hook its timeout would leave no trace.
    via: policy
      ? g.pick([
          'run',
          'run',
          'run',
          schedule.options.attemptTimeoutMs > 0 && !schedule.uses.hooks.includes('onFailure') ? 'run' : 'wrap',
        ])
      : 'once',
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
    op.signal = g.pick(['real', 'real', 'bare', ...(schedule.policySignal ? ['policy'] : [])]);
  const { uses, options } = schedule;
  const signals = [...(schedule.policySignal ? ['policy'] : []), ...(op.signal && op.signal !== 'policy' ? [i] : [])];
  const attempts = g.whole(1, 6);
  const blocks = [
    0.5,
    30,
    200,
    ...(options.totalTimeoutMs <= 20_000 ? [options.totalTimeoutMs, options.totalTimeoutMs] : []),
  ];
  const step = (end, wild) => ({ before: pre(g, signals, wild, blocks), end });
  for (let n = 1; n <= attempts; n += 1)
    op.attempts.push(
      step(outcome(g, n < attempts ? (uses.retryOnResult ? 0.4 : 0.1) : 0.7, failureKind, resultKind, true), 0.1),
    );
  const good = (p) => () => outcome(g, 0.93, slipKind, () => ({ verdict: verdict(g, p) }), false);
  if (uses.retryIf) op.verdicts = g.list(attempts, () => step(good(0.85)(), 0.05));
  if (uses.retryOnResult) op.results = g.list(attempts, () => step(good(0.6)(), 0.05));
  if (uses.beforeRetry)
    op.befores = g.list(attempts, () =>
      step(
        outcome(g, 0.93, slipKind, () => ({ kind: g.pick(RESULTS) }), false),
        0.3,
      ),
    );
  for (const name of uses.hooks) {
    if (g.chance(0.5))
      op.hooks[name] = g.list(attempts, () =>
        step(
          g.chance(0.7)
            ? { how: 'return', ok: true }
            : outcome(g, 0.3, failureKind, () => ({ kind: 'undefined' }), false),
          0.12,
        ),
      );
  }
  const number = (bad, one) =>
    g.list(attempts, () =>
      step(
        g.chance(0.02)
          ? { how: 'throw', ok: false, value: slipKind(g) }
          : { how: 'return', ok: true, value: { number: g.chance(0.02) ? g.pick(bad) : one() } },
        0.04,
      ),
    );
  if (uses.random)
    op.draws = number([1, NaN, -0.1, 2, '0.5', undefined], () => g.pick([0, 0.5, 1 - 2 ** -53, g.unit(), g.unit()]));
  if (options.backoff === 'function')
    op.curve = number([NaN, -1, '5', undefined], () => g.pick([0, g.unit() * 200, 50, 1e12, Infinity]));
  return op;
}

function failureKind(g) {
  const failure = { kind: g.pick(KINDS) };
  return g.chance(0.14) ? { ...failure, ...marks(g) } : failure;
}

/** Describes what a callback other than the operation itself throws: sometimes the error that it received. */
const slipKind = (g) => (g.chance(0.15) ? { kind: 'same' } : failureKind(g));

/** A result; sometimes a mark that should have been thrown. */
const resultKind = (g) =>
  g.chance(0.02)
    ? { kind: g.pick(KINDS), ms: 5, layers: [g.pick(['permanent', 'retryAfter', 'retryAfterNothing'])] }
    : { kind: g.pick(RESULTS) };

/** Marks around an error, among plain errors; a single one at most a little deeper than it is looked for. */
function marks(g) {
  const plain = (depths = [1, 2, 9, 10, 11]) => (g.chance(0.3) ? Array(g.pick(depths)).fill('plain') : []);
  const ms = g.pick([0, 3, 40.5, 700, 90_000, Infinity]);
  switch (g.pick(['one', 'one', 'one', 'none', 'bad', 'mixed', 'mixed', 'many'])) {
    case 'one':
      return { ms, layers: [g.pick(['permanent', 'retryAfter', 'retryAfter']), ...plain()] };
    case 'none':
      return { ms, layers: ['retryAfterNothing', ...(g.chance(0.3) ? ['permanent'] : []), ...plain()] };
    case 'bad':
      return {
        bad: g.pick([NaN, -1, '5', undefined, null]),
        layers: [...(g.chance(0.3) ? ['permanent'] : []), 'retryAfterBad', ...plain([1, 2])],
      };
    case 'many':
      return { ms, layers: Array(12).fill('retryAfter') };
    default:
      return { ms, layers: g.list(g.whole(2, 4), () => g.pick(['permanent', 'retryAfter', 'retryAfter', 'plain'])) };
  }
}

function verdict(g, again) {
  if (g.chance(0.04))
    return g.pick([undefined, 1, 'yes', null, { afterMs: -1 }, { afterMs: NaN }, { afterMs: '5' }, {}]);
  if (g.chance(0.15)) return { afterMs: g.pick([0, 0, 2.5, 60, 20_000]) };
  return g.chance(again);
}

/** How a callback ends. `ok` decides between its result and its failure. */
function outcome(g, chanceOfSuccess, fails, succeeds, attempt) {
  const ok = g.chance(chanceOfSuccess);
  const value = ok ? succeeds(g) : fails(g);
  const how = g.pick([
    'now',
    'now',
    'now',
    'promise',
    'promise',
    'later',
    'later',
    'thenable',
    'never',
    attempt ? 'obey' : 'later',
  ]);
  switch (how) {
    case 'now':
      return { how: ok ? 'return' : 'throw', ok, value };
    case 'later':
      return { how, ok, value, ms: g.pick([0, 1, g.unit() * 30, g.unit() * 300, g.unit() * 3000]) };
    case 'thenable':
      return {
        how,
        ok,
        value,
        style: g.pick(['plain', 'late', 'twice', 'throwsAfter', 'nested', 'function']),
        ms: g.unit() * 50,
      };
    case 'never':
      return g.chance(0.4) ? { how, ok: false } : { how: ok ? 'return' : 'throw', ok, value };
    case 'obey':
      return { how, ok, value, ms: g.pick([0, 5, 100]), slow: g.unit() * 400 };
    default:
      return { how, ok, value };
  }
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
