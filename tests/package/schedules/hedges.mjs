// Hedges for a schedule, and the worlds that they need: answers that outlast the delay by a little, by much or not at
// all, attempts that end in every order and together, deadlines and aborts while two attempts run, and servers whose
// slow answers come after enough quick ones to learn from.

import { failure } from './outcomes.mjs';

const FAILURES = { error: 4, retryAfter: 2, permanent: 1, rejected: 1 };

/** No share of the few samples here is exactly one of these: rounding decides nothing. */
const QUANTILES = [0.507, 0.903, 0.953, 0.991];

/**
 * Gives a share of the schedules hedges, and some of those many operations.
 * @param {any} g a generator of its own: schedules without hedges stay as they are
 * @param {any} schedule
 * @param {boolean} always for bugs that only hedges show
 */
export function addHedges(g, schedule, always) {
  if (!always && !g.chance(0.1)) return;
  const { protections, policies, operations } = schedule;
  const many = !['nested', 'clock'].includes(schedule.world) && g.chance(always ? 0.25 : 0.06);
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
  for (const { of, options } of policies) {
    if (!delays.has(of)) continue;
    // Attempts for a hedge, and times that end a round.
    if (g.chance(0.85)) options.maxAttempts += g.whole(1, 2);
    const span = () => Math.max(1, delays.get(of) * g.pick([0.5, 1, 1.5, 2, 3, 8]) + g.pick([0, 1, 30, 100.5]));
    if (schedule.world === 'clock') continue;
    if (g.chance(0.35)) options.totalTimeoutMs = span();
    if (g.chance(0.3)) options.attemptTimeoutMs = span();
  }
  for (const plan of operations) {
    const policy = policies[plan.policy];
    unblock(plan, (of) => delays.has(of), policies);
    if (delays.has(policy.of)) slow(g, schedule, plan, policy, delays.get(policy.of), many);
  }
}

/** Operations that block take no hedges: these and those within them wait instead. */
function unblock(plan, hedged, policies) {
  if (plan.via === 'sync' && hedged(policies[plan.policy].of)) plan.via = 'run';
  for (const { op } of plan.attempts.flatMap(({ before }) => before)) if (op) unblock(op, hedged, policies);
}

function manyOperations(g, schedule) {
  const gap = g.pick([5, 50, 850, 850, 1500]) + g.unit();
  // With 850 ms, old durations go after the first slow answers.
  const count = gap > 800 ? g.whole(38, 46) : g.whole(15, 30);
  const [quick, late] = [g.pick([0.5, 0.8]), g.whole(22, 29)];
  const callbacks = { verdicts: [], results: [], hooks: {} };
  const operations = Array.from({ length: count }, (_, id) => ({
    ...{ id, at: id * gap, policy: g.whole(0, schedule.policies.length - 1), via: 'run', draw: g.pick([0, 0.5]) },
    // Most are quick, until all are slow.
    ...{ attempts: [], ...structuredClone(callbacks), quick: g.chance(id < late ? quick : 0.2) },
  }));
  Object.assign(schedule, { world: 'many', gap, lies: [], events: [], single: true });
  schedule.operations.splice(0, Infinity, ...operations);
}

/** Makes the attempts of an operation last, so that their hedges start. */
function slow(g, schedule, plan, { options, uses }, delayMs, many) {
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
    const alone = many || n === 0 || attempt.before.some(({ op }) => op !== undefined);
    const how = g.pick(alone ? ['later'] : ['later', 'later', 'later', 'together', 'now', 'promise', 'never']);
    const value = ok ? { kind: 'result' } : failure(g, FAILURES, [0, 5, 60, 700, 4000]);
    attempt.end = { how, ok, value, ms: ms(n), before: g.chance(0.5) };
    const { says, status } = end?.value ?? {};
    if (value.kind !== 'rejected') Object.assign(value, says !== undefined && { says }, status && { status });
    if (world !== 'nested' && g.chance(0.3)) attempt.end.heeds = 0;
  }
  const predicates = [...(uses.retryIf ? [plan.verdicts] : []), ...(uses.retryOnResult ? [plan.results] : [])];
  const answer = (how) => ({ how, ok: true, value: { verdict: g.chance(0.7) }, ms: ms(0) });
  for (const list of many ? [] : predicates)
    while (list.length < options.maxAttempts) list.push({ before: [], end: answer(g.pick(['now', 'later'])) });
  // Attempts that end together are classified together: each answer comes at once. An abort in between would leave open
  // whether the driver has heard of the second end.
  if (plan.attempts.some(({ end }) => end.how === 'together'))
    for (const step of predicates.flat()) {
      step.before = step.before.filter((act) => act.do !== 'abort');
      step.end = answer('now');
    }
  if (plan.signal && g.chance(0.5)) {
    const at = plan.at + delayMs * g.pick([0.5, 1, 1.5, 2, 3]) + g.pick([0, 1, 10]);
    schedule.events.push({ at: Math.round(at), abort: plan.id, reason: plan.reason });
  }
}
