// A schedule is data: the policies, what each callback does when it is called, when signals are aborted, and what is
// protected. It is made from a seed, and because it is data it can be shrunk and printed.

import { OPTIONS } from '../../../xtask/npm/options.mjs';
import { AWAITED, HOOKS } from '../lib/callbacks.mjs';
import { everySchedule } from './every.mjs';
import { failure, failureKind, outcome, resultKind, slipKind, verdict } from './outcomes.mjs';
import { generator } from './random.mjs';
import { KINDS, RESULTS } from './values.mjs';
import { NAMED, OWN_CURVE, PRESETS, kindsOf } from './waits.mjs';

/** The share of schedules without protection. */
const PLAIN = 0.47;
/** Of these, one in so many is for rejitter/light, which has some of the options. */
const ONE_LIGHT_IN = 5;
const LIGHT = OPTIONS.flatMap(({ name, takers }) => (takers.includes('light') ? [name] : []));

/**
 * Worlds with protection: those in which machines of this kind have failed. Answers outlast the lease of a probe and
 * the window, operations run inside the callbacks of others, hints never end, there are from 10 calls a minute to
 * 10,000 a second, clocks jump and stand still, servers answer, but not yet with what the caller waits for, and calls
 * fail in rows of a second, and start no faster than a server takes them.
 */
const WORLDS = 'mixed mixed mixed mixed slow slow nested hints steady clock polls rows limits'.split(' ');

/** Whether schedules for planted bugs are those without protection, if all are of one kind. */
const KIND = { plain: true, light: true, protected: false, held: false, hedged: false, limited: false };
/** Worlds of schedules for planted bugs, if they are not all. */
const WORLDS_OF = { held: ['hints', 'hints', 'mixed', 'mixed', 'slow'], limited: ['limits'] };

/** Times between calls, in worlds of their own. With 850 ms, old durations go after the first slow answers. */
const GAPS = {
  steady: [0.1, 1, 10, 250, 6000],
  rows: [1, 50, 90, 95, 100, 110, 150],
  limits: [4, 12, 48, 100, 300],
  many: [5.3, 50.7, 850.4, 850.8, 1500.2],
};

/**
 * @param {number} seed
 * @param {number} index
 * @param {'plain' | 'light' | 'protected' | 'held' | 'hedged' | 'progress' | 'limited' | 'every'} [among] for planted
 *   bugs, which schedules to make. Then the numbers of protection are read after each macrotask, so that a bug shows
 *   where it acts. `every` takes no seed: these are all orders of a few events.
 */
export function makeSchedule(seed, index, among) {
  if (among === 'every') return everySchedule(index);
  const g = generator(seed, index);
  const plain = g.chance(PLAIN);
  let world = (KIND[among] ?? plain) ? 'plain' : g.pick(WORLDS_OF[among] ?? WORLDS);
  const light = among === 'light' || (among === undefined && plain && index % ONE_LIGHT_IN === 0);
  const hedged = world !== 'plain' && g.chance({ hedged: 1, progress: 0.4, held: 0 }[among] ?? 0.1);
  // Enough operations, most of them quick, to learn a delay from.
  if (hedged && !['nested', 'clock'].includes(world) && g.chance(among === 'hedged' ? 0.25 : 0.06)) world = 'many';
  const gap = g.pick(GAPS[world] ?? [1, 20, 20, 300, 6000]);
  const schedule = {
    ...{ world, gap, light, held: among === 'held' },
    // In the turn of one operation, its queue lets others start.
    single: world === 'plain' ? g.chance(0.76) : !['nested', 'limits'].includes(world),
    traced: g.chance(0.03) && !light,
    clock: clock(g, world),
    lies: [],
    protections: [],
    policies: [],
    operations: [],
    events: [],
    /** Whether all numbers are read after each macrotask, or only at the end. */
    reads: world !== 'limits' && (g.chance(0.25) || among) ? 'often' : 'end',
    /** Whether it is played once more, without wasm. */
    twice: world !== 'plain' && g.chance(0.02),
    /** How likely an attempt is to tell that it lives, has gained something or must not be repeated. */
    telling: light ? 0 : among === 'progress' ? 0.5 : 0.08,
    afterwards: world !== 'plain' && g.chance(0.2),
  };
  if (world === 'plain') plainOperations(g, schedule);
  else {
    protectedOperations(g, schedule, hedged);
    if (index % 3 === 0) schedule.policies[0].options.metrics = true;
    if (world === 'limits') wholeTimes(schedule);
  }
  return schedule;
}

/**
 * Times of limiters are multiples of 4 ms, of which halves of halves are whole: a timer that is set again is due when
 * it was due before. An attempt ends in a macrotask of its own, and what is awaited then is not settled already: how
 * many turns of promises lie between its end and the start of the next one is promised nowhere.
 */
function wholeTimes(part) {
  if (part.how === 'promise' || part.how === 'thenable') part.how = 'now';
  for (const { end } of part.attempts ?? []) if (end.how === 'now' || end.how === 'promise') Object.assign(end, SOON);
  // An answer that is an object is awaited, too.
  if (part.how === 'now' && Object(part.value?.verdict) === part.value?.verdict) Object.assign(part, SOON);
  for (const [name, value] of Object.entries(part))
    if (Object(value) === value) wholeTimes(value);
    else if (/(^ms|Ms|^at|^verdict|^open)$/.test(name) && value > 0 && value < Infinity)
      part[name] = Math.max(4, Math.round(value / 4) * 4);
}

export const SOON = { how: 'later', ms: 4 };

function clock(g, world) {
  const rarely = world === 'plain' ? 1 : world === 'mixed' ? 0.1 : 0;
  if (world === 'limits') return { start: 1000, early: 0, late: g.pick([0, 0, 40]), skew: g.whole(1, 1e9) };
  return {
    // Far enough from 0 for the clock to be set back. Whole numbers where sums of times are compared with windows.
    start: world === 'clock' ? 4e11 : g.pick(world === 'plain' ? [0, 1000.5, 123_456.789] : [0, 1000]),
    early: g.chance(rarely / 3) ? 1 : 0,
    late: g.chance(rarely * 0.4) ? g.pick([3, 40, 400, ...(world === 'plain' ? [3_600_000] : [])]) : 0,
    skew: g.whole(1, 1e9),
  };
}

/** One policy without protection, of one operation or a few, with hostile callbacks of every kind. */
function plainOperations(g, schedule) {
  const policy = schedule.light ? lightPolicy(g) : plainPolicy(g, schedule.telling);
  schedule.policies.push(policy);
  const count = schedule.single ? 1 : g.whole(2, 3);
  for (let id = 0; id < count; id += 1) {
    const op = plainOperation(g, schedule, id, id === 0 ? 0 : g.pick([0, g.unit() * 300]));
    schedule.operations.push(op);
  }
  const aborts = schedule.operations.filter(({ signal }) => signal).map(({ id }) => id);
  for (const abort of policy.signal ? [...aborts, 'policy'] : aborts)
    if (g.chance(0.6)) {
      const at = g.chance(0.08) ? -1 : g.pick([0, g.unit() * 50, g.unit() * 500, g.unit() * 5000]);
      schedule.events.push({ at, abort, reason: g.pick(KINDS) });
    }
}

/** Operations that share protections. */
function protectedOperations(g, schedule, hedged) {
  const { world, gap, protections, operations, events } = schedule;
  const round = g.chance(0.5) ? Math.round : (ms) => ms;
  const both = world === 'nested' && g.chance(0.5) ? 2 : 1;
  protections.push(...g.list(both, (_, i) => protection(g, schedule, hedged && (i === 0 || g.chance(0.5)))));
  schedule.policies = g.list(g.whole(1, 2), () => {
    const of = g.whole(0, protections.length - 1);
    return protectedPolicy(g, schedule, of);
  });
  const keys = g.pick([[undefined], [undefined], ['a'], [undefined, 'a', 'b']]);
  // Whether one key touches another shows at once or never.
  if (keys.length > 1 && world !== 'limits') schedule.reads = 'often';
  // The times that matter: of leases, windows and holds.
  const spansOf = ({ openMs = 5000, windowMs = 10_000 }) => [openMs, openMs * 1.5, windowMs];
  const breakers = protections.flatMap(({ breaker }) => breaker ?? []);
  const spans = world === 'rows' ? [gap] : [gap, ...breakers.flatMap(spansOf)];
  const many = GAPS[world] !== undefined && world !== 'limits';
  const row = [10, g.pick([20, 20, 20, 20, 60])];
  const counts = { steady: row, rows: row, many: gap > 800 ? [38, 46] : [15, 30] };
  const count = g.whole(...(counts[world] ?? [1, g.pick(world === 'limits' ? [4, 8, 12] : [3, 5, 7])]));
  // How often a call fails: it changes along the way.
  const bounds = [g.whole(0, count), g.whole(0, count)];
  const bad = g.pick(world === 'many' ? [0.2] : [0.5, 0.9, 1]);
  const usual = g.pick({ steady: [0, 0.02, 0.1], rows: [0.9, 0.95], many: [0.1, 0.2] }[world] ?? [0.1, 0.5, 0.7]);
  let time = 0;
  for (let id = 0; id < count; id += 1) {
    const health = id >= Math.min(...bounds) && id < Math.max(...bounds) ? bad : usual;
    const op = protectedOperation(g, schedule, { id, at: time, key: g.pick(keys), spans, health, round });
    operations.push(op);
    if (op.signal && g.chance(0.7)) {
      const at = round(time + g.pick([0, g.unit() * gap, g.unit() * g.pick(spans)]));
      events.push({ at, abort: id, reason: op.reason });
    }
    if (op.signal && op.delayMs !== undefined && g.chance(0.5)) {
      const at = Math.round(time + op.delayMs * g.pick([0.5, 1, 1.5, 2, 3]) + g.pick([0, 1, 10]));
      events.push({ at, abort: id, reason: op.reason });
    }
    const next = world === 'limits' ? [0, 0, gap, g.unit() * gap] : [0, gap, g.unit() * gap, ...spans];
    time = round(time + (many ? gap : g.pick(next)));
    // Sums of such times are exact, in whatever order: both sides see the very end of a window.
    time = Math.round(time * 1024) / 1024;
  }
  for (const [i, parts] of protections.entries())
    if (parts.breaker && g.chance(0.08)) events.push(...byHand(g, i, time, g.pick(keys), spans));
  if (world === 'clock') schedule.lies = lies(g, time, spans);
  if (world === 'limits') {
    events.push(...g.list(4, () => ({ at: Math.round(g.unit() * (time + 2000)), read: true })));
    const drains = g.chance(0.08);
    if (drains) events.push({ at: Math.round(g.unit() * time), protection: 0, key: g.pick(keys), drain: true });
    // Then nothing starts any more, nor behind an attempt that never ends.
    if (drains || protections[0].limiter.concurrency) schedule.afterwards = false;
  }
}

/** The circuit is opened by hand, for a time or until it is closed, or only closed. */
function byHand(g, protection, end, key, spans) {
  const at = Math.round(g.unit() * end);
  const open = { at, protection, key, open: g.pick([undefined, g.pick(spans)]) };
  const close = { at: at + g.pick(spans), protection, key, close: true };
  return g.pick([[close], [open, close], open.open === undefined ? [open, close] : [open]]);
}

/** The monotonic clock does what it must not: it jumps, or stands still for a while. */
const lies = (g, end, spans) =>
  g.list(g.whole(1, 3), () => {
    const at = g.unit() * (end + 10);
    if (g.chance(0.3)) return { at, stands: g.pick(spans) * g.pick([1, 5]) };
    return { at, by: g.pick([-1, -1, 1]) * g.pick([50, 1000, 1e6, 3.15e11]) };
  });

/**
 * Options, each with its chance: one of its values, or what a function makes of those before it.
 * @param {any} g
 * @param {Record<string, [chance: number, from: any[] | ((options: any) => any)]>} table
 * @param {any} [options] those that are there already
 */
function some(g, table, options = {}) {
  for (const [name, [chance, from]] of Object.entries(table))
    if (g.chance(chance)) options[name] = typeof from === 'function' ? from(options) : g.pick(from);
  return options;
}

/** For how long attempts may be silent. */
const IDLE = [
  5,
  30,
  150.5,
  { firstMs: 100, thenMs: 20 },
  { firstMs: 10, thenMs: 100.5 },
  { firstMs: 50, thenMs: Infinity },
];

function plainPolicy(g, telling, shape = g.pick(['policy', 'policy', 'policy', 'once', 'named', 'preset'])) {
  const preset = shape === 'preset' ? g.pick(Object.keys(PRESETS)) : undefined;
  const named = shape === 'named' ? g.pick(Object.keys(NAMED).slice(1)) : shape === 'once' ? 'retry' : undefined;
  const { capRule, ...implied } = PRESETS[preset] ?? NAMED[named] ?? {};
  const uses = usesOf(g, 0.2, 0.5);
  const table = {
    idleTimeoutMs: [telling > 0.1 ? 0.4 : 0.12, IDLE],
    attemptTimeoutMs: [0.3, [1, 20.5, 100, 1000, 3e9, Infinity]],
    totalTimeoutMs: [0.35, [0.5, 30, 150.25, 1000, 20_000, 5e9]],
    maxRetryAfterMs: [0.1, [0, 50, 1000, Infinity]],
    longRetryAfter: [0.1, ['stop', 'cap']],
    finalError: [0.15, ['wrap']],
    unref: [0.1, [true]],
    metrics: [named === undefined ? 0.2 : 0, [true]],
    name: [0.15, ['load user', '']],
    finalResult: [uses.retryOnResult ? 0.35 : 0, ['resolve', 'reject', 'reject']],
    seed: [0.4, () => g.whole(0, 15)],
  };
  const options = some(g, table, preset ? { maxAttempts: g.whole(2, 5) } : curve(g, implied));
  uses.random = options.seed === undefined;
  const signal = g.chance(0.3) ? g.pick(['real', 'real', 'bare']) : undefined;
  return { preset, named, implied, options, signal, uses };
}

/** The same for rejitter/light: of the options, callbacks and jitters, those that it has. */
function lightPolicy(g) {
  const { options, signal, uses } = plainPolicy(g, 0, 'once');
  const jitter = g.pick(['none', 'equal', 'full']);
  const known = Object.entries({ ...options, jitter }).filter(([name]) => LIGHT.includes(name));
  const own = { random: true, retryIf: uses.retryIf, hooks: [] };
  return { named: 'retry', implied: {}, options: Object.fromEntries(known), signal, uses: own };
}

function curve(g, implied) {
  const backoffs = [...kindsOf('backoff'), 'function', [5, 20_000, 1.5], [0, Infinity]];
  const jitters = [
    ...kindsOf('jitter'),
    ...[0.3, 1].map((ratio) => ({ type: 'proportional', ratio })),
    ...[{ ratio: 0.5 }, { maxMs: 40 }].map((parameter) => ({ type: 'additive', ...parameter })),
  ];
  const options = some(g, {
    maxAttempts: [0.6, [1, 2, 3, 4, 5, 12, Infinity]],
    baseMs: [0.6, [0, 0.25, 1, 7.5, 100, 1000, 3e9]],
    capMs: [0.5, ({ baseMs = 0 }) => baseMs + g.pick([0, 10, 333.3, 5000, 6e9, Infinity])],
    backoff: [implied.backoff === undefined ? 0.6 : 0, backoffs],
    jitter: [implied.jitter === undefined ? 0.7 : 0, jitters],
    minMs: [0.15, ({ capMs = 10_000 }) => Math.min(g.pick([0, 5, 80]), capMs)],
  });
  // What only some curves have.
  const { backoff = 'exponential', jitter = 'full' } = { ...implied, ...options };
  const own = OWN_CURVE.includes(jitter);
  const rarely = {
    factor: [backoff === 'exponential' && !own ? 0.3 : 0, [1, 1.5, 3, 1e6]],
    stepMs: [backoff === 'linear' && !own ? 0.4 : 0, [0, 3.5, 1000]],
    truncateAt: [backoff === 'truncated' || jitter === 'slotted' ? 0.5 : 0, () => g.whole(1, 6)],
  };
  return some(g, rarely, options);
}

function protectedPolicy(g, { world, gap, telling, protections }, of) {
  const { hedge } = protections[of];
  const uses = usesOf(g, world === 'polls' ? 1 : 0.15, 0.4);
  const limits = world === 'clock' ? 0 : 1;
  // Times that end a round.
  const span = () => Math.max(1, delayOf(hedge) * g.pick([0.5, 1, 1.5, 2, 3, 8]) + g.pick([0, 1, 30, 100.5]));
  const table = {
    jitter: [1, ['none', 'full']],
    backoff: [1, ['fixed', 'exponential']],
    maxAttempts: [1, { polls: [3, 4, 6, 12], rows: [1, 1, 2] }[world] ?? [1, 1, 2, 3, 4]],
    baseMs: [1, [0, 1, 10, 100.5, gap]],
    capMs: [1, ({ baseMs }) => Math.max(baseMs, g.pick([10, 1000, 1e5]))],
    maxRetryAfterMs: [0.2, [0, 50, 1000]],
    longRetryAfter: [0.1, ['cap']],
    idleTimeoutMs: [(telling > 0.1 ? 0.4 : 0.1) * limits, [5, 50.5, 500, { firstMs: 500, thenMs: 40 }]],
    attemptTimeoutMs: [0.3 * limits, hedge ? span : [5, 50.5, 500, 5000]],
    totalTimeoutMs: [0.35 * limits, hedge ? span : [7, 60.25, 333, 3000, 30_001]],
    finalError: [0.1, ['wrap']],
    finalResult: [uses.retryOnResult ? 0.3 : 0, ['reject']],
    seed: [world === 'limits' ? 0 : 0.15, () => g.whole(0, 15)],
    weight: [world === 'limits' ? 0.3 : 0, [2, 4, 'function']],
  };
  const options = some(g, table);
  // Attempts for a hedge.
  if (hedge) options.maxAttempts += g.pick([0, 1, 1, 1, 2, 2, 2]);
  // The numbers are needed in many places: which one comes when is not followed.
  return { of, implied: {}, options, uses: { ...uses, random: options.seed === undefined && 'constant' } };
}

/** What servers ask for, in ms. */
const WAITS = [undefined, undefined, 0, 3, 40.5, 700, 90_000, Infinity];

/** The callbacks of a policy, with the chances that it has a predicate for results, and hooks. */
const usesOf = (g, results, hooks) => ({
  retryIf: g.chance(0.35),
  retryOnResult: g.chance(results),
  /** True for numbers of their own each time, 'constant' for one number per operation. */
  random: false,
  [AWAITED]: g.chance(0.25),
  hint: g.chance(0.12),
  hooks: g.chance(hooks) ? HOOKS.filter(() => g.chance(0.7)) : [],
});

/** No share of the few samples here is exactly one of these: rounding decides nothing. */
const QUANTILES = [0.507, 0.903, 0.953, 0.991];

/** After how long a hedge starts, or might: a delay is learned from answers about as slow. */
const delayOf = ({ delayMs = 20 }) => delayMs;

function protection(g, { world, gap, held }, hedged) {
  const events = ['opened', 'half-open', 'closed', 'held', 'queued', 'rejected', 'budget-empty'];
  const parts = some(g, {
    budget: [0.6, () => budget(g, world)],
    breaker: [({ hints: 0.5, rows: 1 }[world] ?? 0.75) * (hedged ? 0.7 : 1), () => breaker(g, gap, world)],
    cooldown: [
      held || world === 'hints' ? 1 : 0.4,
      () => some(g, { maxHoldMs: [0.7, [0, 100, gap * 3, 2e5]], probe: [0.3, [false]] }),
    ],
    // Its hooks do.
    isFailure: [0.15, [true]],
    throws: [held ? 0 : 0.1, [true]],
    aborts: [held ? 0.3 : 0.1, events],
  });
  if (world === 'limits') parts.limiter = limiter(g);
  if (hedged)
    parts.hedge = {
      ...(world === 'many' && g.chance(0.7)
        ? { quantile: g.pick(QUANTILES) }
        : { delayMs: g.pick([0, 1, 7.5, 20, 50, gap]) }),
      ...some(g, { maxRatio: [0.7, [0.001, 0.1, 0.333, 1]] }),
    };
  else if (!parts.budget && !parts.cooldown) parts.breaker ??= breaker(g, gap, world);
  // A call of a machine bounds a time that was set back. The design does not say which machines an attempt reaches
  // that another one rejects.
  if (world === 'clock' && parts.breaker) delete parts.cooldown;
  return parts;
}

/** Units that start at even distances of whole ms. */
function limiter(g) {
  const limit = g.pick([undefined, 1, 2, 2, 5, 10, 20]);
  return some(
    g,
    {
      burst: [limit > 1 ? 0.4 : 0, [1, 2, limit]],
      concurrency: [limit === undefined ? 1 : 0.5, [1, 2, 3]],
      maxQueue: [0.3, [0, 1, 3]],
    },
    limit === undefined ? {} : { limit },
  );
}

function budget(g, world) {
  // Tenths that add up to one token.
  if (world === 'steady' && g.chance(0.5)) return { capacity: 1, perSuccess: 0.1, refund: false };
  if (g.chance(0.05)) return { preset: 'awsSdk2026' };
  const cost = (capacity) => Math.round(capacity * g.pick([0.5, 1, 0.1]) * 1000) / 1000;
  const options = some(g, {
    capacity: [0.9, [1, 1, 2, 3, 10, 0.5]],
    perSuccess: [0.7, [0, 0.001, 0.1, 0.333, 1, 5]],
    cost: [0.3, ({ capacity = 50 }) => cost(capacity)],
    refund: [0.4, [true, false, false]],
  });
  if (options.capacity < 1) options.cost ??= cost(options.capacity);
  return options;
}

function breaker(g, gap, world) {
  const rows = { minimumCalls: Infinity, openMs: g.pick([10, 1000]) };
  // By default, rows count that last.
  if (world === 'rows') return some(g, { consecutiveFailures: [0.4, [5, 11, 13]] }, rows);
  // Probes of the circuit beside those of holds.
  if (world === 'hints' && g.chance(0.5)) return { consecutiveFailures: 1, openMs: g.pick([10, 100, gap]) };
  const minimumCalls = g.pick([1, 2, 2, 3, 5, 10, Infinity]);
  const table = {
    // Shares that doubles hold: at the threshold, rounding decides nothing.
    failureRatio: [0.6, [0.125, 0.5, 0.75, 1]],
    windowMs: [0.8, [gap * 3, gap * 10, 100, 1000].map((ms) => Math.min(3.6e6, Math.max(100, ms)))],
    consecutiveFailures: [minimumCalls === Infinity ? 0.6 : 0.3, [1, 2, 3, 5, 8]],
    openMs: [0.9, [10, 100, 1000, gap * 2]],
    closeAfter: [0.3, [1, 2, 3]],
  };
  return some(g, table, { minimumCalls });
}

/** The acts of a callback before it ends: `acts(wild)` for how likely there are any. */
const TELLS = ['alive', 'alive', 'progress', 'progress', 'progress', 'commit'];
/** What an attempt tells on its way, or after its end. */
const tellsOf = (g, chance, ms) =>
  g.chance(chance) ? { tells: g.list(g.whole(1, 3), () => ({ tell: g.pick(TELLS), ms: ms() })) } : {};
const actsOf = (g, choices) => (wild) =>
  g.chance(wild * 2) ? choices.filter(([chance]) => g.chance(chance)).map(([, make]) => make()) : [];
const wall = (g) => ({ do: 'wall', ms: g.pick([3.15e11, -3.15e11]) });

function plainOperation(g, schedule, id, at) {
  const [policy] = schedule.policies;
  const { uses, options } = policy;
  const via = policy.named === undefined ? g.pick(['run', 'run', 'run', 'wrap']) : 'once';
  const own = ['real', 'real', 'bare', ...(policy.signal ? ['policy'] : [])];
  const signal = via === 'run' && g.chance(0.35) ? g.pick(own) : undefined;
  const signals = [...(policy.signal ? ['policy'] : []), ...(signal && signal !== 'policy' ? [id] : [])];
  const { totalTimeoutMs: total } = options;
  const blocks = [0.5, 30, 200, ...(total <= 20_000 ? [total, total] : [])];
  const n = g.whole(1, 6);
  const acts = actsOf(g, [
    [signals.length > 0 ? 0.35 : 0, () => ({ do: 'abort', signal: g.pick(signals), reason: g.pick(KINDS) })],
    // Whose turn it is in a macrotask of several is open.
    [schedule.single ? 0.25 : 0, () => ({ do: 'busy', ms: g.pick(blocks) })],
    [0.5, () => wall(g)],
    [schedule.telling * 2, () => ({ do: 'tell', tell: g.pick(TELLS) })],
    // A seed counts calls, and which of two operations calls first in a turn is open: then only one of them does.
    [options.seed === undefined || id === 0 ? 0.2 : 0, () => ({ do: 'reenter', ms: g.pick([0, 10]) })],
  ]);
  const dials = { n, acts, ms: () => g.pick([0, 1, g.unit() * 30, g.unit() * 300, g.unit() * 3000]) };
  const good = (k) => (k === n ? 0.7 : uses.retryOnResult ? 0.4 : 0.1);
  let k = 0;
  const attempts = g.list(n, () => ({
    before: acts(0.1),
    end: outcome(g, dials, good((k += 1)), failureKind, resultKind, true),
    ...tellsOf(g, schedule.telling, () => g.pick([1, 9, 10, 40, g.unit() * 300])),
  }));
  const number = (bad, one) =>
    g.list(n, () => ({
      end: g.chance(0.02)
        ? { how: 'now', ok: false, value: slipKind(g) }
        : { how: 'now', ok: true, value: { number: g.chance(0.02) ? g.pick(bad) : one() } },
      before: acts(0.04),
    }));
  return {
    ...{ id, at, policy: 0, via, signal, attempts },
    // Whether the attempts beyond those of the plan fail as well.
    stubborn: g.chance(0.08),
    ...callbacks(g, uses, dials),
    draws: uses.random
      ? number([1, NaN, -0.1, 2, '0.5', undefined], () => g.pick([0, 0.5, 1 - 2 ** -53, g.unit(), g.unit()]))
      : [],
    curve:
      options.backoff === 'function'
        ? number([NaN, -1, '5', undefined], () => g.pick([0, g.unit() * 200, 50, 1e12, Infinity]))
        : [],
  };
}

/** @param {any} spec `within` for an operation in an attempt of another one */
function protectedOperation(g, schedule, { id, at, key, spans, health, round, within = false }) {
  const { world, gap, policies, protections } = schedule;
  const index = g.whole(0, policies.length - 1);
  const { options, uses, of } = policies[index];
  const { hedge, isFailure } = protections[of];
  const delayMs = hedge && delayOf(hedge);
  const many = world === 'many';
  const waits =
    options.idleTimeoutMs ?? options.attemptTimeoutMs ?? options.totalTimeoutMs ?? (world === 'clock' ? 0 : undefined);
  const blocks = waits === undefined && !hedge && world !== 'limits';
  const via = g.pick(['run', 'run', 'run', 'run', 'once', blocks ? 'sync' : 'run', 'off', 'run', 'run']);
  const sync = via === 'sync';
  const signal = !within && !many && g.chance(0.35) ? 'real' : undefined;
  /** Half of the signals are those whose time is up. */
  const reason = id % 2 === 0 ? 'timesOut' : 'error';
  const acts = (busy) =>
    actsOf(g, [
      // Where one operation lets others start, whose turn it is in a macrotask is open.
      [world === 'limits' ? 0 : busy, () => ({ do: 'busy', ms: g.pick([1, 30, 200, 2000]) })],
      [signal ? 0.6 : 0, () => ({ do: 'abort', signal: id, reason })],
      [0.3, () => wall(g)],
      [0.3, () => ({ do: 'status' })],
      [hedge ? 0 : schedule.telling * 2, () => ({ do: 'tell', tell: g.pick(TELLS) })],
    ]);
  const most = Math.min(world === 'polls' ? 8 : 4, options.maxAttempts + 1);
  const n = hedge ? options.maxAttempts : g.whole(1, most);
  const dials = {
    ...{ n, sync, acts: acts(0) },
    ms: () => round(g.pick([0, g.unit() * 30, g.unit() * g.pick(spans), 1.2 * g.pick(spans), 3 * g.pick(spans)])),
    late: world === 'slow' ? 0.6 : 0.3,
    // The error of an inner operation is that of an attempt: which marks it has then is not followed.
    slips: within ? () => ({ kind: g.pick(KINDS) }) : slipKind,
  };
  const before = acts(0.4);
  const usual = { error: 8, permanent: 1, retryAfter: 1, ...(hedge && { error: 5, rejected: 1 }) };
  const kinds = world === 'hints' ? { retryAfter: 3, error: 1 } : usual;
  // Most of many are quick, until all are slow.
  const quick = many && g.chance(id < 25 ? 0.7 : 0.2);
  const attempts = g.list(n, (_, i) => {
    const ok = !g.chance(health);
    const value = ok ? { kind: 'result' } : failure(g, kinds, [0, 5, 60, gap, 2 * gap, 700, 4000, 90_000]);
    // What a server says without failing is as common as what it says when it fails.
    if (value.kind !== 'rejected' && g.chance({ polls: 0.5, rows: 0.03, many: 0 }[world] ?? 0.25))
      value.status = g.pick([202, 401, 404, 409, 408, 429, 500, 501, 503, '503']);
    if (value.kind !== 'rejected' && isFailure && g.chance(0.5)) value.says = g.pick([true, false, 'ignore', 'throw']);
    if (sync || world !== 'nested' || !g.chance(0.6)) {
      const slow = hedge && (many || g.chance(0.7));
      const ends = slow ? slowEnd(g, { world, delayMs, quick, alone: many || i === 0 }) : end(g, dials);
      const tells = tellsOf(g, many || sync ? 0 : schedule.telling, () =>
        round(g.pick([0, 1, 0.5, 1.5]) * (delayMs ?? g.pick(spans))),
      );
      return { before: many ? [] : before(0.08), end: { ...ends, ok, value }, ...tells };
    }
    // An operation inside, of the same protection or another one: the attempt ends as that or after it.
    const inner = { id: -1, at: 0, key: g.pick([key, undefined, 'a']), spans: [10, 100], health: 0.6, within: true };
    const op = protectedOperation(g, { ...schedule, world: 'mixed' }, { ...inner, round: Math.round });
    const own = op.via === 'sync' || g.chance(0.4);
    const ends = own ? { how: 'later', ok, value, ms: dials.ms() } : { how: 'inner' };
    return { before: [{ do: 'nest', op }], end: ends };
  });
  const draw = g.pick(world === 'limits' ? [0, 0.5] : [0, 0.5, 0.25, 1 - 2 ** -53]);
  const plan = { id, at, policy: index, key, via, signal, reason, draw, delayMs, attempts };
  if (many) return { ...plan, key: undefined, via: 'run', verdicts: [], results: [], hooks: {} };
  const answers = callbacks(g, uses, dials);
  // Attempts that end together are classified together: each answer comes at once. An abort in between would leave open
  // whether the driver has heard of the second end.
  if (attempts.some(({ end }) => end.how === 'together')) {
    const { hints, verdicts, results } = answers;
    for (const step of [...hints, ...verdicts, ...results])
      step.before = step.before.filter((act) => act.do !== 'abort');
    for (const { end } of hints) end.how = 'now';
    for (const step of [...verdicts, ...results])
      step.end = { how: 'now', ok: true, value: { verdict: g.chance(0.7) } };
  }
  return { ...plan, ...answers };
}

/** The end of an attempt that has a hedge: it outlasts the delay by a little, by much or not at all. */
function slowEnd(g, { world, delayMs, quick, alone }) {
  const how = g.pick(alone ? ['later'] : ['later', 'later', 'later', 'together', 'now', 'promise', 'never']);
  const late = Math.max(0, delayMs * g.pick([0.5, 1, 1.5, 2, 2, 3, 5]) + g.pick([-1, 0, 0, 1, 10, g.unit() * 40]));
  const ms = quick ? g.pick([1, 1.5, 2, 2.75]) : late;
  return { how, ms, before: g.chance(0.5), ...(world !== 'nested' && g.chance(0.3) && { heeds: 0 }) };
}

/** The end of an attempt under protection. */
function end(g, { sync, late, ms }) {
  const how = g.chance(late)
    ? 'later'
    : g.pick(['now', 'now', 'promise', 'promise', 'later', g.chance(0.2) ? 'never' : 'now']);
  return { how: sync ? 'now' : how, ms: ms() };
}

/** Draws the outcomes of the callbacks other than the operation. */
function callbacks(g, uses, dials) {
  const { n, acts, slips = slipKind } = dials;
  const steps = (wild, end) => g.list(n, () => ({ end: end(), before: acts(wild) }));
  const endings = (used, wild, succeeds) =>
    used ? steps(wild, () => outcome(g, dials, 0.93, slips, succeeds, false)) : [];
  const hook = () =>
    g.chance(0.7)
      ? { how: 'now', ok: true }
      : outcome(g, dials, 0.3, failureKind, () => ({ kind: 'undefined' }), false);
  return {
    hints: endings(uses.hint, 0.05, () => ({
      verdict: g.chance(0.9) ? g.pick(WAITS) : g.pick([-1, NaN, '5', null, {}]),
    })),
    verdicts: endings(uses.retryIf, 0.05, () => ({ verdict: verdict(g, 0.85) })),
    results: endings(uses.retryOnResult, 0.05, () => ({ verdict: verdict(g, 0.6) })),
    befores: endings(uses[AWAITED], 0.3, () => ({ kind: g.pick(RESULTS) })),
    hooks: Object.fromEntries(uses.hooks.filter(() => g.chance(0.5)).map((name) => [name, steps(0.12, hook)])),
  };
}
