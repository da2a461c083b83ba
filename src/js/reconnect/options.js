// Options of a connection: those of an operation that make sense here, and its own.

import { isFunction } from '../options/checks.js';
import { HOOK, LIMIT, LONGEST } from '../options/rules.js';
import { RULES } from '../options/table.js';
import { readOptions } from '../options/settings.js';
import { onPageEvents } from './page.js';

/** @import { Settings } from '../options/settings.js' */
/** @typedef {import('../../../pkg-template/reconnect.js').ReconnectOptions} Options */
/** @typedef {Required<Pick<Options, 'connectTimeoutMs' | 'stableMs' | 'wakeOn'>>} Own */
/** @typedef {Settings & Pick<Options, 'onOpen' | 'retryIf'> & Own} ReconnectSettings */

/** The name of the remedy. */
const NONE = 'notOfConnections';

/**
 * Options of operations, and the remedy for those that are not taken; and options of connections. Called with a
 * comment: bundlers take a copy by spread for one that may have effects.
 * @returns {import('../options/reader.js').Rules}
 */
const connectionRules = () => ({
  ...RULES,
  connectTimeoutMs: LIMIT,
  stableMs: LONGEST,
  wakeOn: ['', (/** @type {unknown} */ value) => value === false || isFunction(value)],
  onOpen: HOOK,
  attemptTimeoutMs: 'useConnectTimeoutMs',
  idleTimeoutMs: 'useSilenceMs',
  beforeRetry: 'useRetryIf',
  onSuccess: 'useOnOpen',
  ...{ hint: NONE, totalTimeoutMs: NONE, longRetryAfter: NONE, metrics: NONE },
  ...{ retryOnResult: NONE, finalResult: NONE, finalError: NONE },
});
const CONNECTION_RULES = /* @__PURE__ */ connectionRules();

const CAP_MS = 30_000;

/** The settings that differ from those of an operation. */
export const DEFAULTS = {
  maxAttempts: Infinity,
  maxRetryAfterMs: 3_600_000,
  longRetryAfter: 'cap',
  connectTimeoutMs: 10_000,
  wakeOn: onPageEvents,
};

/** @param {any} options @param {Settings} settings @returns {ReconnectSettings} */
export function readConnectionOptions(options = {}, settings) {
  /** @type {any} */
  const read = readOptions(options, settings, CONNECTION_RULES, setWaits);
  read.stableMs ??= (read.capMs < Infinity ? read.capMs : CAP_MS) / 2;
  return read;
}

/** Sets the bounds of waits that are unset, so that each may be given alone. @param {any} settings */
function setWaits(settings) {
  const { baseMs, capMs, curve } = settings;
  // No default cuts the caller's own backoff.
  if (!(capMs >= 0) && curve === undefined) settings.capMs = baseMs > CAP_MS ? baseMs : CAP_MS;
  // The first wait as RFC 6455 has it.
  if (!(baseMs >= 0)) settings.baseMs = capMs < 5_000 ? capMs : 5_000;
}
