// Values that people, parsers and attackers put where an option's value should be, and which of them each option takes:
// by the table of all options.

import { OPTIONS as TABLE } from '../../../xtask/npm/options.mjs';
import { kindsOf } from '../schedules/waits.mjs';

const someObject = { five: 5 };
const revoked = Proxy.revocable(someObject, {});
revoked.revoke();
const circular = {};
circular.circular = circular;
const touched = () => {
  throw new Error('the value was read');
};
const list = [5];

/** The table says which of them an option takes; all others must be rejected. */
export const VALUES = [
  ...[NaN, -1, -0.001, 0, 0.5, 1 - 2 ** -53, 1, 1.5, 5, 1000, 1024, 1025, 2 ** 53 - 1, 2 ** 53, Number.MAX_VALUE],
  ...[-Infinity, Infinity, '5', '', ' 5 ', '0x10', 'Infinity', 'abc', 'full', 'fixed', 'Full', 'stop', 'wrap'],
  ...['reject', 'constructor', '__proto__', 'toString', 5n, -1n, null, true, false, Symbol('five'), [], list, {}],
  ...[Object.create(null), { valueOf: () => 5 }, { toString: touched }, new Number(5), new String('full')],
  ...[new Boolean(true), new Date(5), /5/, new Map(), new Float64Array([5]), Promise.resolve(5), circular],
  ...[new Proxy(someObject, {}), new Proxy(someObject, { get: touched, getPrototypeOf: touched }), revoked.proxy],
  () => 0.5,
  class Five {},
];

/** Other options that an option needs to be allowed at all, or with each of its values. */
const BESIDE = {
  stepMs: { backoff: 'linear' },
  truncateAt: { backoff: 'truncated' },
  baseMs: { capMs: Infinity },
  minMs: { capMs: Infinity },
  capMs: { baseMs: 0 },
};

const number = (text) =>
  text === '∞' ? Infinity : new Function(`return ${text.replaceAll('−', '-').replaceAll('^', '**')};`)();

/** Reads `whole 1 … 1024` or `0 … below ∞`, alone or before other kinds of values. */
function rangeOf(text) {
  const [found, kind, from, below, to] = /^(whole |above )?([^ ,]+) … (below )?([^ ,]+)/.exec(text) ?? [];
  if (found === undefined) return undefined;
  const [low, high] = [number(from), number(to)];
  const has = (value) =>
    (kind === 'above ' ? value > low : value >= low) &&
    (below ? value < high : value <= high) &&
    (kind !== 'whole ' || value === Infinity || Number.isSafeInteger(value));
  return { has, hasInfinity: has(Infinity) };
}

/** The kinds that the table names besides ranges: what it writes, which values, what a message must say. */
const KINDS = [
  [/\ba function\b/, (value) => typeof value === 'function', /function/],
  [/\ba string\b/, (value) => typeof value === 'string', /string/],
  [/\ba bigint\b/, (value) => typeof value === 'bigint' && value >= 0n, /bigint/],
  [/\ba list\b/, (value) => value === list, /list|backoff\.length must be between 1 and 1000/],
  [/\bfalse\b/, (value) => value === false, /false/],
  [/\btrue\b/, (value) => value === true, /true/],
  [/\ban AbortSignal\b/, () => false, /AbortSignal/],
];

/**
 * Option → what the table says of it: which of VALUES it `takes`, the other options it needs (`with`), the patterns of
 * which a message `says` all, and whether it is a number.
 */
export const OPTIONS = Object.fromEntries(
  TABLE.map(({ name, range: text }) => {
    const range = rangeOf(text);
    const kinds = KINDS.filter(([pattern]) => pattern.test(text));
    const named = text.includes('a [name]') ? kindsOf(name) : [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word);
    const takes = (value) =>
      (typeof value === 'number' && range?.has(value)) ||
      named.includes(value) ||
      kinds.some(([, takesIt]) => takesIt(value));
    const ends = range ? [range.hasInfinity ? /Infinity/ : /finite|between/, /\d|-negative|positive/] : [];
    const says = [...ends, ...kinds.map(([, , said]) => said), ...named.map((word) => new RegExp(word))];
    return [name, { takes, says, with: BESIDE[name], isNumber: range !== undefined && kinds.length === 0 }];
  }),
);
