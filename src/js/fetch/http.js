// The rules of HTTP that retries need: methods, statuses, failures of the network, and the headers that ask for
// a wait. core/http of the crate has the same rules for methods, statuses and headers for Rust programs; tests hold the
// two to one table.

import { MAX_MS } from '../options/codes.js';
import { HOPELESS, NETWORK, UNPROCESSED, failureClass, highestClass } from '../failures/classes.js';
import { headerOf } from '../failures/status.js';
import { WAITS_MS, isTransientStatus } from '../failures/transient.js';

/** Returns whether a method, in upper case, is idempotent (RFC 9110, 9.2.2, and QUERY). @param {string} method */
export function isIdempotent(method) {
  return /^(GET|HEAD|OPTIONS|TRACE|QUERY|PUT|DELETE)$/.test(method);
}

/** Returns whether a method only asks (RFC 9110, 9.2.1, and QUERY). @param {string} method in upper case */
export function isSafe(method) {
  return isIdempotent(method) && !/^(PUT|DELETE)$/.test(method);
}

/** Returns whether fetch retries a status. @param {number} status */
export function isTransient(status) {
  if (status !== 408) return isTransientStatus(status);
  // Browsers resend a request themselves then. jsdom and Electron's Node do not.
  const { navigator, process } = /** @type {any} */ (globalThis);
  return !/^Mozilla\//.test(navigator?.userAgent ?? '') || process?.versions?.node !== undefined;
}

/** Codes of failures before the first byte. The last two are Bun's. */
const UNPROCESSED_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_.*|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;
/** Messages of Node (the server hung up in the TLS handshake), Bun, Deno and Safari up to 16. */
const UNPROCESSED_TEXTS =
  /disconnected before secure TLS|Unable to connect\. Is the computer|a typo in the url or port|tcp connect error|dns error|Could not connect to the server\.|A server with the specified hostname/;

/**
 * Classifies what a fetch failed with, by the error and its causes: `isOwn` tells those of the request's own
 * connection. `fetch` rejects with a TypeError for every failure of the network, but a mistake of the caller's is a
 * TypeError, too.
 * @type {(error: any, isOwn: (error: any) => boolean) => number}
 */
export function failureOf(error, isOwn) {
  return highestClass(error, (each) => {
    const { code, syscall, name, message } = each;
    const known = failureClass(each, `${code} ${name}: ${message}`);
    // These calls come before the first byte of a request.
    const early =
      known < HOPELESS &&
      (UNPROCESSED_CODES.test(code) || /^(connect|getaddrinfo)$/.test(syscall) || UNPROCESSED_TEXTS.test(message));
    return early ? (isOwn(each) ? UNPROCESSED : NETWORK) : known;
  });
}

/**
 * Returns whether an error is about a connection to this address, of a `fixed` request, which cannot be redirected, or
 * of another one. A redirect, a proxy or a body's own source fail with the same codes.
 * @type {(error: any, url: URL, fixed: boolean) => boolean}
 */
export function isAt(error, url, fixed) {
  // undici names the address of a connection that timed out in the message alone.
  const [, name = error.hostname ?? error.host, port = error.port] =
    /\(attempted address: (.*):(\d+),/.exec(error.message) ?? [];
  const { address } = error;
  const own = url.hostname.replace(/^\[|\]$/g, '');
  if (port !== undefined && `${port}` !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  if (name !== undefined) return name === own;
  // The address of a socket says nothing about a name; but without redirects there is only one host.
  return fixed || address === own || (own === 'localhost' && /^(127\.|::1$)/.test(address));
}

/**
 * Returns the wait that a response asks for, in ms, or undefined if it asks for none: the longest of the headers in
 * ms, else `Retry-After`. A time that has passed is 0.
 * @param {any} source a response, its headers, or the value of `Retry-After`
 * @returns {number | undefined}
 */
export function retryAfterMs(source) {
  const headers = typeof source?.get === 'function' ? source : (source?.headers ?? source);
  const decimal = /^[ \t]*(\d+)(\.\d+)?[ \t]*$/;
  let ms;
  for (const name of WAITS_MS) {
    const text = headerOf(headers, name);
    if (decimal.test(text)) ms = Math.min(Math.max(Number(text), ms ?? 0), MAX_MS);
  }
  if (ms !== undefined && ms > 0) return ms;
  const text = typeof source === 'string' ? source : headerOf(headers, 'retry-after');
  const [, digits, fraction] = decimal.exec(text) ?? [];
  const number = Number(text);
  // Ten digits of seconds would be more than thirty years: they are a time. Thirteen are a time in ms.
  if (digits?.length < 10) return number * 1000;
  const now = serverTime(headerOf(headers, 'date'));
  const at = digits === undefined || fraction ? dateOf(text, now) : digits.length < 13 ? number * 1000 : number;
  return Number.isNaN(at) ? ms : Math.min(Math.max(at - now, 0), MAX_MS);
}

/** Returns the time by the server's clock, or by this one if the response has no valid `Date`. @param {string} date */
export function serverTime(date) {
  const now = Date.now();
  const server = dateOf(date, now);
  return Number.isNaN(server) ? now : server;
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const DAY = '(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)';
const TIME = ' (([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)) ';

/**
 * Reads an HTTP date (RFC 9110, 5.6.7) to the letter: IMF-fixdate, RFC 850 or asctime. Engines differ in what
 * `Date.parse` makes of them. The weekday must be one, but need not be right. No year of two digits is more than 50
 * years ahead of `now`. Returns Unix ms, NaN for no date.
 * @type {(text: string, now: number) => number}
 */
export function dateOf(text, now) {
  /** @param {string} form */
  const read = (form) => new RegExp(`^[ \\t]*${form}[ \\t]*$`).exec(text);
  // asctime has another order: there, the day and the year are looked up ahead.
  const [, day, month, digits, time] =
    read(`${DAY}, (\\d\\d) (\\w{3}) (\\d{4})${TIME}GMT`) ??
    read(`(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, (\\d\\d)-(\\w{3})-(\\d\\d)${TIME}GMT`) ??
    read(`${DAY} (?=.{4}([ \\d]\\d))(\\w{3}) ..(?=.{10}(\\d{4}))${TIME}\\d{4}`) ??
    [];
  if (day === undefined) return NaN;
  const index = MONTHS.indexOf(month) / 3;
  const [hour, minute, second] = time.split(':').map(Number);
  const date = new Date(0);
  // A leap second is the next minute's first.
  const at = (/** @type {number} */ year) =>
    date.setUTCFullYear(year, index, Number(day)) + ((hour * 60 + minute) * 60 + second) * 1000;
  let year = Number(digits);
  if (digits.length === 2) while (at(year + 50) <= now) year += 100;
  const ms = at(year);
  return Number.isInteger(index) && date.getUTCDate() === Number(day) ? ms : NaN;
}
