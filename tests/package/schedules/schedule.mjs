// A schedule is data: the policies, what each callback does when it is called, when signals are aborted, and what is
// protected. It is made from a seed, and because it is data it can be shrunk and printed.

import {
  callbacks,
  endOf,
  failure,
  failureKind,
  operation,
  outcome,
  resultKind,
  slipKind,
  usesOf,
} from './callbacks.mjs';
import { addHedges } from './hedged-schedule.mjs';
import { generator } from './random.mjs';
import { KINDS } from './values.mjs';
import { NAMED, OWN_CURVE, PRESETS, kindsOf } from './waits.mjs';

/** The share of schedules without protection. */
const PLAIN = 0.47;
/** Hedges have choices of their own. */
const HEDGES = 0x4ed6e;

/**
 * Worlds with protection: those in which machines of this kind have failed. Answers outlast the lease of a probe and
 * the window, operations run inside the callbacks of others, hints never end, there are from 10 calls a minute to
 * 10,000 a second, clocks jump and stand still, servers answer, but not yet with what the caller waits for, and calls
 * fail in rows of a second.
 */
const WORLDS = [
  'mixed',
  'mixed',
  'mixed',
  'mixed',
  'slow',
  'slow',
  'nested',
  'hints',
  'steady',
  'clock',
  'polls',
  'rows',
];

/** Times between calls, in worlds of their own. */
const GAPS = { steady: [0.1, 1, 10, 250, 6000], rows: [1, 50, 90, 95, 100, 110, 150] };

/**
 * @param {number} seed
 * @param {number} index
 * @param {'plain' | 'protected' | 'hedged'} [among] for planted bugs, which schedules to make. Then the numbers of
 *   protection are read after each macrotask, so that a bug shows where it acts.
 */
export function makeSchedule(seed, index, among) {
  const g = generator(seed, index);
  const plain = g.chance(PLAIN);
  const world = (among === undefined ? plain : among === 'plain') ? 'plain' : g.pick(WORLDS);
  const gap = g.pick(GAPS[world] ?? [1, 20, 20, 300, 6000]);
  const schedule = {
    world,
    gap,
    single: world === 'plain' ? g.chance(0.76) : world !== 'nested',
    traced: g.chance(0.03),
    clock: clock(g, world),
    lies: [],
    protections: [],
    policies: [],
    operations: [],
    events: [],
    /** Whether all numbers are read after each macrotask, or only at the end. */
    reads: g.chance(0.25) || among ? 'often' : 'end',
    /** Whether it is played once more, without wasm. */
    twice: world !== 'plain' && g.chance(0.02),
    afterwards: world !== 'plain' && g.chance(0.2),
  };
  if (world === 'plain') plainOperations(g, schedule);
  else {
    protectedOperations(g, schedule);
    addHedges(generator(seed ^ HEDGES, index), schedule, among === 'hedged');
    if (index % 3 === 0) schedule.policies[0].options.metrics = true;
  }
  return schedule;
}

function clock(g, world) {
  const rarely = world === 'plain' ? 1 : world === 'mixed' ? 0.1 : 0;
  return {
    // Far enough from 0 for the clock to be set back. Whole numbers where sums of times are compared with windows.
    start: world === 'clock' ? 4e11 : g.pick(world === 'plain' ? [0, 1000.5, 123_456.789] : [0, 1000]),
    early: g.chance(rarely / 3) ? 1 : 0,
    late: g.chance(rarely * 0.4) ? g.pick([3, 40, ...(world === 'plain' ? [3_600_000] : [])]) : 0,
    skew: g.whole(1, 1e9),
  };
}

/** One policy without protection, of one operation or a few, with hostile callbacks of every kind. */
function plainOperations(g, schedule) {
  const policy = plainPolicy(g);
  schedule.policies.push(policy);
  const count = schedule.single ? 1 : g.whole(2, 3);
  for (let i = 0; i < count; i += 1)
    schedule.operations.push(plainOperation(g, schedule, policy, i, i === 0 ? 0 : g.pick([0, g.unit() * 300])));
  for (const abort of [...schedule.operations.filter(({ signal }) => signal).map(({ id }) => id), 'policy'])
    if ((abort !== 'policy' || policy.signal) && g.chance(0.6))
      schedule.events.push({
        at: g.chance(0.08) ? -1 : g.pick([0, g.unit() * 50, g.unit() * 500, g.unit() * 5000]),
        abort,
        reason: g.pick(KINDS),
      });
}

function plainPolicy(g) {
  const shape = g.pick(['policy', 'policy', 'policy', 'once', 'named', 'preset']);
  const preset = shape === 'preset' ? g.pick(Object.keys(PRESETS)) : undefined;
  const named = shape === 'named' ? g.pick(Object.keys(NAMED).slice(1)) : shape === 'once' ? 'retry' : undefined;
  const { capRule, ...implied } = PRESETS[preset] ?? NAMED[named] ?? {};
  const options = timing(g, preset ? { maxAttempts: g.whole(2, 5) } : curve(g, implied));
  const uses = usesOf(g, 0.2, 0.5);
  if (named === undefined && g.chance(0.2)) options.metrics = true;
  if (g.chance(0.15)) options.name = g.pick(['load user', '']);
  if (uses.retryOnResult && g.chance(0.35)) options.finalResult = g.pick(['resolve', 'reject', 'reject']);
  if (g.chance(0.4)) options.seed = g.whole(0, 15);
  else uses.random = true;
  const signal = g.chance(0.3) ? g.pick(['real', 'real', 'bare']) : undefined;
  return { preset, named, implied, options, signal, uses };
}

function curve(g, implied) {
  const options = {};
  if (g.chance(0.6)) options.maxAttempts = g.pick([1, 2, 3, 4, 5, 12, Infinity]);
  if (g.chance(0.6)) options.baseMs = g.pick([0, 0.25, 1, 7.5, 100, 1000, 3e9]);
  if (g.chance(0.5)) options.capMs = (options.baseMs ?? 0) + g.pick([0, 10, 333.3, 5000, 6e9, Infinity]);
  if (implied.backoff === undefined && g.chance(0.6)) {
    options.backoff = g.pick([...kindsOf('backoff'), 'function', [5, 20_000, 1.5], [0, Infinity]]);
  }
  if (implied.jitter === undefined && g.chance(0.7)) {
    options.jitter = g.pick([
      ...kindsOf('jitter'),
      ...[0.3, 1].map((ratio) => ({ type: 'proportional', ratio })),
      ...[{ ratio: 0.5 }, { maxMs: 40 }].map((parameter) => ({ type: 'additive', ...parameter })),
    ]);
  }
  const backoff = options.backoff ?? implied.backoff ?? 'exponential';
  const jitter = options.jitter ?? implied.jitter ?? 'full';
  const own = OWN_CURVE.includes(jitter);
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

function plainOperation(g, schedule, policy, id, at) {
  const { uses, options } = policy;
  const via = policy.named === undefined ? g.pick(['run', 'run', 'run', 'wrap']) : 'once';
  // Whether the attempts beyond those of the plan fail as well.
  const op = operation(id, at, { via, stubborn: g.chance(0.08), draws: [], curve: [] });
  if (via === 'run' && g.chance(0.35))
    op.signal = g.pick(['real', 'real', 'bare', ...(policy.signal ? ['policy'] : [])]);
  const signals = [...(policy.signal ? ['policy'] : []), ...(op.signal && op.signal !== 'policy' ? [id] : [])];
  const { totalTimeoutMs: total } = options;
  const blocks = [0.5, 30, 200, ...(total <= 20_000 ? [total, total] : [])];
  const n = g.whole(1, 6);
  const dials = {
    n,
    ms: () => g.pick([0, 1, g.unit() * 30, g.unit() * 300, g.unit() * 3000]),
    acts: acts(g, [
      [signals.length > 0 ? 0.35 : 0, () => ({ do: 'abort', signal: g.pick(signals), reason: g.pick(KINDS) })],
      // Whose turn it is in a macrotask of several is open.
      [schedule.single ? 0.25 : 0, () => ({ do: 'busy', ms: g.pick(blocks) })],
      [0.5, () => ({ do: 'wall', ms: g.pick([3.15e11, -3.15e11]) })],
      [0.2, () => ({ do: 'reenter', ms: g.pick([0, 10]) })],
    ]),
  };
  for (let k = 1; k <= n; k += 1) {
    const good = k < n ? (uses.retryOnResult ? 0.4 : 0.1) : 0.7;
    op.attempts.push({ before: dials.acts(0.1), end: outcome(g, dials, good, failureKind, resultKind, true) });
  }
  callbacks(g, op, uses, dials);
  const number = (bad, one) =>
    g.list(n, () => ({
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

/**
 * The acts of a callback before it ends, as a function of how likely there are any.
 * @param {any} g
 * @param {[chance: number, make: () => object][]} choices
 */
const acts = (g, choices) => (wild) =>
  g.chance(wild * 2) ? choices.filter(([chance]) => g.chance(chance)).map(([, make]) => make()) : [];

/** Operations that share protections. */
function protectedOperations(g, schedule) {
  const { world, gap, protections } = schedule;
  const grid = g.chance(0.5);
  const at = grid ? Math.round : (ms) => ms;
  protections.push(...g.list(world === 'nested' && g.chance(0.5) ? 2 : 1, () => protection(g, world, gap)));
  schedule.policies = g.list(g.whole(1, 2), () => protectedPolicy(g, world, gap, g.whole(0, protections.length - 1)));
  const keys = g.pick([[undefined], [undefined], ['a'], [undefined, 'a', 'b']]);
  // Whether one key touches another shows at once or never.
  if (keys.length > 1) schedule.reads = 'often';
  const spans = world === 'rows' ? [gap] : spansOf(protections, gap);
  const many = world === 'steady' || world === 'rows';
  const count = many ? g.whole(10, g.chance(0.2) ? 60 : 20) : g.whole(1, g.pick([3, 5, 7]));
  const health = healthOf(g, world, count);
  let time = 0;
  for (let i = 0; i < count; i += 1) {
    const op = protectedOperation(g, schedule, { i, at: time, key: g.pick(keys), spans, health: health(i), round: at });
    schedule.operations.push(op);
    if (op.signal && g.chance(0.7))
      schedule.events.push({
        at: at(time + g.pick([0, g.unit() * gap, g.unit() * g.pick(spans)])),
        abort: i,
        reason: op.reason,
      });
    time = at(time + (many ? gap : g.pick([0, gap, g.unit() * gap, ...spans])));
    // Sums of such times are exact, in whatever order: both sides see the very end of a window.
    time = Math.round(time * 1024) / 1024;
  }
  for (const [i, parts] of protections.entries())
    if (parts.breaker && g.chance(0.08)) schedule.events.push(...byHand(g, i, time, g.pick(keys), spans));
  if (world === 'clock') schedule.lies = lies(g, time, spans);
}

/** The circuit is opened by hand, for a time or until it is closed, or only closed. */
function byHand(g, protection, end, key, spans) {
  const at = Math.round(g.unit() * end);
  const act = (at, more) => ({ at, protection, key, ...more });
  const close = act(at + g.pick(spans), { close: true });
  if (g.chance(0.3)) return [close];
  if (g.chance(0.4)) return [act(at, { open: undefined }), close];
  return [act(at, { open: g.pick(spans) }), ...(g.chance(0.3) ? [close] : [])];
}

/** The times that matter: of leases, windows and holds. */
function spansOf(protections, gap) {
  const spans = [gap];
  for (const { breaker } of protections) {
    if (breaker === undefined) continue;
    spans.push(breaker.openMs ?? 5000, (breaker.openMs ?? 5000) * 1.5, breaker.windowMs ?? 10_000);
  }
  return spans;
}

/** How often a call fails: it changes along the way. */
function healthOf(g, world, count) {
  const [from, to] = [g.whole(0, count), g.whole(0, count)];
  const bad = g.pick([0.5, 0.9, 1]);
  const usual = g.pick({ steady: [0, 0.02, 0.1], rows: [0.9, 0.95] }[world] ?? [0.1, 0.5, 0.7]);
  return (i) => (i >= Math.min(from, to) && i < Math.max(from, to) ? bad : usual);
}

function protection(g, world, gap) {
  const parts = {};
  if (g.chance(0.6)) parts.budget = budget(g, world);
  if (g.chance({ hints: 0.5, rows: 1 }[world] ?? 0.75)) parts.breaker = breaker(g, gap, world);
  if (world === 'hints' || g.chance(0.4))
    parts.cooldown = g.chance(0.3) ? {} : { maxHoldMs: g.pick([0, 100, gap * 3, 2e5]) };
  if (Object.keys(parts).length === 0) parts.breaker = breaker(g, gap, world);
  // Its hook does.
  if (g.chance(0.15)) parts.isFailure = true;
  if (g.chance(0.1)) parts.throws = true;
  if (g.chance(0.1)) parts.aborts = g.pick(['opened', 'half-open', 'closed', 'held', 'rejected', 'budget-empty']);
  // A call of a machine bounds a time that was set back. The design does not say which machines an attempt reaches
  // that another one rejects.
  if (world === 'clock' && parts.breaker) delete parts.cooldown;
  return parts;
}

function budget(g, world) {
  // Tenths that add up to one token.
  if (world === 'steady' && g.chance(0.5)) return { capacity: 1, perSuccess: 0.1, refund: false };
  if (g.chance(0.05)) return { preset: 'awsSdk2026' };
  const options = {};
  if (g.chance(0.9)) options.capacity = g.pick([1, 1, 2, 3, 10, 0.5]);
  if (g.chance(0.7)) options.perSuccess = g.pick([0, 0.001, 0.1, 0.333, 1, 5]);
  if (options.capacity < 1 || g.chance(0.3)) options.cost = (options.capacity ?? 50) * g.pick([0.5, 1, 0.1]);
  if (options.cost !== undefined) options.cost = Math.round(options.cost * 1000) / 1000;
  if (g.chance(0.4)) options.refund = g.chance(0.3);
  return options;
}

function breaker(g, gap, world) {
  if (world === 'rows')
    return {
      minimumCalls: Infinity,
      openMs: g.pick([10, 1000]),
      // By default, rows count that last.
      ...(g.chance(0.4) && { consecutiveFailures: g.pick([5, 11, 13]) }),
    };
  // Probes of the circuit beside those of holds.
  if (world === 'hints' && g.chance(0.5)) return { consecutiveFailures: 1, openMs: g.pick([10, 100, gap]) };
  const options = {};
  // Shares that doubles hold: at the threshold, rounding decides nothing.
  if (g.chance(0.6)) options.failureRatio = g.pick([0.125, 0.5, 0.75, 1]);
  options.minimumCalls = g.pick([1, 2, 2, 3, 5, 10, Infinity]);
  if (g.chance(0.8)) options.windowMs = Math.min(3.6e6, Math.max(100, g.pick([gap * 3, gap * 10, 100, 1000])));
  if (g.chance(options.minimumCalls === Infinity ? 0.6 : 0.3)) options.consecutiveFailures = g.pick([1, 2, 3, 5, 8]);
  if (g.chance(0.9)) options.openMs = g.pick([10, 100, 1000, gap * 2]);
  if (g.chance(0.3)) options.closeAfter = g.whole(1, 3);
  return options;
}

function protectedPolicy(g, world, gap, of) {
  const options = { jitter: g.pick(['none', 'full']), backoff: g.pick(['fixed', 'exponential']) };
  options.maxAttempts = g.pick({ polls: [3, 4, 6, 12], rows: [1, 1, 2] }[world] ?? [1, 1, 2, 3, 4]);
  options.baseMs = g.pick([0, 1, 10, 100.5, gap]);
  options.capMs = Math.max(options.baseMs, g.pick([10, 1000, 1e5]));
  if (g.chance(0.2)) options.maxRetryAfterMs = g.pick([0, 50, 1000]);
  if (g.chance(0.1)) options.longRetryAfter = 'cap';
  if (world !== 'clock' && g.chance(0.25)) options.attemptTimeoutMs = g.pick([5, 50.5, 500, 5000]);
  if (world !== 'clock' && g.chance(0.3)) options.totalTimeoutMs = g.pick([7, 60.25, 333, 3000, 30_001]);
  if (g.chance(0.1)) options.finalError = 'wrap';
  if (g.chance(0.15)) options.seed = g.whole(0, 15);
  // The numbers are needed in many places: which one comes when is not followed.
  const random = options.seed === undefined && 'constant';
  const uses = { ...usesOf(g, world === 'polls' ? 1 : 0.15, 0.4), random };
  if (uses.retryOnResult && g.chance(0.3)) options.finalResult = 'reject';
  return { of, implied: {}, options, uses };
}

function protectedOperation(g, schedule, { i, at, key, spans, health, round }) {
  const index = g.whole(0, schedule.policies.length - 1);
  const { options, uses } = schedule.policies[index];
  const canBlock = [options.attemptTimeoutMs, options.totalTimeoutMs].every((ms) => ms === undefined);
  const sync = canBlock && schedule.world !== 'clock' ? 'sync' : 'run';
  const op = operation(i, at, {
    policy: index,
    key,
    via: g.pick(['run', 'run', 'run', 'run', 'once', sync, g.chance(0.15) ? 'off' : 'run']),
    signal: g.chance(0.35) ? 'real' : undefined,
    /** Half of the signals are those whose time is up. */
    reason: i % 2 === 0 ? 'timesOut' : 'error',
    draw: g.pick([0, 0.5, 0.25, 1 - 2 ** -53]),
  });
  const actsWith = (busy) =>
    acts(g, [
      [busy, () => ({ do: 'busy', ms: g.pick([1, 30, 200, 2000]) })],
      [op.signal && i >= 0 ? 0.6 : 0, () => ({ do: 'abort', signal: i, reason: op.reason })],
      [0.3, () => ({ do: 'wall', ms: g.pick([3.15e11, -3.15e11]) })],
      [0.3, () => ({ do: 'status' })],
    ]);
  const dials = {
    n: g.whole(1, Math.min(schedule.world === 'polls' ? 8 : 4, options.maxAttempts + 1)),
    ms: () => round(g.pick([0, g.unit() * 30, g.unit() * g.pick(spans), 1.2 * g.pick(spans), 3 * g.pick(spans)])),
    sync: op.via === 'sync',
    // The error of an inner operation is that of an attempt: which marks it has then is not followed.
    slips: i < 0 ? () => ({ kind: g.pick(KINDS) }) : undefined,
    acts: actsWith(0),
  };
  for (let n = 0; n < dials.n; n += 1)
    op.attempts.push(protectedAttempt(g, schedule, { i, op, health, dials, acts: actsWith(0.4) }));
  callbacks(g, op, uses, dials);
  return op;
}

function protectedAttempt(g, schedule, { i, op, health, dials, acts }) {
  const { world, gap } = schedule;
  const { sync, ms } = dials;
  const ok = !g.chance(health);
  const kinds = world === 'hints' ? { retryAfter: 3, error: 1 } : { error: 8, permanent: 1, retryAfter: 1 };
  const value = ok ? { kind: 'result' } : failure(g, kinds, [0, 5, 60, gap, 2 * gap, 700, 4000, 90_000]);
  // What a server says without failing is as common as what it says when it fails.
  if (g.chance({ polls: 0.5, rows: 0.03 }[world] ?? 0.25))
    value.status = g.pick([202, 401, 404, 409, 408, 429, 500, 501, 503, '503']);
  if (schedule.protections[schedule.policies[op.policy].of].isFailure && g.chance(0.5))
    value.says = g.pick([true, false, 'ignore', 'throw']);
  if (!sync && world === 'nested' && g.chance(0.6)) return nesting(g, schedule, { i, op, ms, ok, value });
  const late = g.chance(world === 'slow' ? 0.7 : 0.4) ? 'later' : g.chance(0.06) ? 'never' : undefined;
  const how = sync ? 'now' : (late ?? g.pick(['now', 'now', 'promise', 'promise', 'later']));
  return { before: acts(0.08), end: endOf(how, ok, value, ms()) };
}

/** An attempt that calls another operation, of the same protection or another one, and ends as that or after it. */
function nesting(g, schedule, { i, op, ms, ok, value }) {
  const key = g.chance(0.6) ? op.key : g.pick([undefined, 'a']);
  const spec = { i: -1, at: 0, key, spans: [10, 100], health: 0.6, round: Math.round };
  const inner = protectedOperation(g, { ...schedule, world: 'mixed' }, spec);
  inner.signal = undefined;
  if (inner.via === 'sync' && g.chance(0.5)) inner.via = 'run';
  const own = g.chance(0.4);
  return {
    before: [{ do: 'nest', op: inner, returned: !own && inner.via !== 'sync' }],
    end: own || inner.via === 'sync' ? { how: 'later', ok, value, ms: ms() } : { how: 'inner' },
    i,
  };
}

/** The monotonic clock does what it must not: it jumps, or stands still for a while. */
function lies(g, end, spans) {
  return g.list(g.whole(1, 3), () => {
    const at = g.unit() * (end + 10);
    if (g.chance(0.3)) return { at, stands: g.pick(spans) * g.pick([1, 5]) };
    return { at, by: g.pick([-1, -1, 1]) * g.pick([50, 1000, 1e6, 3.15e11]) };
  });
}
