// The numbers that the tables show of a run, and what they are meant to be.

import { quantile } from '../lib/stats.mjs';

/** @typedef {import('./play.mjs').Run} Run */
/**
 * How a number comes of a run, and its digits after the point.
 * @typedef {{ of: (run: Run) => number, digits?: number }} Measure
 *
 * A limit of a contender's number or, with `than`, of its difference to that contender's.
 * @typedef {{ name: string, least?: number, most?: number, than?: string }} Aim
 *
 * A row: a number of each contender, its aims, and its title unless that is the world's.
 * @typedef {Measure & { aims: Aim[], title?: string }} Shown
 */

export const row = (measure, aims = [], title = undefined) => ({ ...measure, aims, title });

export const atLeast = (least, names = ['all three']) => names.map((name) => ({ name, least }));
export const atMost = (most, names = ['all three']) => names.map((name) => ({ name, most }));
export const above = (than, least, name = 'all three') => ({ name, least, than });

/** @param {Record<string, number | undefined>} numbers by contender */
export function misses({ name, least = -Infinity, most = Infinity, than }, numbers) {
  const number = Number(numbers[name]) - (than === undefined ? 0 : Number(numbers[than]));
  return !(number >= least && number <= most);
}

/** Returns an aim in words, without its contender. */
export function inWords({ least, most = 0, than }) {
  const limit = least ?? most;
  const sign = least === undefined ? '≤' : '≥';
  if (than === undefined) return `${sign} ${limit.toLocaleString('en-US')}`;
  return `${sign} ${than} ${limit < 0 ? '−' : '+'} ${Math.abs(limit)}`;
}

/** @param {number} from in seconds */
const within = (from, to) => (at) => at >= from * 1000 && at < to * 1000;

/** Per cent of the calls that succeed, of those started between two times in seconds. */
export const share = (from = 0, to = Infinity) => ({
  of({ calls }) {
    const counted = calls.filter(({ at, bad }) => !bad && within(from, to)(at));
    return (100 * counted.filter(({ ok }) => ok).length) / counted.length;
  },
});

/** Requests per call, both started between two times in seconds. */
export const requests = (from = 0, to = Infinity) => ({
  digits: 2,
  of: ({ calls, sent }) => sent.filter(within(from, to)).length / calls.filter(({ at }) => within(from, to)(at)).length,
});

/** Seconds that calls take that succeed: a quantile. */
export const duration = (p) => ({
  digits: 2,
  of({ calls }) {
    const took = calls.filter(({ bad, ok }) => ok && !bad).map(({ ms }) => ms / 1000);
    return took.length > 0 ? quantile(took, p) : NaN;
  },
});

/**
 * Seconds after which 95% of the calls of each second succeed; to the end if that never comes.
 * @param {number} [limitMs] for calls that count as successes
 */
export const recovery = (from, limitMs = Infinity) => ({
  of({ calls, world }) {
    for (let s = world.seconds - 1; s >= from; s--) {
      const second = calls.filter(({ at }) => within(s, s + 1)(at));
      if (second.filter(({ ok, ms }) => ok && ms <= limitMs).length < 0.95 * second.length) return s + 1 - from;
    }
    return 0;
  },
});

/** Jobs that did not succeed. */
export const lost = { of: ({ calls, world }) => (world.jobs ?? 0) - calls.filter(({ ok }) => ok).length };

/** Requests a second, between two times in seconds. */
export const perSecond = (from, to) => ({ of: ({ sent }) => sent.filter(within(from, to)).length / (to - from) });
