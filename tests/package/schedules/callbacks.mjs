// Draws the operations of a schedule: the outcomes of their callbacks, one for each call.

import { HOOKS } from '../lib/callbacks.mjs';
import { KINDS, RESULTS } from './values.mjs';

/** The callbacks of a policy, with the chances that it has a predicate for results, and hooks. */
export const usesOf = (g, results, hooks) => ({
  retryIf: g.chance(0.35),
  retryOnResult: g.chance(results),
  /** True for numbers of their own each time, 'constant' for one number per operation. */
  random: false,
  beforeRetry: g.chance(0.25),
  hooks: g.chance(hooks) ? HOOKS.filter(() => g.chance(0.7)) : [],
});

/**
 * Draws the outcomes of the callbacks other than the operation.
 * @param {any} g
 * @param {any} op
 * @param {any} uses
 * @param {{ n: number, ms: () => number, acts: (wild: number) => object[], sync?: boolean, slips?: (g: any) => any }}
 *   dials how often each is called, how long one lasts that takes its time, what it does before, what it throws
 */
export function callbacks(g, op, uses, dials) {
  const steps = (wild, end) => g.list(dials.n, () => ({ end: end(), before: dials.acts(wild) }));
  const endings = (wild, succeeds) =>
    steps(wild, () => outcome(g, dials, 0.93, dials.slips ?? slipKind, succeeds, false));
  if (uses.retryIf) op.verdicts = endings(0.05, () => ({ verdict: verdict(g, 0.85) }));
  if (uses.retryOnResult) op.results = endings(0.05, () => ({ verdict: verdict(g, 0.6) }));
  if (uses.beforeRetry) op.befores = endings(0.3, () => ({ kind: g.pick(RESULTS) }));
  const nothing = () => ({ kind: 'undefined' });
  for (const name of uses.hooks)
    if (g.chance(0.5))
      op.hooks[name] = steps(0.12, () =>
        g.chance(0.7) ? { how: 'return', ok: true } : outcome(g, dials, 0.3, failureKind, nothing, false),
      );
}

export function failureKind(g) {
  const failure = { kind: g.pick(KINDS) };
  return g.chance(0.14) ? { ...failure, ...marks(g) } : failure;
}

/** Describes what a callback other than the operation itself throws: sometimes the error that it received. */
export const slipKind = (g) => (g.chance(0.15) ? { kind: 'same' } : failureKind(g));

/** A result; sometimes a mark that should have been thrown. */
export const resultKind = (g) =>
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

const WAYS = ['now', 'now', 'now', 'promise', 'promise', 'later', 'later', 'thenable', 'never'];

/** How a callback ends. `ok` decides between its result and its failure. */
export function outcome(g, { ms, sync }, chanceOfSuccess, fails, succeeds, attempt) {
  const ok = g.chance(chanceOfSuccess);
  const value = ok ? succeeds(g) : fails(g);
  const how = sync ? 'now' : g.pick([...WAYS, attempt ? 'obey' : 'later']);
  switch (how) {
    case 'later':
      return endOf(how, ok, value, ms());
    case 'thenable':
      return {
        how,
        ok,
        value,
        style: g.pick(['plain', 'late', 'twice', 'throwsAfter', 'nested', 'function']),
        ms: g.unit() * 50,
      };
    case 'never':
      return g.chance(0.4) ? { how, ok: false } : endOf('now', ok, value);
    case 'obey':
      return { how: 'later', ok, value, heeds: g.pick([0, 5, 100]), ms: g.unit() * 400 };
    default:
      return endOf(how, ok, value);
  }
}

/** An operation whose callbacks do nothing yet. */
export const operation = (id, at, more) => ({
  ...{ id, at, policy: 0, signal: undefined, attempts: [], verdicts: [], results: [], befores: [], hooks: {} },
  ...more,
});

/** The end of an attempt. One that comes at once returns or throws. */
export const endOf = (how, ok, value, ms) => ({ how: how === 'now' ? (ok ? 'return' : 'throw') : how, ok, value, ms });

/** A failure of one of these kinds, each as likely as its number says: marks have one of these times. */
export function failure(g, kinds, times) {
  const kind = g.pick(Object.entries(kinds).flatMap(([name, count]) => Array(count).fill(name)));
  return kind === 'error' || kind === 'rejected' ? { kind } : { kind: 'error', layers: [kind], ms: g.pick(times) };
}
