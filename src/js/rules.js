// @ts-check
// What the options are called, what each must be, and the words for saying so.

// Positions are the codes that src/js/numeric.rs reads.
export const BACKOFFS = ['fixed', 'linear', 'exponential', 'truncated', 'fibonacci'];
export const FIXED = 0;
export const LINEAR = 1;
export const EXPONENTIAL = 2;
export const TRUNCATED = 3;
export const CUSTOM = 5;

export const JITTERS = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];
export const NONE = 0;
export const FULL = 1;
export const EQUAL = 2;
export const DECORRELATED = 3;
export const SLOTTED = 5;
export const POLLY_V2 = 6;
export const PROPORTIONAL = 7;
export const ADDITIVE = 8;
export const ADDITIVE_MAX = 9;

export const MAX_MS = Number.MAX_SAFE_INTEGER;
export const DEFAULT_CAP_MS = 10_000;

/**
 * The types of which a refused value is out of range (a RangeError; any other is a TypeError), and
 * the end of the sentence "it must be …".
 * @typedef {[types: string, rule: string]} Rule
 */
/** @type {Rule} */
const MILLISECONDS = ['number', 'a number of milliseconds from 0 to 2^53 - 1'];
/** @type {Rule} */
const LIMIT = ['number', 'a number of milliseconds above 0, or Infinity'];
/** @type {Rule} */
const LONGEST = ['number', 'a number of milliseconds from 0, or Infinity'];
/** @type {Rule} */
const FUNCTION = ['', 'a function'];
/** @type {Rule} */
const SWITCH = ['', 'true or false'];

/** @type {Record<string, Rule>} */
export const RULES = {
  baseMs: MILLISECONDS,
  capMs: LONGEST,
  minMs: MILLISECONDS,
  factor: ['number', 'a finite number from 1'],
  backoff: ['string', `${oneOf(BACKOFFS)}, a function from the number of the wait to milliseconds, or a list of milliseconds from 0`],
  jitter: ['string', `${oneOf(JITTERS)}, { type: 'proportional', ratio } with a ratio above 0 and at most 1, or { type: 'additive' } with either a ratio above 0 and at most 1000 or a maxMs above 0`],
  stepMs: MILLISECONDS,
  truncateAt: ['number', 'a whole number from 1 to 1024'],
  maxRetryAfterMs: LONGEST,
  longRetryAfter: ['string', oneOf(['stop', 'cap'])],
  maxAttempts: ['number', 'a whole number from 1 (it counts the first attempt), or Infinity'],
  attemptTimeoutMs: LIMIT,
  totalTimeoutMs: LIMIT,
  signal: ['', 'an AbortSignal'],
  retryIf: FUNCTION,
  retryOnResult: FUNCTION,
  onAttempt: FUNCTION,
  onFailure: FUNCTION,
  onRetry: FUNCTION,
  onSuccess: FUNCTION,
  onGiveUp: FUNCTION,
  random: FUNCTION,
  seed: ['number bigint', 'a whole number from 0 to 2^53 - 1, a bigint from 0n to 2n ** 64n - 1n, or a string'],
  unref: SWITCH,
  finalError: ['string', oneOf(['last', 'wrap'])],
  metrics: SWITCH,
};

/** What other packages call our options, for those who bring their habits along. */
const FOREIGN = /** @type {Record<string, string>} */ (/** @type {unknown} */ ({
  __proto__: null,
  retries: 'maxAttempts (it counts the first attempt: retries + 1)',
  maxretries: 'maxAttempts (it counts the first attempt: maxRetries + 1)',
  numofattempts: 'maxAttempts',
  attempts: 'maxAttempts',
  limit: 'maxAttempts',
  mintimeout: 'baseMs',
  delay: 'baseMs',
  initialdelay: 'baseMs',
  startingdelay: 'baseMs',
  base: 'baseMs',
  maxtimeout: 'capMs',
  maxdelay: 'capMs',
  backofflimit: 'capMs',
  cap: 'capMs',
  mindelay: 'minMs',
  timemultiple: 'factor',
  multiplier: 'factor',
  exponent: 'factor',
  randomize: 'jitter',
  timeout: 'attemptTimeoutMs (each attempt) or totalTimeoutMs (all of them)',
  maxretrytime: 'totalTimeoutMs',
  maxelapsedtime: 'totalTimeoutMs',
  deadline: 'totalTimeoutMs',
  shouldretry: 'retryIf',
  retrycondition: 'retryIf',
  handleerror: 'onFailure',
  onfailedattempt: 'onFailure',
  maxretryafter: 'maxRetryAfterMs',
}));

/** @typedef {{ kind: ErrorConstructor, text: string }} Problem */

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {Problem}
 */
export function problemOf(name, value) {
  const [types, rule] = RULES[name];
  return { kind: types.includes(typeof value) ? RangeError : TypeError, text: `${name} is ${show(value)}; it must be ${rule}` };
}

/**
 * @param {string} name
 * @param {string[]} names
 */
export function unknown(name, names) {
  const foreign = FOREIGN[name.toLowerCase().replace(/ms$/, '')] ?? '';
  // Functions with options of their own do not have all of those.
  let nearest = names.includes(foreign.split(' ')[0]) ? foreign : '';
  let fewest = Math.min(3, name.length / 2);
  for (const known of nearest ? [] : names) {
    const edits = distance(name.toLowerCase(), known.toLowerCase());
    if (edits <= fewest) [nearest, fewest] = [known, edits - 1];
  }
  return `${show(name)} is not an option.${nearest && ` Did you mean ${nearest}?`} Options are: ${names.join(', ')}`;
}

/**
 * Edits (insert, delete, replace, swap of neighbours) between two words.
 * @param {string} a
 * @param {string} b
 */
function distance(a, b) {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= b.length; j++) rows[0][j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i][j] = Math.min(
        rows[i - 1][j] + 1,
        rows[i][j - 1] + 1,
        rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1),
        swapped ? rows[i - 2][j - 2] + 1 : Infinity,
      );
    }
  }
  return rows[a.length][b.length];
}

/** @param {Problem[]} problems */
export function errorOf(problems) {
  const kind = problems.every((problem) => problem.kind === RangeError) ? RangeError : TypeError;
  return new kind(problems.map((problem) => problem.text).join('; '));
}

/**
 * A value in words, without running any code of the caller's.
 * @param {unknown} value
 */
export function show(value) {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'object':
      return value === null ? 'null' : 'an object';
    case 'boolean':
    case 'undefined':
      return String(value);
    default:
      return `a ${typeof value}`;
  }
}

/**
 * An error's message, if it has one that can be read: what is thrown may be anything.
 * @param {unknown} error
 * @param {string} otherwise
 */
export function messageOf(error, otherwise) {
  try {
    const { message } = /** @type {Error} */ (error instanceof Error ? error : {});
    return typeof message === 'string' ? message : otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string[]} names */
function oneOf(names) {
  return `one of ${names.map((name) => `'${name}'`).join(', ')}`;
}
