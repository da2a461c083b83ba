// Values that people, parsers and attackers put where an option's value should be, and which of them each option takes:
// by the documented table.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repo } from './consumer.mjs';
import { literal, reference, tableIn } from './readers.mjs';

const someObject = { five: 5 };

/** Label → value. The table says which of them an option takes; all others must be rejected. */
export const VALUES = new Map([
  ['NaN', NaN],
  ['-1', -1],
  ['-0.001', -0.001],
  ['0', 0],
  ['0.5', 0.5],
  ['the number below 1', 1 - 2 ** -53],
  ['1', 1],
  ['1.5', 1.5],
  ['5', 5],
  ['1000', 1000],
  ['1024', 1024],
  ['1025', 1025],
  ['2^53−1', 2 ** 53 - 1],
  ['2^53', 2 ** 53],
  ['Number.MAX_VALUE', Number.MAX_VALUE],
  ['-Infinity', -Infinity],
  ['Infinity', Infinity],
  ["'5'", '5'],
  ["''", ''],
  ["' 5 '", ' 5 '],
  ["'0x10'", '0x10'],
  ["'Infinity'", 'Infinity'],
  ["'abc'", 'abc'],
  ["'full'", 'full'],
  ["'fixed'", 'fixed'],
  ["'Full'", 'Full'],
  ["'stop'", 'stop'],
  ["'wrap'", 'wrap'],
  ["'reject'", 'reject'],
  ["'constructor'", 'constructor'],
  ["'__proto__'", '__proto__'],
  ["'toString'", 'toString'],
  ['5n', 5n],
  ['-1n', -1n],
  ['null', null],
  ['true', true],
  ['false', false],
  ['Symbol()', Symbol('five')],
  ['[]', []],
  ['[5]', [5]],
  ['{}', {}],
  ['an object without a prototype', Object.create(null)],
  ['{ valueOf }', { valueOf: () => 5 }],
  [
    '{ toString that throws }',
    {
      toString() {
        throw new Error('toString was called');
      },
    },
  ],
  ['new Number(5)', new Number(5)],
  ['new String("full")', new String('full')],
  ['new Boolean(true)', new Boolean(true)],
  ['a Date', new Date(5)],
  ['a RegExp', /5/],
  ['a Map', new Map()],
  ['a typed array', new Float64Array([5])],
  ['a promise', Promise.resolve(5)],
  ['a proxy', new Proxy(someObject, {})],
  [
    'a proxy that throws',
    new Proxy(someObject, {
      get() {
        throw new Error('the proxy was read');
      },
      getPrototypeOf() {
        throw new Error('the proxy was read');
      },
    }),
  ],
  [
    'a revoked proxy',
    (() => {
      const { proxy, revoke } = Proxy.revocable(someObject, {});
      revoke();
      return proxy;
    })(),
  ],
  ['a function', () => 0.5],
  ['a class', class Five {}],
  [
    'a circular object',
    (() => {
      const o = {};
      o.o = o;
      return o;
    })(),
  ],
]);

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
  const [found, kind = '', from, belowTo, to] = /^(whole |above )?([^ ,]+) … (below )?([^ ,]+)/.exec(text) ?? [];
  if (found === undefined) return undefined;
  const [low, high] = [number(from), number(to)];
  const whole = kind === 'whole ';
  const above = kind === 'above ';
  const has = (value) =>
    (above ? value > low : value >= low) &&
    (belowTo ? value < high : value <= high) &&
    (!whole || value === Infinity || Number.isSafeInteger(value));
  return { low, high, whole, above, belowTo: belowTo !== undefined, has };
}

/** The kinds that the documented table names besides ranges: what it writes, which values, what a message must say. */
const KINDS = [
  [/\ba function\b/, (value, label) => label === 'a function' || label === 'a class', /function/],
  [/\ba string\b/, (value) => typeof value === 'string', /string/],
  [/\ba bigint\b/, (value) => typeof value === 'bigint' && value >= 0n, /bigint/],
  [/\ba list\b/, (_, label) => label === '[5]', /list|backoff\.length must be between 1 and 1000/],
  [/\bfalse\b/, (value) => value === false, /false/],
  [/\btrue\b/, (value) => value === true, /true/],
  [/\ban AbortSignal\b/, () => false, /AbortSignal/],
];

/**
 * Option → what the table of docs/reference/options.md says of it: which of VALUES it `takes`, its `range` if it is a
 * number, the other options it needs (`with`), and the patterns of which a message `says` all.
 */
export const OPTIONS = Object.fromEntries(
  tableIn(reference('options'), 'option').map(([cell, , text]) => {
    const name = literal(cell);
    const range = rangeOf(text);
    const kinds = KINDS.filter(([pattern]) => pattern.test(text));
    const named = text.includes('a [name]') ? kindsOf(name) : [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word);
    const takes = (label, value) =>
      (typeof value === 'number' && range?.has(value)) ||
      named.includes(value) ||
      kinds.some(([, takesIt]) => takesIt(value, label));
    const ends = range && [
      range.high === Infinity && !range.belowTo ? /Infinity/ : /finite|between/,
      /\d|-negative|positive/,
    ];
    const says = [...(ends ?? []), ...kinds.map(([, , said]) => said), ...named.map((word) => new RegExp(word))];
    return [name, { takes, range, says, with: BESIDE[name], isNumber: range !== undefined && kinds.length === 0 }];
  }),
);

/** The names of the kinds of an option, which all languages share. */
function kindsOf(name) {
  const table = JSON.parse(readFileSync(join(repo, 'tests/vectors/kinds.json'), 'utf8'));
  return table[name].filter((row) => row.name !== 'custom' && row.parameter === undefined).map((row) => row.name);
}
