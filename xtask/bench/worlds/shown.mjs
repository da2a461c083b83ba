// The numbers that the tables show of a run, and what they are meant to be.

import { quantile } from '../lib/stats.mjs';

/**
 * How a number comes of a run, and its digits after the point.
 * @typedef {{ of: (run: import('./play.mjs').Run) => number, digits?: number }} Measure
 *
 * A limit of a contender's number or, with `than`, of its difference to that contender's; and it in words.
 * @typedef {{ name: string, words: string, sign: string, limit: number, than?: string }} Aim
 *
 * A row: a number of each contender, its aims, and its title unless that is the world's.
 * @typedef {Measure & { aims: Aim[], title?: string }} Shown
 */

/** @param {number} from in seconds */
const within = (from, to) => (at) => at >= from * 1000 && at < to * 1000;

/** @type {Record<string, (...numbers: number[]) => Measure>} */
const MEASURES = {
  /** Per cent of the calls that succeed, of those started between two times in seconds. */
  share: (from = 0, to = Infinity) => ({
    of({ calls }) {
      const counted = calls.filter(({ at, bad }) => !bad && within(from, to)(at));
      return (100 * counted.filter(({ ok }) => ok).length) / counted.length;
    },
  }),
  /** Requests per call, both started between two times in seconds. */
  requests: (from = 0, to = Infinity) => ({
    digits: 2,
    of: ({ calls, sent }) =>
      sent.filter(within(from, to)).length / calls.filter(({ at }) => within(from, to)(at)).length,
  }),
  /** Seconds that calls take that succeed: a quantile. */
  duration: (p) => ({
    digits: 2,
    of({ calls }) {
      const took = calls.filter(({ bad, ok }) => ok && !bad).map(({ ms }) => ms / 1000);
      return took.length > 0 ? quantile(took, p) : NaN;
    },
  }),
  /** Seconds after which 95% of the calls of each second succeed, within a limit; to the end if that never comes. */
  recovery: (from, limitMs = Infinity) => ({
    of({ calls, world }) {
      for (let s = world.seconds - 1; s >= from; s--) {
        const second = calls.filter(({ at }) => within(s, s + 1)(at));
        if (second.filter(({ ok, ms }) => ok && ms <= limitMs).length < 0.95 * second.length) return s + 1 - from;
      }
      return 0;
    },
  }),
  /** Jobs that did not succeed. */
  lost: () => ({ of: ({ calls, world }) => (world.jobs ?? calls.length) - calls.filter(({ ok }) => ok).length }),
  /** Requests that no call succeeded with. */
  refused: () => ({ of: ({ calls, sent }) => sent.length - calls.filter(({ ok }) => ok).length }),
  /** Seconds until the last call succeeds. */
  last: () => ({
    digits: 1,
    of: ({ calls }) => Math.max(...calls.filter(({ ok }) => ok).map(({ at, ms }) => at + ms)) / 1000,
  }),
  /** Requests a second, between two times in seconds. */
  perSecond: (from, to) => ({ of: ({ sent }) => sent.filter(within(from, to)).length / (to - from) }),
};

/** Reads "one and another ≥ a third − 2; one ≤ 1,000". @returns {Aim[]} */
export const aimsOf = (text) =>
  text.split('; ').flatMap((aim) => {
    const [, names, words, sign, than, minus, digits] = /^(.+?) (([≥≤]) (?:(.+) ([+−]) )?([\d.,]+))$/.exec(aim) ?? [];
    if (names === undefined) throw new Error(`no aim: ${aim}`);
    const limit = Number(digits.replace(',', '')) * (minus === '−' ? -1 : 1);
    return names.split(' and ').map((name) => ({ name, words, sign, limit, than }));
  });

/** Reads what a world shows: "measure from to: aims | title". @returns {Shown} */
export function shown(text) {
  const [, name, numbers, aims, title] = /^(\w+)((?: [\d.]+)*)(?:: (.*?))?(?: \| (.*))?$/.exec(text) ?? [];
  return { ...MEASURES[name](...numbers.split(' ').slice(1).map(Number)), aims: aims ? aimsOf(aims) : [], title };
}

/** @param {Record<string, number | undefined>} numbers by contender */
export function misses({ name, sign, limit, than }, numbers) {
  const number = Number(numbers[name]) - (than === undefined ? 0 : Number(numbers[than]));
  return !(sign === '≥' ? number >= limit : number <= limit);
}
