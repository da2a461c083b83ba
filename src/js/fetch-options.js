// @ts-check
// The options of a fetch: those of every operation, and its own.

import { GO_RETRYABLE_HTTP, TRANSIENT, TRANSIENT_IN_BROWSERS } from './http.js';
import { readOnly, readOptions, settingsOf } from './options.js';
import { isPreset, presetRule, presets } from './presets.js';
import { FUNCTION, RULES, SWITCH, errorOf, failure, isFunction, problemOf, unknown } from './rules.js';

/** What `fetch` has beside the options of every operation, and what each must be. */
const FETCH_RULES = /** @type {Record<string, readonly [types: string, rule: string, allows: (value: any, ...rest: any) => boolean]>} */ ({
  preset: presetRule(),
  retryOn: ['', 'a list of statuses between 100 and 999, or a function', (value) => isFunction(value) || (Array.isArray(value) && value.every(isStatus))],
  methods: ['', 'a list of method names', (value) => Array.isArray(value) && value.every(isMethod)],
  idempotencyKey: ['string', "'auto', another string of visible ASCII characters, or a function that maps the request to one", (value) => isFunction(value) || isKey(value)],
  respectRetryAfter: SWITCH,
  throwOnStatus: SWITCH,
  prepare: FUNCTION,
});

/** What judges an outcome here is told more than an error or a result. */
const REPLACED = ['retryIf', 'retryOnResult'];

/** Options that were read and checked. */
export class FetchSettings {
  /**
   * @param {Record<string, any>} given what they were read from, for options of a call to be merged over
   * @param {import('./options.js').Settings} engine
   */
  constructor(given, engine) {
    this.given = given;
    this.engine = engine;
    this.statusRule = given.preset === 'goRetryableHttp' ? GO_RETRYABLE_HTTP : TRANSIENT;
    /** @type {number[] | ((context: object) => unknown) | undefined} */
    this.retryOn = given.retryOn;
    /** @type {string[] | undefined} in capitals */
    this.methods = given.methods?.map((/** @type {string} */ method) => method.toUpperCase());
    /** @type {string | ((request: Request) => unknown) | undefined} */
    this.idempotencyKey = given.idempotencyKey;
    this.respectRetryAfter = given.respectRetryAfter !== false;
    this.throwOnStatus = given.throwOnStatus === true;
    /** @type {((request: Request, attempt: import('./attempt.js').Attempt) => unknown) | undefined} */
    this.prepare = given.prepare;
  }

  /** The rule for statuses where the code runs. */
  get rule() {
    return this.statusRule === TRANSIENT && inBrowser() ? TRANSIENT_IN_BROWSERS : this.statusRule;
  }
}

/**
 * Reads each own option once and throws one error that lists every problem.
 * @param {any} options
 * @param {() => import('./decision.js').Core} load
 * @param {FetchSettings} [base] whose options those of a call take the place of
 */
export function readFetchOptions(options, load, base) {
  const given = Object.assign(Object.create(null), base?.given, copyLists(readOnly(options)));
  const names = [...Object.keys(FETCH_RULES), ...Object.keys(RULES).filter((name) => !REPLACED.includes(name))];
  /** @type {Error[]} */
  const problems = [];
  const common = Object.create(null);
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (Object.hasOwn(FETCH_RULES, name)) {
      if (!FETCH_RULES[name][2](value)) problems.push(problemOf(name, value, FETCH_RULES[name]));
    } else if (REPLACED.includes(name)) {
      problems.push(failure(TypeError, `${name} is not supported by fetch; use retryOn, which receives the response or the error`));
    } else if (Object.hasOwn(RULES, name)) {
      common[name] = value;
    } else {
      problems.push(unknown(name, names));
    }
  }
  const preset = isPreset(given.preset) ? presets()[given.preset] : undefined;
  let engine;
  try {
    engine = readOptions({ ...preset?.options, ...common }, settingsOf(load, { capRule: preset?.capRule ?? 0 })());
  } catch (error) {
    problems.push(/** @type {Error} */ (error));
  }
  if (engine === undefined || problems.length > 0) throw errorOf(problems);
  engine.counter = { next: 0 };
  return new FetchSettings(given, engine);
}

/**
 * Copies the lists: what the caller does with them later changes nothing.
 * @param {Record<string, any>} given
 */
function copyLists(given) {
  for (const name of ['retryOn', 'methods']) {
    if (Array.isArray(given[name])) given[name] = Array.from(given[name]);
  }
  return given;
}

/** @param {any} status */
function isStatus(status) {
  return Number.isInteger(status) && status >= 100 && status <= 999;
}

/** @param {unknown} method */
function isMethod(method) {
  return typeof method === 'string' && /^[!#$%&'*+.^_`|~\w-]+$/.test(method);
}

/** Whether this can be the value of a header, without quotes or changes. @param {unknown} value */
export function isKey(value) {
  return typeof value === 'string' && /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(value);
}

/** Browsers resend a request themselves when the status is 408. jsdom and Electron's Node do not. */
function inBrowser() {
  const { navigator, process } = /** @type {any} */ (globalThis);
  return /^Mozilla\//.test(navigator?.userAgent ?? '') && process?.versions?.node === undefined;
}
