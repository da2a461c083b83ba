// Options of a fetch: those of every operation, and its own.

import { POLICY, behindOf } from '../marks.js';
import { isCount, isFunction, isObject, isText, isWithin } from '../options/checks.js';
import { leftOut, mistake } from '../options/messages.js';
import { ownOf } from '../options/reader.js';
import { FUNCTION, SWITCH } from '../options/rules.js';
import { RULES } from '../options/table.js';
import { inheriting, readOptions, readOverrides, settingsOf } from '../options/settings.js';
import { warnOnce } from '../options/warnings.js';

/** @typedef {import('../options/reader.js').Rules} Rules */

/** The reason why silence has no limit here. */
const NO_BODY = 'noBody';

/**
 * Options of every operation, and those that only `fetch` has. Called with a comment, as below: bundlers take a copy by
 * spread for one that may have effects, and would keep these tables in an app that has the headers alone.
 * @returns {Rules}
 */
const rulesOfFetch = () => ({
  ...RULES,
  idleTimeoutMs: NO_BODY,
  retryOn: [
    '',
    (value) => {
      if (!Array.isArray(value)) return isFunction(value);
      const retryOn = Array.from(value);
      return retryOn.every((each) => isCount(each) && isWithin(each, 100, 999)) && { retryOn };
    },
  ],
  methods: [
    '',
    (value) => Array.isArray(value) && value.every(isToken) && { methods: value.map((method) => method.toUpperCase()) },
  ],
  idempotencyKey: ['string', (value) => isFunction(value) || isKey(value)],
  idempotencyHeader: ['string', isToken],
  respectRetryAfter: SWITCH,
  throwOnStatus: SWITCH,
  prepare: FUNCTION,
  protectionKey: FUNCTION,
});
const FETCH_RULES = /* @__PURE__ */ rulesOfFetch();

/**
 * The same, and options of other operations and packages that have no meaning here, each with the remedy's name.
 * @returns {Rules}
 */
const allRules = () => ({
  ...FETCH_RULES,
  retryIf: 'classify',
  retryOnResult: 'classify',
  shouldRetry: 'classify',
  statusCodes: 'useRetryOn',
  retryStatusCodes: 'useRetryOn',
  finalResult: 'useThrowOnStatus',
  throwHttpErrors: 'useThrowOnStatus',
  fetch: 'useFetch',
  metrics: 'useMetrics',
});
const ALL_RULES = /* @__PURE__ */ allRules();

/** Defaults of the options that only `fetch` has. */
const DEFAULTS = { idempotencyHeader: 'Idempotency-Key', respectRetryAfter: true };

/**
 * Settings of every operation, and those that only `fetch` has; methods are in upper case.
 * @typedef {import('../../../pkg-template/fetch.js').CallOptions} Options
 * @typedef {import('../options/settings.js').Settings} Settings
 * @typedef {Settings & Omit<Options, keyof Settings> & { idempotencyHeader: string }} FetchSettings
 */

/**
 * The settings of a function that createFetch made, or of one call of it, and what all operations share. A call that
 * has a seed of its own is that seed's first operation.
 * @typedef {object} Reading
 * @property {FetchSettings} settings
 * @property {import('../options/settings.js').Behind<any>} shared
 * @property {boolean} [ownSeed]
 */

const newSettings = /* @__PURE__ */ settingsOf(DEFAULTS);

/** @param {any} options or a RetryPolicy @returns {Reading} */
export function readFetchOptions(options) {
  const shared = behindOf(options);
  if (shared !== undefined) {
    const { finalResult, idleTimeoutMs } = shared.settings;
    if (finalResult === 'reject') throw leftOut('finalResult', finalResult, 'useThrowOnStatus');
    if (idleTimeoutMs) throw leftOut('idleTimeoutMs', idleTimeoutMs, NO_BODY);
    return { settings: inheriting(shared.settings, DEFAULTS), shared };
  }
  const settings = /** @type {FetchSettings} */ (readOptions(options, newSettings(), ALL_RULES, requireManyKeys));
  return { settings, shared: { settings, operations: 0, metrics: undefined } };
}

/**
 * Reads the options of a call, which are in `init.retry`. A `retry` that is not an object, or that has none of our
 * names, belongs to another package: ofetch, up-fetch and better-fetch pass their own option on.
 * @type {(init: any, base: Reading) => Reading}
 */
export function readCallOptions(init, base) {
  if (!isObject(init) || !Object.hasOwn(init, 'retry')) return base;
  const { retry } = init;
  if (!isObject(retry)) return base;
  const given = ownOf(retry);
  const names = Reflect.ownKeys(given);
  const isOurs = (/** @type {PropertyKey} */ name) => name === POLICY || Object.hasOwn(FETCH_RULES, name);
  if (names.length > 0 && !names.some(isOurs)) {
    passOver('retry');
    return base;
  }
  const settings = /** @type {FetchSettings} */ (readOverrides(given, base.settings, ALL_RULES));
  const { seed } = settings;
  return { settings, shared: base.shared, ownSeed: !!seed && `${seed}` !== `${base.settings.seed}` };
}

/** @param {any} settings @param {Error[]} problems */
function requireManyKeys({ idempotencyKey }, problems) {
  if (!isText(idempotencyKey) || idempotencyKey === 'auto') return;
  problems.push(mistake('idempotencyKey', 'manyKeys'));
}

/**
 * Returns whether the member of an init can only be an option that stands in the wrong place. Short names and
 * hooks may belong to another package's wrapper, as `retries` of fetch-retry, which passes it on.
 * @param {string} name
 */
export function isMisplaced(name) {
  if (name !== 'retryOn') return /^(?!on)[a-z]+[A-Z]/.test(name) && Object.hasOwn(FETCH_RULES, name);
  // fetch-retry passes this one on, too.
  passOver(name);
  return false;
}

/** Says, once per process, that a member of an init is not read. @param {string} name */
function passOver(name) {
  warnOnce(name, `rejitter: init.${name} is ignored, as an option of another package`);
}

/** Returns whether this is a token of HTTP: a method or the name of a header. @param {unknown} name */
function isToken(name) {
  return isText(name) && /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
}

/** Returns whether this can be the value of a header, without quotes or changes. @param {unknown} value */
export function isKey(value) {
  return isText(value) && /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(value);
}
