// Hedges for a schedule, and the worlds that they need: answers that outlast the delay by a little, by much or not at
// all, attempts that end in every order and together, deadlines and aborts while two attempts run, and servers whose
// slow answers come after enough quick ones to learn from.

import { endOf, failure, operation } from './callbacks.mjs';

const FAILURES = { error: 4, retryAfter: 2, permanent: 1, rejected: 1 };

/** No share of the few samples here is exactly one of these: rounding decides nothing. */
const QUANTILES = [0.507, 0.903, 0.953, 0.991];

/** The share of schedules with hedges, and of those the share with many operations. */
const HEDGED = 0.1;
const MANY = 0.06;
/** The same for bugs that only hedges show. */
const ALL = 1;
const MORE = 0.25;

/**
 * Gives a share of the schedules hedges.
 * @param {object} g a generator of its own: schedules without hedges stay as they are
 * @param {object} schedule
 * @param {boolean} always whether all have them
 */
export function addHedges(g, schedule, always) {
  if (!g.chance(always ? ALL : HEDGED)) return;
  const many = schedule.world !== 'nested' && schedule.world !== 'clock' && g.chance(always ? MORE : MANY);
  const { protections, policies, operations } = schedule;
  if (many) manyOperations(g, schedule);
  const delays = new Map();
  for (const [i, parts] of protections.entries()) {
    if (i > 0 && g.chance(0.5)) continue;
    const delayMs = g.pick([0, 1, 7.5, 20, 50, schedule.gap]);
    delays.set(i, delayMs);
    parts.hedge = many && g.chance(0.7) ? { quantile: g.pick(QUANTILES) } : { delayMs };
    if (g.chance(0.7)) parts.hedge.maxRatio = g.pick([0.001, 0.1, 0.333, 1]);
    if (g.chance(0.3) && !schedule.events.some(({ protection }) => protection === i)) delete parts.breaker;
  }
  for (const policy of policies)
    if (delays.has(policy.of)) limits(g, policy.options, delays.get(policy.of), schedule.world);
  for (const plan of operations) {
    const policy = policies[plan.policy];
    unblock(plan, (of) => delays.has(of), policies);
    if (delays.has(policy.of)) slow(g, schedule, plan, policy, { delayMs: delays.get(policy.of), many });
  }
}

/** Operations that block take no hedges: these and those within them wait instead. */
function unblock(plan, hedged, policies) {
  if (plan.via === 'sync' && hedged(policies[plan.policy].of)) plan.via = 'run';
  for (const { op } of plan.attempts.flatMap(({ before }) => before))
    if (op !== undefined) unblock(op, hedged, policies);
}

/** Attempts for a hedge, and times that end a round. */
function limits(g, options, delayMs, world) {
  if (g.chance(0.85)) options.maxAttempts += g.whole(1, 2);
  if (world === 'clock') return;
  const span = () => delayMs * g.pick([0.5, 1, 1.5, 2, 3, 8]) + g.pick([0, 1, 30, 100.5]);
  if (g.chance(0.35)) options.totalTimeoutMs = Math.max(1, span());
  if (g.chance(0.3)) options.attemptTimeoutMs = Math.max(1, span());
}

function manyOperations(g, schedule) {
  const gap = g.pick([5, 50, 850, 850, 1500]) + g.unit();
  // With 850 ms, old durations go after the first slow answers.
  const count = gap > 800 ? g.whole(38, 46) : g.whole(15, 30);
  const [quick, late] = [g.pick([0.5, 0.8]), g.whole(2, 9)];
  Object.assign(schedule, { world: 'many', gap, lies: [], events: [], single: true });
  schedule.operations.length = 0;
  for (let i = 0; i < count; i += 1) {
    const policy = g.whole(0, schedule.policies.length - 1);
    // Most are quick, until all are slow.
    const isQuick = i < 20 + late ? g.chance(quick) : g.chance(0.2);
    const more = { policy, key: undefined, via: 'run', draw: g.pick([0, 0.5]), quick: isQuick };
    schedule.operations.push(operation(i, i * gap, more));
  }
}

/** Makes the attempts of an operation last, so that their hedges start. */
function slow(g, schedule, plan, { options, uses }, { delayMs, many }) {
  const { world } = schedule;
  const ms = (n) => {
    if (plan.quick || (many && n > 0 && g.chance(0.6))) return g.pick([1, 1.5, 2, 2.75]);
    return Math.max(0, delayMs * g.pick([0.5, 1, 1.5, 2, 2, 3, 5]) + g.pick([-1, 0, 0, 1, 10, g.unit() * 40]));
  };
  while (plan.attempts.length < options.maxAttempts) plan.attempts.push({ before: [], end: undefined });
  for (const [n, attempt] of plan.attempts.entries()) {
    const { end } = attempt;
    if (end !== undefined && (end.how === 'inner' || g.chance(0.3))) continue;
    const ok = g.chance(many ? 0.8 : 0.45);
    // An operation within that runs by itself ends in another macrotask: which one counts first would be open.
    const nests = attempt.before.some(({ op }) => op !== undefined);
    const how =
      many || n === 0 || nests ? 'later' : g.pick(['later', 'later', 'later', 'together', 'now', 'promise', 'never']);
    const value = ok ? { kind: 'result' } : failure(g, FAILURES, [0, 5, 60, 700, 4000]);
    attempt.end = endOf(how, ok, value, ms(n));
    for (const name of ['says', 'status'])
      if (end?.value?.[name] !== undefined && value.kind !== 'rejected') value[name] = end.value[name];
    if (world !== 'nested' && g.chance(0.3)) attempt.end.heeds = 0;
    if (how === 'together') attempt.end.before = g.chance(0.5);
  }
  for (const [name, list] of [
    ['retryIf', plan.verdicts],
    ['retryOnResult', plan.results],
  ])
    if (uses[name] && !many)
      while (list.length < options.maxAttempts) list.push({ before: [], end: answer(g, g.chance(0.7), ms(0)) });
  // Attempts that end together are classified together: each answer comes at once. An abort in between would leave open
  // whether the driver has heard of the second end.
  if (plan.attempts.some(({ end }) => end.how === 'together'))
    for (const step of [...plan.verdicts, ...plan.results]) {
      step.before = step.before.filter((act) => act.do !== 'abort');
      step.end = { how: 'return', ok: true, value: { verdict: g.chance(0.7) } };
    }
  if (plan.signal && g.chance(0.5)) {
    const at = plan.at + delayMs * g.pick([0.5, 1, 1.5, 2, 3]) + g.pick([0, 1, 10]);
    schedule.events.push({ at: Math.round(at), abort: plan.id, reason: plan.reason });
  }
}

/** The answer of a predicate, at once or while the other attempt runs. */
const answer = (g, verdict, ms) => ({ how: g.chance(0.5) ? 'return' : 'later', ok: true, value: { verdict }, ms });
