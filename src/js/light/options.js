// The options of rejitter/light: each own one is read once and checked, and the first problem is thrown.

/** The type of a value, the end of the sentence "must be …", and what a value of this type must pass. */
/** @typedef {[type: string, rule: string, allows?: (value: any) => unknown]} Rule */

/** Codes of the jitters in the core. */
export const JITTERS = ['none', 'full', 'equal'];

/** @type {Rule} */
export const FUNCTION = ['function', 'a function'];
/** @param {number} least @param {number} [above] @returns {Rule} */
const between = (least, above = 2 ** 53) => [
  'number',
  `a number, at least ${least} and below ${above}`,
  (value) => value >= least && value < above,
];
export const DURATION = between(0);
export const DRAW = between(0, 1);
/** @type {Rule} */
export const LIMIT = ['number', 'a positive number', (value) => value > 0];

/** Options of retries and of fetch. @type {Record<string, Rule>} */
export const COMMON = {
  maxAttempts: ['number', 'a positive integer or Infinity', (value) => value > 0 && !(value % 1)],
  baseMs: DURATION,
  capMs: ['number', 'a number, at least baseMs', (value) => value >= 0],
  factor: between(1),
  jitter: ['string', 'full, equal or none', (value) => JITTERS.includes(value)],
  attemptTimeoutMs: LIMIT,
  totalTimeoutMs: LIMIT,
  random: FUNCTION,
  unref: ['boolean', 'a boolean'],
};
/** @type {Record<string, Rule>} */
const RULES = {
  // Nothing is found on Object.prototype.
  __proto__: /** @type {any} */ (null),
  ...COMMON,
  signal: ['object', 'an AbortSignal', (value) => value?.addEventListener],
  retryIf: FUNCTION,
};

/** The settings of a call: all own, so that Object.prototype adds none. The core has more defaults. */
export class Settings {
  maxAttempts = 6;
  /** @type {number | undefined} */ baseMs;
  /** @type {number | undefined} */ capMs;
  /** @type {number | undefined} */ factor;
  jitter = 'full';
  /** @type {AbortSignal | undefined} */ signal;
  attemptTimeoutMs = Infinity;
  totalTimeoutMs = Infinity;
  /** @type {any} */
  retryIf;
  random = Math.random;
  /** @type {boolean | undefined} */ unref;
  /** The options of fetch. */
  maxRetryAfterMs = 60_000;
}

/** @param {string} sentence @param {typeof TypeError} [Kind] @returns {never} */
function refuse(sentence, Kind = TypeError) {
  // Control characters. Not by \p{Cc}, which V8 takes 0.2 ms to validate whenever it compiles this module.
  throw new Kind(`rejitter: ${sentence}`.replace(/[^ -~\xa0-\uffff]/g, '?').slice(0, 200));
}

/** @param {string} name @param {any} value @param {Rule} rule @param {string} [must] */
export function check(name, value, [type, rule, allows], must = 'must be') {
  const typed = typeof value === type;
  if (typed && (!allows || allows(value))) return;
  // An object may have code of the caller's that runs when it becomes text.
  const [Kind, shown] = typed && type !== 'object' ? [RangeError, value] : [TypeError, value && typeof value];
  refuse(`${name} ${must} ${rule}, got ${shown}`, Kind);
}

/** Returns the caller's own options. @param {any} options */
export function settingsOf(options = {}, rules = RULES) {
  const settings = /** @type {any} */ (new Settings());
  check('options', options, ['object', 'an object', Boolean]);
  for (const name in options) {
    const value = Object.hasOwn(options, name) ? options[name] : undefined;
    if (value === undefined) continue;
    const rule = rules[name];
    if (!rule) refuse(`unknown option "${name}"; light has ${Object.keys(rules).join(', ')}`);
    check(name, value, rule);
    settings[name] = value;
  }
  if (settings.capMs < settings.baseMs) refuse(`capMs must be ${RULES.capMs[1]}, got ${settings.capMs}`, RangeError);
  return settings;
}
