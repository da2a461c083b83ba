// `fetch` over the loop of rejitter/light: which requests may be sent again, which responses are failures, and how long
// servers ask to wait. The rules are those of rejitter/fetch, but that this knows no failures that stay.

import { mayBeOfNetwork } from '../failures/network.js';
import { WAITS_MS } from '../failures/retry-after.js';
import { isTransientStatus } from '../failures/transient.js';
import { isReplayable, isRequest } from '../fetch/body.js';
import { isIdempotent } from '../fetch/http.js';
import { keepAbortable } from '../fetch/response.js';
import { retry } from './index.js';
import { Attempt } from './limits.js';
import { COMMON, FUNCTION, LIMIT, check, settingsOf } from './options.js';
import { hintedWait } from './waits.js';

/** @type {Record<string, import('./options.js').Rule>} */
const FETCH_RULES = {
  // Nothing is found on Object.prototype.
  __proto__: /** @type {any} */ (null),
  ...COMMON,
  maxRetryAfterMs: LIMIT,
};

/** Each fetch of ours, with what it was made over: apps assign `globalThis.fetch = createFetch()`. */
const ours = new WeakMap();

/** The global fetch of the moment, so that mocks work; never one of ours. */
const hostFetch = () => ours.get(globalThis.fetch) ?? globalThis.fetch;

/** @param {unknown} [options] @param {any} [inner] sends the requests */
export function createFetch(options, inner) {
  if (inner !== undefined) check('fetch', inner, FUNCTION);
  const { maxRetryAfterMs, ...settings } = settingsOf(options, FETCH_RULES);
  const timed = Math.min(settings.attemptTimeoutMs, settings.totalTimeoutMs) < Infinity;
  const kept = inner ?? hostFetch();
  let isKept = !!inner;
  const fetch = async (/** @type {any} */ input, /** @type {any} */ init) => {
    const request = isRequest(input) ? input : undefined;
    const of = (/** @type {string} */ name) => init?.[name] ?? request?.[name];
    const { signal = request?.signal, body, headers } = init ?? { __proto__: null };
    // An iterator can be read only once.
    if (typeof headers?.next === 'function') init = { ...init, headers: [...headers] };
    const method = `${of('method') ?? 'GET'}`.toUpperCase();
    const mayRepeat =
      isReplayable(body) &&
      (isIdempotent(method) || (of('mode') !== 'no-cors' && !!new Headers(of('headers')).get('idempotency-key')));
    // Any member next to a Request resets these.
    const referring = request &&
      !Object.keys({ ...init })[0] && { referrer: request.referrer, referrerPolicy: request.referrerPolicy };
    /**
     * The response that the caller gets if no other attempt is made. Before it an object that no error can be, and that
     * inherits no body to be cancelled. @type {any}
     */
    let held = { __proto__: null };
    /** The last attempt, if the request has its signal. @type {any} */
    let last;

    const send = async (/** @type {Attempt} */ attempt) => {
      cancelBody(held);
      held = { __proto__: null };
      // The last attempt, which may be the first, sends the caller's own request: nothing keeps a copy of its body. So
      // do all of a method that has none: Firefox shows no body, and in WebKitGTK who looks at a form loses its files.
      // A copy gets a signal of its own: Node forgets with the next garbage that it follows that of its original.
      const copied =
        mayRepeat && !body && request && !/^(GET|HEAD)$/.test(method) && attempt.attempt < settings.maxAttempts;
      // Without a signal, React answers a GET from memory. Browsers take no second argument next to a navigation.
      const given = timed || copied || (!signal && attempt.attempt > 1);
      last = given && request?.mode !== 'navigate' ? attempt : undefined;
      const own = last?.signal;
      const sender = senderOf();
      // jsdom has no fetch.
      check('fetch', sender, FUNCTION);
      const response = await sender(
        copied ? request.clone() : input,
        own ? { ...referring, ...init, signal: own } : init,
      );
      if (own?.aborted) cancelBody(response);
      else if (mayRepeat && isCurable(response)) throw (held = response);
      return response;
    };
    const retryIf = (/** @type {any} */ error, /** @type {Attempt} */ { attempt }) => {
      if (error !== held) return mayRepeat && mayBeOfNetwork(error);
      const ms = hintOf(error);
      return ms > maxRetryAfterMs ? false : ms > 0 ? { afterMs: hintedWait(settings, attempt, ms) } : true;
    };
    const response = await retry(send, { ...settings, signal: signal ?? undefined, retryIf }).catch((error) => {
      if (error === held) return held;
      cancelBody(held);
      throw error;
    });
    if (signal && (last || request))
      keepAbortable(response, { abort: (reason) => Attempt.abort(last, reason), request }, last ? [signal] : []);
    return response;
  };
  // A fetch that was laid over the global one calls that. Once ours is, or was, the global one, it calls what was there
  // before: two that call each other would never end.
  const senderOf = () => ((isKept ||= globalThis.fetch === fetch) ? kept : hostFetch());
  ours.set(fetch, kept);
  Promise.resolve().then(senderOf);
  return fetch;
}

/** @param {any} input @param {any} [init] */
export async function fetchWithRetry(input, init) {
  const { retry: options, ...rest } = { retry: undefined, ...init };
  return createFetch(options)(input, rest);
}

/** Returns whether another attempt may bring another response. @param {any} response a mock may answer with anything */
function isCurable(response) {
  const status = response?.status;
  if (!(status >= 300)) return false;
  const asked = header(response, 'x-should-retry') || header(response, 'stripe-should-retry');
  return (
    asked === 'true' ||
    (asked !== 'false' && (isTransientStatus(status) || (/^4[01]3$/.test(status) && hintOf(response) > 0)))
  );
}

/** Returns how long a response asks to wait, in ms; 0, less or NaN for not at all. @param {any} response */
function hintOf(response) {
  const longest = Math.max(...WAITS_MS.map((name) => header(response, name)).filter((ms) => DECIMAL.test(ms)));
  if (longest > 0) return longest;
  const text = header(response, 'retry-after');
  return DECIMAL.test(text) ? text * 1000 : fixdateOf(text) - (fixdateOf(header(response, 'date')) || Date.now());
}

const DECIMAL = /^\d+(\.\d+)?$/;

/** @param {any} response @param {string} name @returns {any} */
const header = ({ headers }, name) => `${headers?.get?.(name) ?? ''}`;

/**
 * Reads an IMF-fixdate, the one form that servers may send (RFC 9110, 5.6.7). Engines read almost any text as a date,
 * but all print them in this form. The weekday need not be right.
 * @param {string} text
 */
function fixdateOf(text) {
  const ms = Date.parse(text);
  return new Date(ms).toUTCString().slice(3) === text.slice(3) ? ms : NaN;
}

/** Frees the connection of a response that nobody reads. @param {any} response */
function cancelBody(response) {
  response?.body?.cancel?.()?.catch?.(Boolean);
}
