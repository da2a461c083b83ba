// Every order of a few events, instead of random ones: how two attempts end, a timeout of each, the deadline, silence,
// an abort from outside or from a callback, a sign of life, and one callback that throws. Times lie on a grid so narrow
// that each event comes before, with and after each other one.

import { AWAITED, HOOKS } from '../lib/callbacks.mjs';

/** From one event of the grid to the next, in ms. */
const GRID = 10;
const at = (place) => place * GRID;
const failed = { ok: false, value: { kind: 'error' } };
const good = { ok: true, value: { kind: 'result' } };
const later = (place, end) => ({ how: 'later', ms: at(place), ...end });
const step = (end, before = []) => ({ before, end });
const abort = { do: 'abort', signal: 0, reason: 'error' };
const throws = { how: 'now', ok: false, value: { kind: 'error' } };

/** The first attempt that heeds its signal fails after this place of the grid, unless that is aborted before. */
const FIRST = [
  { how: 'now', ...failed },
  { how: 'promise', ...failed },
  later(1, failed),
  later(2, failed),
  later(1, { ok: false, value: { kind: 'error', layers: ['permanent'] } }),
  later(2, { ok: false, value: { kind: 'error', layers: ['retryAfter'], ms: at(1) } }),
  later(1, good),
  later(2, good),
  { ...later(4, failed), heeds: 0 },
  { how: 'never', ok: false },
];
const SECOND = [{ how: 'now', ...good }, later(1, good), later(1, failed), { ...later(4, failed), heeds: 5 }];
/** When the signal is aborted: before the call, or halfway between two places, or with other events, or within one. */
const ABORTS = [undefined, -1, 0, 0.5, 1, 1.5, 2, 3, 'attempt', 'retryIf', ...HOOKS, AWAITED];
const TIMEOUTS = [undefined, 1, 2];
const DEADLINES = [undefined, 1, 2, 3];
/** Whatever throws, or is awaited. */
const THROWERS = [undefined, 'retryIf', AWAITED, ...HOOKS];
/** What the first attempt tells on its way. */
const TELLS = [undefined, 'alive', 'progress', 'commit'];
const DIMENSIONS = [FIRST, SECOND, ABORTS, TIMEOUTS, DEADLINES, THROWERS, TELLS];

/** How many schedules there are. */
export const EVERY = DIMENSIONS.reduce((product, { length }) => product * length, 1);

/** Prime to {@link EVERY}: neighbours differ in everything, so that the first few thousand are a sample of all. */
const STRIDE = 104_729;

/** One of them, by its number below {@link EVERY}. */
export function everySchedule(index) {
  let rest = (index * STRIDE) % EVERY;
  const [first, second, aborted, timeout, deadline, thrower, tell] = DIMENSIONS.map((choices) => {
    const choice = choices[rest % choices.length];
    rest = Math.floor(rest / choices.length);
    return choice;
  });
  const acts = (place) => (aborted === place ? [abort] : []);
  const steps = (name) =>
    aborted === name || thrower === name
      ? [step(thrower === name ? throws : { how: 'now', ...answerOf(name) }, acts(name))]
      : [];
  const used = [thrower, aborted];
  const options = {
    maxAttempts: 2,
    ...{ baseMs: at(1), capMs: at(1), jitter: 'none', backoff: 'fixed', seed: 0 },
    ...(timeout && { attemptTimeoutMs: at(timeout) }),
    ...(deadline && { totalTimeoutMs: at(deadline) }),
    // A silence ends what tells nothing, at the place of the first timeout.
    ...(tell && { idleTimeoutMs: at(1.5) }),
  };
  const uses = {
    retryIf: used.includes('retryIf'),
    [AWAITED]: used.includes(AWAITED),
    hooks: HOOKS.filter((name) => used.includes(name)),
  };
  const attempts = [{ ...step(first, acts('attempt')), ...(tell && { tells: [{ tell, ms: at(1) }] }) }, step(second)];
  const hooks = Object.fromEntries(HOOKS.map((name) => [name, steps(name)]));
  const operation = {
    ...{ id: 0, at: 0, policy: 0, via: 'run', signal: 'real', attempts, stubborn: false },
    ...{ hints: [], verdicts: steps('retryIf'), results: [], befores: steps(AWAITED), hooks, draws: [], curve: [] },
  };
  const isTimed = typeof aborted === 'number';
  return {
    ...{ world: 'plain', gap: at(1), light: false, held: false, single: true, traced: false },
    ...{ clock: { start: 0, early: 0, late: 0, skew: index + 1 }, lies: [], protections: [] },
    policies: [{ implied: {}, options, uses }],
    operations: [operation],
    events: isTimed ? [{ at: at(aborted), abort: 0, reason: 'error' }] : [],
    ...{ reads: 'end', twice: false, telling: 0, afterwards: false },
  };
}

const answerOf = (name) =>
  name === 'retryIf' ? { ok: true, value: { verdict: true } } : { ok: true, value: { kind: 'undefined' } };
