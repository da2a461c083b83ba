// @ts-check
// Options of a fetch: those of every operation, and its own.

import { isTransient, isTransientInGo } from './http.js';
import { inheriting, readOnly, readOptions, settingsOf, settingsOfPolicy } from './options.js';
import { isPreset, presetRule, presets } from './presets.js';
import { FUNCTION, RULES, SWITCH, errorOf, failure, isFunction, problemOf, unknown } from './rules.js';

/** Options that only `fetch` has, and the rule of each. */
const FETCH_RULES = /** @type {Record<string, readonly [types: string, rule: string, allows: (value: any, ...rest: any) => boolean]>} */ ({
  preset: presetRule(),
  retryOn: ['', 'a list of statuses between 100 and 999, or a function', (value) => isFunction(value) || (Array.isArray(value) && value.every(isStatus))],
  methods: ['', 'a list of method names', (value) => Array.isArray(value) && value.every(isToken)],
  idempotencyKey: ['string', "'auto', another text of visible ASCII characters, or a function that maps the request to such a text", (value) => isFunction(value) || isKey(value)],
  idempotencyHeader: ['string', 'the name of a header', isToken],
  hint: FUNCTION,
  respectRetryAfter: SWITCH,
  throwOnStatus: SWITCH,
  prepare: FUNCTION,
});

/** Options of other operations that have no meaning here, and the remedy. */
const REPLACED = /** @type {Record<string, string>} */ ({
  retryIf: 'use retryOn, which receives the response or the error',
  retryOnResult: 'use retryOn, which receives the response or the error',
  finalResult: 'use throwOnStatus',
  metrics: 'pass a RetryPolicy that has them: createFetch(new RetryPolicy({ metrics: true }))',
});

/** Options that were read and checked. */
export class FetchSettings {
  /**
   * @param {Record<string, any>} given the options, for those of a call to be merged over
   * @param {import('./options.js').Settings} engine
   */
  constructor(given, engine) {
    this.given = given;
    this.engine = engine;
    this.isTransient = given.preset === 'goRetryableHttp' ? isTransientInGo : isTransient;
    /** @type {number[] | ((context: object) => unknown) | undefined} */
    this.retryOn = given.retryOn;
    /** @type {string[] | undefined} in capitals */
    this.methods = given.methods?.map((/** @type {string} */ method) => method.toUpperCase());
    /** @type {string | ((request: Request) => unknown) | undefined} */
    this.idempotencyKey = given.idempotencyKey;
    /** @type {string} */
    this.idempotencyHeader = given.idempotencyHeader ?? 'Idempotency-Key';
    /** @type {((response: any, attempt: import('./attempt.js').Attempt) => any) | undefined} */
    this.hint = given.hint;
    this.respectRetryAfter = given.respectRetryAfter !== false;
    this.throwOnStatus = given.throwOnStatus === true;
    /** @type {((request: Request, attempt: import('./attempt.js').Attempt) => unknown) | undefined} */
    this.prepare = given.prepare;
    /** The options of the last call that had some, and their settings. @type {[given: Record<string, any>, settings: FetchSettings] | undefined} */
    this.last = undefined;
  }
}

/**
 * Reads the options of a call, which are in `init.retry`. A `retry` that is no object belongs to somebody else:
 * ofetch passes its own option on.
 * @param {any} init
 * @param {() => import('./decision.js').Core} load
 * @param {FetchSettings} base
 */
export function readCallOptions(init, load, base) {
  if (init === null || typeof init !== 'object' || !Object.hasOwn(init, 'retry')) return base;
  const { retry } = init;
  if (retry === null || typeof retry !== 'object') return base;
  // Most calls from one place in a program have the same options: they are read once.
  const given = readOnly(retry);
  const names = Object.keys(given);
  if (base.last !== undefined && names.length === Object.keys(base.last[0]).length && names.every((name) => base.last?.[0][name] === given[name])) return base.last[1];
  const settings = readFetchOptions(given, load, base);
  // Lists may change, and nothing of the caller's must live longer than the call.
  if (names.every((name) => !/^(object|function)$/.test(typeof given[name]))) base.last = [given, settings];
  return settings;
}

/**
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options or a RetryPolicy
 * @param {() => import('./decision.js').Core} load
 * @param {FetchSettings} [base] whose options those of a call replace
 */
export function readFetchOptions(options, load, base) {
  const policy = settingsOfPolicy(options);
  if (policy !== undefined) {
    if (policy.finalResult === 'reject') throw notSupported('finalResult');
    return new FetchSettings(Object.create(null), policy);
  }
  const own = readOnly(options);
  /** @type {Error[]} */
  const problems = [];
  const common = Object.create(null);
  for (const name of Object.keys(own)) {
    const value = own[name];
    if (Object.hasOwn(FETCH_RULES, name)) {
      if (!FETCH_RULES[name][2](value)) problems.push(problemOf(name, value, FETCH_RULES[name]));
      else if (name === 'idempotencyKey' && base === undefined && typeof value === 'string' && value !== 'auto') problems.push(failure(TypeError, ONE_KEY));
    } else if (Object.hasOwn(REPLACED, name)) {
      problems.push(notSupported(name));
    } else if (Object.hasOwn(RULES, name)) {
      common[name] = value;
    } else {
      problems.push(unknown(name, [...Object.keys(FETCH_RULES), ...Object.keys(RULES).filter((known) => !Object.hasOwn(REPLACED, known))]));
    }
    // A copy: what the caller does with the list later changes nothing.
    if (Array.isArray(value)) own[name] = Array.from(value);
  }
  const preset = isPreset(own.preset) ? presets()[own.preset] : undefined;
  const engine = base === undefined ? settingsOf(load)() : inheriting(base.engine);
  if (base === undefined) engine.counter = { next: 0 };
  // Another seed than that of all calls: every call with it begins with the first operation.
  else if (own.seed !== undefined && own.seed !== base.given.seed) engine.counter = undefined;
  if (preset !== undefined) engine.capRule = preset.capRule;
  try {
    readOptions({ ...preset?.options, ...common }, engine);
  } catch (error) {
    problems.push(/** @type {Error} */ (error));
  }
  if (problems.length > 0) throw errorOf(problems);
  return new FetchSettings({ __proto__: null, ...base?.given, ...own }, engine);
}

const ONE_KEY = "idempotencyKey must be 'auto' or a function: one text would be the key of every request. Set a text per call: fetch(url, { retry: { idempotencyKey } })";

/** @param {string} name */
function notSupported(name) {
  return failure(TypeError, `${name} is not supported by fetch; ${REPLACED[name]}`);
}

/**
 * Returns whether the member of an init can only be an option that stands in the wrong place. Short names and
 * hooks may belong to another package's wrapper.
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
