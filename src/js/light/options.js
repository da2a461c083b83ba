// @ts-check
// The options of rejitter/light: each own one is read once and checked, and the first problem is thrown.

/** @typedef {import('../../../pkg-template/light.js').LightAttempt} Attempt */
/** @typedef {import('../../../pkg-template/light.js').LightOptions} Settings */
/**
 * The type of a value, the end of the sentence "must be …", and what a value of this type must pass.
 * @typedef {[type: string, rule: string, allows?: (value: any, settings: any) => unknown]} Rule
 */

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
const LIMIT = ['number', 'a positive number', (value) => value > 0];
/** Matches no value. @type {Rule} */
const UNKNOWN = ['', "left out, or import it from 'rejitter'"];

/** @type {Record<string, Rule>} */
const RULES = /** @type {any} */ ({
  __proto__: null,
  maxAttempts: ['number', 'a positive integer or Infinity', (/** @type {number} */ value) => value > 0 && !(value % 1)],
  baseMs: DURATION,
  capMs: ['number', 'a number, at least baseMs', (/** @type {number} */ value, { baseMs = 0 }) => value >= baseMs],
  factor: between(1),
  jitter: ['string', 'full, equal or none', (/** @type {string} */ value) => JITTERS.includes(value)],
  signal: ['object', 'an AbortSignal', (/** @type {any} */ value) => value?.addEventListener],
  attemptTimeoutMs: LIMIT,
  totalTimeoutMs: LIMIT,
  retryIf: FUNCTION,
  random: FUNCTION,
  unref: ['boolean', 'a boolean'],
});

/** @param {string} must the start of the sentence @param {any} value @param {Rule} rule @param {Settings} [settings] */
export function check(must, value, [type, rule, allows], settings) {
  const typed = typeof value === type;
  if (typed && (!allows || allows(value, settings))) return;
  // An object may have code of the caller's that runs when it becomes text.
  const [Kind, shown] = typed && type !== 'object' ? [RangeError, value] : [TypeError, value && typeof value];
  // Control characters. Not by \p{Cc}, which V8 takes 0.2 ms to validate whenever it compiles this module.
  throw new Kind(`rejitter: ${must} ${rule}, got ${shown}`.replace(/[^ -~\xa0-\uffff]/g, '?').slice(0, 200));
}

/** Returns the caller's own options. @param {any} options @returns {Settings} */
export function settingsOf(options = {}) {
  check('options must be', options, ['object', 'an object', Boolean]);
  const settings = { __proto__: null, ...options };
  for (const name in settings) {
    const value = settings[name];
    if (value !== undefined) check(`${name} must be`, value, RULES[name] ?? UNKNOWN, settings);
  }
  return settings;
}
