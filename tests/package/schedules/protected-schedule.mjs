// A schedule of operations that share protections.

import { callbacks, usesOf } from './callbacks.mjs';
import { addHedges } from './hedged-schedule.mjs';
import { generator } from './random.mjs';
import { KINDS } from './values.mjs';

/** Hedges have choices of their own. */
const HEDGES = 0x4ed6e;

const WORLDS = ['mixed', 'mixed', 'mixed', 'mixed', 'slow', 'slow', 'nested', 'hints', 'steady', 'clock'];

/**
 * Operations that share protections. Their worlds are those in which machines of this kind have failed: answers that
 * outlast the lease of a probe and the window, operations inside the callbacks of others, hints without end, from 10
 * calls a minute to 10,000 a second, clocks that jump and clocks that stand still.
 * @param {any} g
 * @param {number} seed
 * @param {number} index
 * @param {'protected' | 'hedged'} [among] whether all numbers are read often, and whether all schedules have hedges
 */
export function protectedSchedule(g, seed, index, among) {
  const world = g.pick(WORLDS);
  const grid = g.chance(0.5);
  const at = grid ? Math.round : (ms) => ms;
  const gap = world === 'steady' ? g.pick([0.1, 1, 10, 250, 6000]) : g.pick([1, 20, 20, 300, 6000]);
  const schedule = {
    world,
    gap,
    single: world !== 'nested',
    clock: {
      // Far enough from 0 for the clock to be set back.
      start: world === 'clock' ? 4e11 : g.pick([0, 1000]),
      early: world === 'mixed' && g.chance(0.1) ? 1 : 0,
      late: world === 'mixed' && g.chance(0.1) ? g.pick([3, 40]) : 0,
      skew: g.whole(1, 1e9),
    },
    traced: g.chance(0.02),
    core: undefined,
    lies: [],
    protections: g.list(world === 'nested' && g.chance(0.5) ? 2 : 1, () => protection(g, world, gap)),
    policies: [],
    operations: [],
    events: [],
    /** Whether all numbers are read after each macrotask, or only at the end. */
    reads: g.chance(0.25) || among ? 'often' : 'end',
    /** Whether it is played once more, without wasm. */
    twice: g.chance(0.02),
    afterwards: g.chance(0.2),
  };
  const { protections } = schedule;
  schedule.policies = g.list(g.whole(1, 2), (i) => policy(g, world, gap, g.whole(0, protections.length - 1), i));
  const keys = g.pick([[undefined], [undefined], ['a'], [undefined, 'a', 'b']]);
  // Whether one key touches another shows at once or never.
  if (keys.length > 1) schedule.reads = 'often';
  const spans = spansOf(protections, gap);
  const count = world === 'steady' ? g.whole(10, g.chance(0.2) ? 60 : 20) : g.whole(1, g.pick([3, 5, 7]));
  const health = healthOf(g, world, count);
  let time = 0;
  for (let i = 0; i < count; i += 1) {
    schedule.operations.push(
      operation(g, schedule, { i, at: time, key: g.pick(keys), spans, health: health(i), at2: at }),
    );
    time = at(time + (world === 'steady' ? gap : g.pick([0, gap, g.unit() * gap, ...spans])));
    if (grid === false) time = Math.round(time * 1000) / 1000;
  }
  for (const [i, op] of schedule.operations.entries())
    if (op.signal && g.chance(0.7))
      schedule.events.push({
        at: at(op.at + g.pick([0, g.unit() * gap, g.unit() * g.pick(spans)])),
        abort: i,
        reason: op.reason,
      });
  for (const [i, { breaker }] of protections.entries())
    if (breaker && g.chance(0.08)) schedule.events.push(...byHand(g, i, time, g.pick(keys), spans));
  if (world === 'clock') schedule.lies = lies(g, time, spans);
  addHedges(generator(seed ^ HEDGES, index), schedule, among === 'hedged');
  return schedule;
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
  const usual = world === 'steady' ? g.pick([0, 0.02, 0.1]) : g.pick([0.1, 0.5, 0.7]);
  return (i) => (i >= Math.min(from, to) && i < Math.max(from, to) ? bad : usual);
}

function protection(g, world, gap) {
  const parts = {};
  if (g.chance(0.6)) parts.budget = budget(g, world);
  if (g.chance(world === 'hints' ? 0.3 : 0.75)) parts.breaker = breaker(g, gap);
  if (world === 'hints' || g.chance(0.4))
    parts.cooldown = g.chance(0.3) ? {} : { maxHoldMs: g.pick([0, 100, gap * 3, 2e5]) };
  if (Object.keys(parts).length === 0) parts.breaker = breaker(g, gap);
  // Its hook does.
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

function breaker(g, gap) {
  const options = {};
  if (g.chance(0.6)) options.failureRatio = g.pick([0.1, 0.5, 0.75, 1]);
  options.minimumCalls = g.pick([1, 2, 2, 3, 5, 10, Infinity]);
  if (g.chance(0.8)) options.windowMs = Math.min(3.6e6, Math.max(100, g.pick([gap * 3, gap * 10, 100, 1000])));
  if (g.chance(0.4) || options.minimumCalls === Infinity) options.consecutiveFailures = g.pick([1, 2, 3, 5, 8]);
  if (g.chance(0.9)) options.openMs = g.pick([10, 100, 1000, gap * 2]);
  if (g.chance(0.3)) options.closeAfter = g.whole(1, 3);
  if (g.chance(0.15)) options.isFailure = true;
  return options;
}

function policy(g, world, gap, of) {
  const options = { jitter: g.pick(['none', 'full']), backoff: g.pick(['fixed', 'exponential']) };
  options.maxAttempts = g.pick([1, 1, 2, 3, 4]);
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
  return { of, implied: {}, options, uses: { ...usesOf(g, 0.15, 0.4), random } };
}

function operation(g, schedule, { i, at, key, spans, health, at2 }) {
  const index = g.whole(0, schedule.policies.length - 1);
  const { options, uses } = schedule.policies[index];
  const { world } = schedule;
  const canBlock = options.attemptTimeoutMs === undefined && world !== 'clock' && options.totalTimeoutMs === undefined;
  const via = g.pick(['run', 'run', 'run', 'run', 'once', canBlock ? 'sync' : 'run', g.chance(0.15) ? 'off' : 'run']);
  const op = {
    id: i,
    at,
    policy: index,
    key,
    via,
    signal: g.chance(0.35) ? 'real' : undefined,
    /** Half of the signals are those whose time is up. */
    reason: i % 2 === 0 ? 'timesOut' : 'error',
    draw: g.pick([0, 0.5, 0.25, 1 - 2 ** -53]),
    attempts: [],
    verdicts: [],
    results: [],
    befores: [],
    hooks: {},
  };
  const sync = via === 'sync';
  const attempts = g.whole(1, Math.min(4, options.maxAttempts + 1));
  const ms = () => at2(g.pick([0, g.unit() * 30, g.unit() * g.pick(spans), 1.2 * g.pick(spans), 3 * g.pick(spans)]));
  for (let n = 0; n < attempts; n += 1) op.attempts.push(attempt(g, schedule, { i, op, health, ms, sync }));
  // The error of an inner operation is that of an attempt: which marks it has then is not followed.
  const slips = i < 0 ? () => ({ kind: g.pick(KINDS) }) : undefined;
  callbacks(g, op, uses, { n: attempts, ms, sync, slips, acts: (wild) => acts(g, op, i, wild, true) });
  return op;
}

function attempt(g, schedule, { i, op, health, ms, sync }) {
  const { world } = schedule;
  const ok = !g.chance(health);
  const value = ok ? { kind: 'result' } : failure(g, schedule);
  if (schedule.protections[schedule.policies[op.policy].of].breaker?.isFailure && g.chance(0.5))
    value.says = g.pick([true, false, 'ignore', 'throw']);
  if (!sync && op.via !== 'inner' && world === 'nested' && g.chance(0.6))
    return nesting(g, schedule, { i, op, ms, ok, value });
  const slow = world === 'slow' ? 0.7 : 0.4;
  const how = sync
    ? 'now'
    : g.chance(slow)
      ? 'later'
      : g.pick(['now', 'now', 'promise', 'promise', 'later', g.chance(0.4) ? 'never' : 'later']);
  const end = { how: how === 'now' ? (ok ? 'return' : 'throw') : how, ok, value, ms: ms() };
  return { before: acts(g, op, i, 0.08, false), end };
}

function failure(g, { world, gap }) {
  const kind = g.pick(
    world === 'hints'
      ? ['retryAfter', 'retryAfter', 'retryAfter', 'error']
      : [...Array(8).fill('error'), 'permanent', 'retryAfter'],
  );
  if (kind === 'error') return { kind };
  const ms = g.pick([0, 5, 60, gap, 2 * gap, 700, 4000, 90_000]);
  return { kind: 'error', layers: [kind], ms };
}

/** An attempt that calls another operation, of the same protection or another one, and ends as that or after it. */
function nesting(g, schedule, { i, op, ms, ok, value }) {
  const inner = operation(
    g,
    { ...schedule, world: 'mixed' },
    {
      i: -1,
      at: 0,
      key: g.chance(0.6) ? op.key : g.pick([undefined, 'a']),
      spans: [10, 100],
      health: 0.6,
      at2: Math.round,
    },
  );
  inner.signal = undefined;
  if (inner.via === 'sync' && g.chance(0.5)) inner.via = 'run';
  const own = g.chance(0.4);
  return {
    before: [{ do: 'nest', op: inner, returned: !own && inner.via !== 'sync' }],
    end: own || inner.via === 'sync' ? { how: 'later', ok, value, ms: ms() } : { how: 'inner' },
    i,
  };
}

/** Makes the acts of a callback before it ends. */
function acts(g, op, i, wild, aside) {
  const list = [];
  if (!g.chance(wild * 2)) return list;
  if (!aside && g.chance(0.4)) list.push({ do: 'busy', ms: g.pick([1, 30, 200, 2000]) });
  if (op.signal && i >= 0 && g.chance(0.6)) list.push({ do: 'abort', signal: i, reason: op.reason });
  if (g.chance(0.3)) list.push({ do: 'wall', ms: g.pick([3.15e11, -3.15e11]) });
  if (g.chance(0.3)) list.push({ do: 'status' });
  return list;
}

/** The monotonic clock does what it must not: it jumps, or stands still for a while. */
function lies(g, end, spans) {
  return g.list(g.whole(1, 3), () => {
    const at = g.unit() * (end + 10);
    if (g.chance(0.3)) return { at, stands: g.pick(spans) * g.pick([1, 5]) };
    return { at, by: g.pick([-1, -1, 1]) * g.pick([50, 1000, 1e6, 3.15e11]) };
  });
}
