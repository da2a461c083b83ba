// @ts-check
// Options of a fetch: those of every operation, and its own.

import { isFunction } from '../options/checks.js';
import { MAX_PROBLEMS, errorOf, failure, problemOf, unknown } from '../options/messages.js';
import { isPreset, presetRule, presets } from '../options/presets.js';
import { FUNCTION, RULES, SWITCH } from '../options/rules.js';
import { behindOf, readOnly, readOverrides, settingsOf } from '../options/settings.js';
import { isTransient, isTransientInGo } from './http.js';

/** Options that only `fetch` has, and the rule of each. */
const FETCH_RULES =
  /** @type {Record<string, readonly [types: string, rule: string, allows: (value: any, ...rest: any) => boolean]>} */ ({
    preset: presetRule(),
    retryOn: [
      '',
      'a list of statuses between 100 and 999, or a function',
      (value) => isFunction(value) || (Array.isArray(value) && value.every(isStatus)),
    ],
    methods: ['', 'a list of method names', (value) => Array.isArray(value) && value.every(isToken)],
    idempotencyKey: [
      'string',
      "'auto', another text of visible ASCII characters, or a function that maps the request to such a text",
      (value) => isFunction(value) || isKey(value),
    ],
    idempotencyHeader: ['string', 'the name of a header', isToken],
    hint: FUNCTION,
    respectRetryAfter: SWITCH,
    throwOnStatus: SWITCH,
    prepare: FUNCTION,
    protectionKey: FUNCTION,
  });

const CLASSIFY = 'use retryOn, which receives the response or the error';

/** Options of other operations, and of other packages, that have no meaning here, and the remedy. */
const REPLACED = /** @type {Record<string, string>} */ ({
  retryIf: CLASSIFY,
  retryOnResult: CLASSIFY,
  shouldRetry: CLASSIFY,
  statusCodes: 'use retryOn',
  retryStatusCodes: 'use retryOn',
  finalResult: 'use throwOnStatus',
  throwHttpErrors: 'use throwOnStatus',
  fetch: 'use createFetch(options, fetch)',
  metrics: 'pass a RetryPolicy that has them: createFetch(new RetryPolicy({ metrics: true }))',
});

/** Defaults of the options that only `fetch` has. */
const DEFAULTS = { __proto__: null, idempotencyHeader: 'Idempotency-Key', respectRetryAfter: true, isTransient };

/**
 * Options that were read and checked.
 * @typedef {object} FetchSettings
 * @property {Record<string, any>} own those that only `fetch` has
 * @property {import('../options/settings.js').Settings} common those of every operation
 * @property {import('../options/settings.js').Behind<any>} shared what all operations share
 * @property {unknown} [seed] as the caller passed it
 * @property {boolean} [ownSeed] whether a call has another seed than the rest: it is that seed's first operation
 * @property {[given: Record<string, any>, settings: FetchSettings]} [last] the options of the last call that had some,
 *   and their settings
 */

/**
 * Reads the options of a call, which are in `init.retry`. A `retry` that is not an object belongs to another package:
 * ofetch passes its own option on.
 * @param {any} init
 * @param {import('../options/settings.js').Load} load
 * @param {FetchSettings} base
 */
export function readCallOptions(init, load, base) {
  if (init === null || typeof init !== 'object' || !Object.hasOwn(init, 'retry')) return base;
  const { retry } = init;
  if (retry === null || typeof retry !== 'object') return base;
  // Most calls from one place in a program have the same options: they are read once.
  const given = readOnly(retry);
  const names = Object.keys(given);
  if (
    base.last !== undefined &&
    names.length === Object.keys(base.last[0]).length &&
    names.every((name) => base.last?.[0][name] === given[name])
  )
    return base.last[1];
  const settings = readFetchOptions(given, load, base);
  // Lists may change, and nothing of the caller's must live longer than the call.
  if (names.every((name) => !/^(object|function)$/.test(typeof given[name]))) base.last = [given, settings];
  return settings;
}

/**
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options or a RetryPolicy
 * @param {import('../options/settings.js').Load} load
 * @param {FetchSettings} [base] whose options those of a call replace
 * @returns {FetchSettings}
 */
export function readFetchOptions(options, load, base) {
  const policy = behindOf(options);
  if (policy !== undefined) {
    if (policy.settings.finalResult === 'reject') throw notSupported('finalResult');
    return { own: DEFAULTS, common: policy.settings, shared: policy };
  }
  const given = readOnly(options);
  /** @type {Record<string, any>} */
  const own = { __proto__: null, ...(base?.own ?? DEFAULTS) };
  /** @type {Error[]} */
  const problems = [];
  const overrides = Object.create(null);
  for (const name of Object.keys(given)) {
    if (problems.length >= MAX_PROBLEMS) break;
    const value = given[name];
    if (Object.hasOwn(FETCH_RULES, name)) {
      // A copy: what the caller does with the list later changes nothing.
      own[name] = Array.isArray(value) ? Array.from(value) : value;
      if (!FETCH_RULES[name][2](value)) problems.push(problemOf(name, value, FETCH_RULES[name]));
      else if (name === 'idempotencyKey' && base === undefined && typeof value === 'string' && value !== 'auto')
        problems.push(failure(TypeError, ONE_KEY));
    } else if (Object.hasOwn(REPLACED, name)) {
      problems.push(notSupported(name));
    } else if (Object.hasOwn(RULES, name)) {
      overrides[name] = value;
    } else {
      problems.push(
        unknown(name, [
          ...Object.keys(FETCH_RULES),
          ...Object.keys(RULES).filter((known) => !Object.hasOwn(REPLACED, known)),
        ]),
      );
    }
  }
  const preset = isPreset(given.preset) ? presets()[given.preset] : undefined;
  let common = base === undefined ? settingsOf(load)() : base.common;
  try {
    if (preset !== undefined) common = readOverrides(preset.options, common, undefined, { capRule: preset.capRule });
    common = readOverrides(overrides, common);
  } catch (error) {
    problems.push(/** @type {Error} */ (error));
  }
  if (problems.length > 0) throw errorOf(problems);
  if (given.preset !== undefined) own.isTransient = given.preset === 'goRetryableHttp' ? isTransientInGo : isTransient;
  if (given.methods !== undefined)
    own.methods = own.methods.map((/** @type {string} */ method) => method.toUpperCase());
  const seed = given.seed ?? base?.seed;
  const shared = base?.shared ?? { settings: common, operations: 0, metrics: undefined };
  return { own, common, shared, seed, ownSeed: base !== undefined && seed !== base.seed };
}

const ONE_KEY =
  "idempotencyKey must be 'auto' or a function: one text would be the key of every request. Set a text per call: " +
  'fetch(url, { retry: { idempotencyKey } })';

/** @param {string} name */
function notSupported(name) {
  return failure(TypeError, `${name} is not supported by fetch; ${REPLACED[name]}`);
}

/**
 * Returns whether the member of an init can only be an option that stands in the wrong place. Short names and
 * hooks may belong to another package's wrapper, as `retries` of fetch-retry, which passes it on.
 * @param {string} name
 */
export function isMisplaced(name) {
  return /^(?!on)[a-z]+[A-Z]/.test(name) && (Object.hasOwn(RULES, name) || Object.hasOwn(FETCH_RULES, name));
}

/** @param {any} status */
function isStatus(status) {
  return Number.isInteger(status) && status >= 100 && status <= 999;
}

/** Returns whether this is a token of HTTP: a method or the name of a header. @param {unknown} name */
function isToken(name) {
  return typeof name === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
}

/** Returns whether this can be the value of a header, without quotes or changes. @param {unknown} value */
export function isKey(value) {
  return typeof value === 'string' && /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(value);
}
