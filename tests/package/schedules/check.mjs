// All that must hold of a world when everything in it has ended.

import { sentenceOf } from './invariants.mjs';
import { objectionsTo } from './oracle.mjs';
import { describe } from './world.mjs';

/** @returns {{ rule: string, text: string }[]} the rule is the name of an invariant */
export function check(world, pkg) {
  const found = [...objectionsTo(world, pkg), ...world.problems];
  const object = (condition, rule, text) => {
    if (!condition) found.push({ rule, text: typeof text === 'function' ? text() : text });
  };
  for (const signal of world.signals)
    object(
      signal.listeners === 0 || world.operations.some((each) => each.settled === undefined),
      'leftovers',
      () => `${signal.listeners} listeners are left on ${signal.name}`,
    );
  if (world.operations.every((each) => each.settled !== undefined))
    object(world.timers.size === 0, 'leftovers', () => `${world.timers.size} timers are left`);
  const most = Math.max(0, ...world.signals.map((signal) => signal.most));
  object(most <= world.operations.length, 'footprint', () => `${most} listeners on one signal`);
  hooksThatFailed(world, object);
  ownErrors(world, object);
  randomness(world, object);
  if (world.metrics) metrics(world, object);
  if (world.schedule.traced) tracing(world, object);
  const unref = world.schedule.policies.some(({ options }) => options.unref);
  object(
    world.log.every((entry) => entry.kind !== 'arm' || entry.unref === unref || (!unref && entry.unref === undefined)),
    'leftovers',
    unref ? 'a timer keeps the process alive' : 'a timer does not keep the process alive',
  );
  for (const { rule } of found) sentenceOf(rule);
  return found;
}

function hooksThatFailed(world, object) {
  const failed = world.log
    .filter((entry) => entry.kind === 'hook' && entry.end !== undefined && !entry.end.ok)
    .map((entry) => entry.end.made.thrown);
  const reported = world.log.filter((entry) => entry.kind === 'reported').map((entry) => entry.error);
  object(
    // Protection reports what its own callbacks throw.
    (failed.length === reported.length || world.protections.length > 0) &&
      failed.every((error) => reported.some((other) => Object.is(other, error))),
    'unhandled',
    () => `${failed.length} hooks failed, ${reported.length} were reported`,
  );
}

/** The errors of attempts are the caller's: nothing is written on them. */
function ownErrors(world, object) {
  for (const { end, op, n } of world.log.filter((entry) => entry.kind === 'fn' && entry.end?.ok === false)) {
    const { shown, own } = end.made;
    const now = Object.getOwnPropertyDescriptor(Object(shown), 'cause');
    if ((now === undefined) === (own === undefined)) continue;
    // Unless another callback threw it once more: that gives it a cause.
    object(
      world.log.some(
        (entry) => entry.kind !== 'fn' && entry.end?.ok === false && Object.is(entry.end.made.shown, shown),
      ),
      'identity',
      `the error of attempt ${n} of operation ${op} was changed`,
    );
  }
}

/** Where the caller's numbers or a seed decide, and before anything has failed, no randomness of the host is taken. */
function randomness(world, object) {
  const [{ options, uses }] = world.schedule.policies;
  const known = uses.random || options.seed !== undefined;
  const smooth =
    !uses.retryOnResult && world.operations.every(({ received, settled }) => received.length === 1 && settled?.ok);
  // Policies of protection all know their numbers.
  object(
    world.entropy === 0 || !(known || smooth),
    'draws',
    () => `randomness of the host was taken ${world.entropy} times`,
  );
}

function metrics(world, object) {
  const { metrics: counts, log, operations } = world;
  const started = operations.filter((each) => !each.call.aborted);
  const settled = started.filter((each) => each.settled !== undefined);
  const failures = settled.filter((each) => !each.settled.ok);
  const fns = log.filter((entry) => entry.kind === 'fn');
  const gaveUp = Object.values(counts.failures).reduce((a, b) => a + b, 0);
  const retried = counts.firstAttemptSuccesses + counts.retriedSuccesses;
  for (const [rule, name, seen, expected] of [
    ['independence', 'operations', counts.operations, started.length],
    ['leftovers', 'operations in flight', counts.inFlight, started.length - settled.length],
    ['attempts', 'attempts', counts.attempts, fns.length],
    ['attempts', 'retries', counts.retries, fns.filter((entry) => entry.n > 1).length],
    ['settlement', 'failures and successes', gaveUp + retried, settled.length],
    ['settlement', 'failures at least', Math.max(gaveUp, failures.length), gaveUp],
  ])
    object(seen === expected, rule, `metrics: ${seen} ${name} instead of ${expected}`);
  object(counts.totalWaitMs >= counts.maxWaitMs && counts.maxWaitMs >= 0, 'waits', 'metrics: waits');
}

function tracing(world, object) {
  // A blocking operation has no asynchronous part.
  const settled = world.operations.filter((each) => each.settled !== undefined);
  const later = settled.filter(({ plan }) => plan.via !== 'sync').length;
  const failures = settled.filter((each) => !each.settled.ok);
  const called = (name) => world.traced.filter((entry) => entry.name === name);
  const { length } = world.operations;
  const expected = { start: length, end: length, asyncStart: later, asyncEnd: later, error: failures.length };
  for (const [name, number] of Object.entries(expected))
    object(called(name).length === number, 'hooks', `${called(name).length} ${name} events instead of ${number}`);
  for (const { error } of called('error'))
    object(
      failures.some((each) => Object.is(each.settled.value, error)),
      'identity',
      () => `an error event about ${describe(error)}`,
    );
}
