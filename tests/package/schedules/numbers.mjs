// The numbers of `status()` against those that the machines of the oracle have.

import { Breaker } from './machines.mjs';
import { Objection, near } from './reading.mjs';

export function objectionsToNumbers(state, { numbers, t: now }) {
  const object = (rule, text) => {
    throw new Objection(rule, `state ${state.name}: ${text}`);
  };
  if (!Object.isFrozen(numbers)) object('status', 'the numbers are not frozen');
  const parts = { budget: ofBudget, breaker: ofBreaker, cooldown: ofCooldown, hedge: ofHedges };
  for (const [part, compare] of Object.entries(parts)) {
    if ((numbers[part] === undefined) !== (state[part] === undefined)) object('status', `${part} is absent or not`);
    const is = (rule, name, expected) => {
      const seen = numbers[part][name];
      if (!near(seen, expected)) object(rule, `${name} is ${seen} instead of ${expected}`);
    };
    if (state[part]) compare({ kept: state[part], seen: numbers[part], stale: state.stale, now, is, object });
  }
}

function ofCooldown({ kept, now, is }) {
  is('cooldown', 'remainingMs', Math.max(0, kept.at(now).until - now));
  is('status', 'held', kept.held);
  is('cooldown', 'rejected', kept.rejected);
}

function ofHedges({ kept, seen: { delayMs, hedges }, now, is, object }) {
  if (hedges > kept.most + 1e-9) object('hedges', `${hedges} hedges instead of at most ${kept.most}`);
  for (const name of ['hedges', 'won', 'rejected']) is('hedge', name, kept[name]);
  const delays = kept.peek(now);
  const known = delays.length > 0 ? delays.includes(delayMs) : delayMs === undefined;
  if (!known) object('latency', `delayMs is ${delayMs} instead of ${delays[0]}`);
}

function ofBudget({ kept, seen: { tokens, capacity }, is, object }) {
  const thousandths = Math.round(tokens * 1000);
  if (!near(thousandths / 1000, tokens)) object('tokens', `${tokens} tokens are not in whole thousandths`);
  if (tokens < 0 || tokens > capacity) object('tokens', `${tokens} tokens of ${capacity}`);
  is('status', 'capacity', kept.capacity / 1000);
  is(thousandths > kept.tokens ? 'tokens' : 'spending', 'tokens', kept.tokens / 1000);
  is('status', 'granted', kept.granted);
  is('status', 'rejected', kept.rejected);
}

function ofBreaker({ kept, seen, stale, now, is, object }) {
  const breaker = Object.assign(Object.create(Breaker.prototype), kept);
  breaker.turn(now);
  const rule = stale ? 'generations' : 'breaker';
  const wait = breaker.busy(now);
  // An open circuit whose time has passed becomes half-open at the next attempt.
  const phases = breaker.phase === 'open' && wait <= 0 ? ['open', 'half-open'] : [breaker.phase];
  if (!phases.includes(seen.state)) object(rule, `${seen.state} instead of ${breaker.phase}`);
  is(rule, 'retryAfterMs', wait);
  is(rule, 'opens', breaker.opens);
  is('status', 'rejected', breaker.rejected);
  if (breaker.phase !== 'closed') return;
  const { failures, calls } = breaker.counted(now);
  is(rule, 'failures', failures);
  is(rule, 'calls', calls);
}
