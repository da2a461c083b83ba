// The numbers of `status()` against those that the machines of the oracle have.

import { Breaker } from './machines.mjs';
import { Objection, near } from './reading.mjs';

export function objectionsToNumbers(state, { numbers, t: now }, schedule) {
  const object = (rule, text) => {
    throw new Objection(rule, `state ${state.name}: ${text}`);
  };
  if (!Object.isFrozen(numbers)) object('status', 'the numbers are not frozen');
  for (const part of ['budget', 'breaker', 'cooldown', 'hedge'])
    if ((numbers[part] === undefined) !== (state[part] === undefined)) object('status', `${part} is absent or not`);
  if (state.budget) ofBudget(state.budget, numbers.budget, object);
  if (state.cooldown) {
    const left = Math.max(0, state.cooldown.at(now).until - now);
    const { remainingMs, rejected, held } = numbers.cooldown;
    if (!near(remainingMs, left)) object('cooldown', `remainingMs is ${remainingMs} instead of ${left}`);
    if (held !== state.cooldown.held) object('status', `held ${held} instead of ${state.cooldown.held}`);
    if (rejected !== state.cooldown.rejected)
      object('cooldown', `${rejected} rejections, not ${state.cooldown.rejected}`);
  }
  if (state.breaker) ofBreaker(state, numbers.breaker, now, object, schedule);
  if (state.hedge) ofHedges(state.hedge, numbers.hedge, now, object);
}

function ofHedges(hedge, { delayMs, hedges, won, rejected }, now, object) {
  if (hedges > hedge.most + 1e-9) object('P9', `${hedges} hedges instead of at most ${hedge.most}`);
  if (hedges !== hedge.hedges) object('hedge', `${hedges} hedges instead of ${hedge.hedges}`);
  if (won !== hedge.won) object('hedge', `${won} hedges that won instead of ${hedge.won}`);
  if (rejected !== hedge.rejected) object('hedge', `${rejected} rejections of hedges instead of ${hedge.rejected}`);
  const delays = hedge.peek(now);
  const known = delays.length > 0 ? delays.includes(delayMs) : delayMs === undefined;
  if (!known) object('latency', `delayMs is ${delayMs} instead of ${delays[0]}`);
}

function ofBudget(budget, { tokens, capacity, granted, rejected }, object) {
  const thousandths = Math.round(tokens * 1000);
  if (!near(thousandths / 1000, tokens)) object('P1', `${tokens} tokens are not in whole thousandths`);
  if (tokens < 0 || tokens > capacity) object('P1', `${tokens} tokens of ${capacity}`);
  if (capacity * 1000 !== budget.capacity) object('status', `the capacity is ${capacity}`);
  if (thousandths > budget.tokens) object('P1', `${tokens} tokens instead of ${budget.tokens / 1000}`);
  if (thousandths < budget.tokens) object('P2', `${tokens} tokens instead of ${budget.tokens / 1000}`);
  if (granted !== budget.granted) object('status', `granted ${granted} instead of ${budget.granted}`);
  if (rejected !== budget.rejected) object('status', `${rejected} rejections instead of ${budget.rejected}`);
}

function ofBreaker({ breaker: kept, stale }, seen, now, object) {
  const breaker = Object.assign(Object.create(Breaker.prototype), kept);
  breaker.turn(now);
  const rule = stale ? 'P7' : 'breaker';
  // An open circuit whose time has passed becomes half-open at the next attempt.
  const phases = breaker.phase === 'open' && breaker.busy(now) <= 0 ? ['open', 'half-open'] : [breaker.phase];
  if (!phases.includes(seen.state)) object(rule, `${seen.state} instead of ${breaker.phase}`);
  const wait = breaker.busy(now);
  if (!near(seen.retryAfterMs, wait)) object(rule, `retryAfterMs is ${seen.retryAfterMs} instead of ${wait}`);
  if (seen.opens !== breaker.opens) object(rule, `opens is ${seen.opens} instead of ${breaker.opens}`);
  if (seen.rejected !== breaker.rejected)
    object('status', `${seen.rejected} rejections instead of ${breaker.rejected}`);
  if (breaker.phase !== 'closed') return;
  const { failures, calls } = breaker.counted(now);
  if (!near(seen.failures, failures)) object(rule, `failures is ${seen.failures} instead of ${failures}`);
  if (!near(seen.calls, calls)) object(rule, `calls is ${seen.calls} instead of ${calls}`);
}

/** Two states never touch each other: what no time changes stays the same while no operation of a state acts. */
export function untouched(world) {
  if (world.protections.length === 0) return;
  if (world.protections.length === 1 && world.protections[0].keys.size === 1) return;
  const acted = new Set();
  const before = new Map();
  /** Operations of timers. */
  const armed = new Map();
  for (const entry of world.log) {
    if (entry.kind === 'arm') armed.set(entry.id, entry.op);
    const op = entry.kind === 'fire' ? armed.get(entry.id) : entry.op;
    if (op >= 0) {
      const { policy, plan } = world.operations[op];
      if (plan.via !== 'off') acted.add(`${policy.of} ${plan.key ?? ''}`);
    }
    if (entry.kind === 'byHand') acted.add(`${entry.protection} ${entry.key ?? ''}`);
    if (entry.kind === 'abort')
      for (const { plan, policy } of world.operations) acted.add(`${policy.of} ${plan.key ?? ''}`);
    if (entry.kind !== 'status') continue;
    const name = `${entry.protection} ${entry.key ?? ''}`;
    const { budget, breaker, cooldown, hedge } = entry.numbers;
    const shown = (...parts) => JSON.stringify(parts);
    const hedges = hedge && [hedge.hedges, hedge.won, hedge.rejected];
    const counted = shown(budget, breaker?.rejected, cooldown?.rejected, hedges);
    const full = budget && { ...budget, tokens: budget.capacity, granted: 0, rejected: 0 };
    const earlier = before.get(name) ?? shown(full, breaker && 0, cooldown && 0, hedge && [0, 0, 0]);
    if (earlier !== counted && !acted.has(name))
      throw new Objection('P16', `state ${name}: ${counted} instead of ${earlier}, though no operation of it acted`);
    before.set(name, counted);
    acted.delete(name);
  }
}
