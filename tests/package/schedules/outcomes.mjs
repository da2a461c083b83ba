// Draws how callbacks end.

import { KINDS, RESULTS } from './values.mjs';

/** What an operation throws. */
export function failureKind(g) {
  const failure = { kind: g.pick(KINDS) };
  return g.chance(0.14) ? { ...failure, ...marks(g) } : failure;
}

/** What a callback other than the operation itself throws: sometimes the error that it received. */
export const slipKind = (g) => (g.chance(0.15) ? { kind: 'same' } : failureKind(g));

/** A result; sometimes a mark that should have been thrown. */
export const resultKind = (g) =>
  g.chance(0.02)
    ? { kind: g.pick(KINDS), ms: 5, layers: [g.pick(['permanent', 'retryAfter', 'retryAfterNothing'])] }
    : { kind: g.pick(RESULTS) };

/** A failure of one of these kinds, each as likely as its number says: marks have one of these times. */
export function failure(g, kinds, times) {
  const kind = g.pick(Object.entries(kinds).flatMap(([name, count]) => Array(count).fill(name)));
  return kind === 'error' || kind === 'rejected' ? { kind } : { kind: 'error', layers: [kind], ms: g.pick(times) };
}

/** Marks around an error, among plain errors; a single one at most a little deeper than it is looked for. */
function marks(g) {
  const plain = (depths = [1, 2, 9, 10, 11]) => (g.chance(0.3) ? Array(g.pick(depths)).fill('plain') : []);
  const ms = g.pick([0, 3, 40.5, 700, 90_000, Infinity]);
  const inner = g.chance(0.3) ? ['permanent'] : [];
  const mixed = () => g.list(g.whole(2, 4), () => g.pick(['permanent', 'retryAfter', 'retryAfter', 'plain']));
  const one = () => [g.pick(['permanent', 'retryAfter', 'retryAfter']), ...plain()];
  const make = {
    one: () => ({ layers: one() }),
    none: () => ({ layers: ['retryAfterNothing', ...inner, ...plain()] }),
    bad: () => ({
      bad: g.pick([NaN, -1, '5', undefined, null]),
      layers: [...inner, 'retryAfterBad', ...plain([1, 2])],
    }),
    many: () => ({ layers: Array(12).fill('retryAfter') }),
    mixed: () => ({ layers: mixed() }),
  };
  return { ms, ...make[g.pick('one one one none bad mixed mixed many'.split(' '))]() };
}

/** The answer of a predicate; now and then one that it may not give. */
export function verdict(g, again) {
  if (g.chance(0.04))
    return g.pick([undefined, 1, 'yes', null, { afterMs: -1 }, { afterMs: NaN }, { afterMs: '5' }, {}]);
  if (g.chance(0.15)) return { afterMs: g.pick([0, 0, 2.5, 60, 20_000]) };
  return g.chance(again);
}

const WAYS = ['now', 'now', 'now', 'promise', 'promise', 'later', 'later', 'thenable', 'never'];
const STYLES = 'plain late twice throws throwsAfter nested function foreign ownThen'.split(' ');

/**
 * How a callback ends. `ok` decides between its result and its failure.
 * @param {any} g
 * @param {any} dials how long one lasts that takes its time, and whether none may
 */
export function outcome(g, { ms, sync }, chanceOfSuccess, fails, succeeds, attempt) {
  const ok = g.chance(chanceOfSuccess);
  const value = ok ? succeeds(g) : fails(g);
  const how = sync ? 'now' : g.pick([...WAYS, attempt ? 'obey' : 'later']);
  if (how === 'later') return { how, ok, value, ms: ms() };
  if (how === 'thenable')
    return { how, ok, value, style: g.pick(ok ? STYLES : [...STYLES, 'getter']), ms: g.unit() * 50 };
  if (how === 'obey') return { how: 'later', ok, value, heeds: g.pick([0, 5, 100]), ms: g.unit() * 400 };
  if (how === 'never' && g.chance(0.4)) return { how, ok: false };
  return { how, ok, value };
}
