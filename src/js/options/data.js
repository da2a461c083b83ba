// @ts-check
// A policy as JSON data, and back.

import { ADDITIVE, ADDITIVE_MAX, BACKOFFS, CAP_RULES, JITTERS, MAX_LIST, PROPORTIONAL } from './codes.js';
import { leftOut, oneOf, problemOf } from './messages.js';
import { FUNCTION, HOOK, RULES } from './rules.js';
import { ownOf, requireObject } from './settings.js';

/** The version of the format, in every object that is written. */
const VERSION = 1;

/** Values of choices and switches that are not their defaults. @type {unknown[]} */
const CHOSEN = ['cap', 'wrap', 'reject', true];

/**
 * Returns the options as data. Functions and signals belong to a process and are omitted, but for a
 * backoff function: without it, the waits would silently be others.
 * @param {import('./settings.js').Settings} settings
 * @param {boolean} [shown] whether this is for a reader, who sees that function
 */
export function toData(settings, shown) {
  if (typeof settings.curve === 'function' && !shown)
    throw problemOf('backoff', settings.curve, ['', 'a name or a list to be written as JSON']);
  const { seed } = settings;
  /** @type {Record<string, unknown>} */
  const data = {
    version: VERSION,
    backoff: Array.isArray(settings.curve)
      ? settings.curve.map(written)
      : (settings.curve ?? BACKOFFS[settings.backoff]),
    jitter: jitterData(settings),
    ...(settings.capRule !== 0 && { capRule: CAP_RULES[settings.capRule] }),
    ...(seed && { seed: { bits: String((BigInt(seed[0]) << 32n) | BigInt(seed[1])) } }),
  };
  for (const name of Object.keys(RULES)) {
    const value = /** @type {any} */ (settings)[name];
    const none =
      RULES[name][0] === 'number'
        ? !(value >= 0) ||
          (name === 'capMs' && settings.capOfList) ||
          (value === Infinity && name.endsWith('TimeoutMs'))
        : name === 'name'
          ? value === undefined
          : !CHOSEN.includes(value);
    if (!none) data[name] = written(value);
  }
  return data;
}

/**
 * @param {any} data
 * @returns {{ capRule: number, options: Record<string, unknown> }}
 */
export function fromData(data) {
  requireObject(
    data,
    'the policy',
    `an object made by toJSON()${typeof data === 'string' ? ' (JSON.parse it first)' : ''}`,
  );
  const options = ownOf(data);
  const { version, capRule = 'bound' } = options;
  delete options.version;
  delete options.capRule;
  if (version !== VERSION) throw problemOf('version', version, [typeof version, `${VERSION}`]);
  if (!CAP_RULES.includes(capRule)) throw problemOf('capRule', capRule, [typeof capRule, oneOf(CAP_RULES)]);
  for (const name of Object.keys(options)) {
    const value = options[name];
    // Functions and what belongs to a process.
    const notData = [FUNCTION, HOOK, RULES.signal, RULES.protection].includes(RULES[name]);
    if (typeof value === 'function' || notData) throw leftOut(name, value, 'it is not data');
    // In these, it is a text.
    if (name !== 'seed' && name !== 'name') options[name] = read(value);
  }
  // Longer lists are rejected, and need no copy.
  if (Array.isArray(options.backoff) && options.backoff.length <= MAX_LIST) options.backoff = options.backoff.map(read);
  if (options.seed !== undefined) options.seed = seedFrom(options.seed);
  return { capRule: CAP_RULES.indexOf(capRule), options };
}

/** @param {any} seed */
function seedFrom(seed) {
  if (typeof seed !== 'object' || seed === null || Object.keys(seed).join() !== 'bits') return seed;
  const { bits } = seed;
  if (typeof bits !== 'string' || !/^\d+$/.test(bits)) return seed;
  // More digits are only larger, and take long.
  return BigInt(bits.replace(/^0+/, '').slice(0, 21));
}

/** @param {import('./settings.js').Settings} settings */
function jitterData({ jitter, spread }) {
  switch (jitter) {
    case PROPORTIONAL:
      return { type: 'proportional', ratio: spread };
    case ADDITIVE:
      return { type: 'additive', ratio: spread };
    case ADDITIVE_MAX:
      return { type: 'additive', maxMs: spread };
    default:
      return JITTERS[jitter];
  }
}

/** JSON has no infinity. @param {unknown} value */
function written(value) {
  return value === Infinity ? 'Infinity' : value;
}

/** @param {unknown} value */
function read(value) {
  return value === 'Infinity' ? Infinity : value;
}
