// Values that people, parsers and attackers put where an option's value should be.

const someObject = { five: 5 };

/** Label → value. Each option says which of them it takes; all others must be rejected. */
export const VALUES = new Map([
  ['NaN', NaN],
  ['-1', -1],
  ['-0.001', -0.001],
  ['0', 0],
  ['0.5', 0.5],
  ['1', 1],
  ['1.5', 1.5],
  ['5', 5],
  ['1000', 1000],
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

const range = (accepts) => (label, value) => typeof value === 'number' && accepts(value);
const oneOf =
  (...words) =>
  (label, value) =>
    words.includes(value);
const FUNCTIONS = (label) => label === 'a function' || label === 'a class';

/**
 * Option → { takes: which of VALUES are right, either: which the tests leave open, with: the other options
 * it needs, rule: what the message must say is allowed }.
 */
export const OPTIONS = {
  baseMs: { takes: range((n) => n >= 0 && n < 2 ** 53), either: ['2^53', 'Number.MAX_VALUE'], rule: /0/ },
  capMs: {
    takes: range((n) => n > 100),
    either: ['0', '0.5', '1', '1.5', '5', '2^53', 'Number.MAX_VALUE'],
    rule: /non-negative/,
  },
  minMs: { takes: range((n) => n >= 0 && n <= 10_000), either: ['2^53', 'Number.MAX_VALUE'], rule: /0/ },
  factor: { takes: range((n) => n >= 1 && n < Infinity), either: [], rule: /1/ },
  stepMs: {
    takes: range((n) => n >= 0 && n < 2 ** 53),
    either: ['2^53', 'Number.MAX_VALUE'],
    with: { backoff: 'linear' },
    rule: /0/,
  },
  truncateAt: {
    takes: range((n) => n >= 1 && n <= 1000 && Number.isInteger(n)),
    either: ['2^53', 'Number.MAX_VALUE'],
    with: { backoff: 'truncated' },
    rule: /1/,
  },
  maxAttempts: {
    takes: range((n) => n >= 1 && (n === Infinity || Number.isSafeInteger(n))),
    either: ['2^53', 'Number.MAX_VALUE'],
    rule: /positive integer.*Infinity/,
  },
  maxRetryAfterMs: { takes: range((n) => n >= 0), either: [], rule: /non-negative.*Infinity/ },
  attemptTimeoutMs: { takes: range((n) => n > 0), either: [], rule: /positive.*Infinity/ },
  totalTimeoutMs: { takes: range((n) => n > 0), either: [], rule: /positive.*Infinity/ },
  backoff: {
    takes: (label, value) =>
      ['fixed', 'linear', 'exponential', 'truncated', 'fibonacci'].includes(value) ||
      FUNCTIONS(label) ||
      label === '[5]',
    either: [],
    rule: /fixed.*linear.*exponential.*truncated.*fibonacci.*function.*list|backoff.length must be between 1 and 1000/,
  },
  jitter: {
    takes: oneOf('none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'),
    either: [],
    rule: /none.*full.*equal.*decorrelated.*slotted.*pollyV2.*proportional.*additive/,
  },
  longRetryAfter: { takes: oneOf('stop', 'cap'), either: [], rule: /stop.*cap/ },
  finalError: { takes: oneOf('last', 'wrap'), either: [], rule: /last.*wrap/ },
  finalResult: { takes: oneOf('resolve', 'reject'), either: [], rule: /resolve.*reject/ },
  name: { takes: (label, value) => typeof value === 'string', either: [], rule: /string/ },
  unref: { takes: oneOf(true, false), either: [], rule: /true or false/ },
  metrics: { takes: oneOf(true, false), either: [], rule: /true or false/ },
  signal: { takes: () => false, either: [], rule: /AbortSignal/ },
  ...Object.fromEntries(
    ['retryIf', 'retryOnResult', 'onAttempt', 'onFailure', 'onRetry', 'onSuccess', 'onGiveUp', 'beforeRetry'].map(
      (name) => [name, { takes: FUNCTIONS, either: [], rule: /function/ }],
    ),
  ),
  random: { takes: FUNCTIONS, either: [], rule: /function/ },
  protection: { takes: oneOf(false), either: [], rule: /made by protect\(\).* or false/ },
  seed: {
    takes: (label, value) =>
      typeof value === 'string' ||
      (typeof value === 'bigint' && value >= 0n) ||
      (Number.isSafeInteger(value) && value >= 0),
    either: [],
    rule: /integer.*bigint.*string/,
  },
};
