// The headers by which servers ask for a wait. core/http of the crate has the same grammar; tests hold the two to one
// table.

import { MAX_MS } from '../options/codes.js';
import { headerOf } from './status.js';

/** Headers that ask for a wait in ms. Azure sends the second, AWS the third. */
export const WAITS_MS = ['retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after'];

/**
 * Returns the wait that a response asks for, in ms, or undefined if it asks for none: the longest of the headers in
 * ms, else `Retry-After`. A time that has passed is 0.
 * @param {any} source a response, its headers, or the value of `Retry-After`
 * @returns {number | undefined}
 */
export function retryAfterMs(source) {
  const headers = typeof source?.get === 'function' ? source : (source?.headers ?? source);
  const decimal = /^[ \t]*(\d+)(\.\d+)?[ \t]*$/;
  const asked = WAITS_MS.map((name) => headerOf(headers, name)).filter((text) => decimal.test(text));
  // -Infinity for none.
  let ms = Math.max(...asked.map(Number));
  const text = typeof source === 'string' ? source : headerOf(headers, 'retry-after');
  if (ms <= 0 && text !== '') {
    const [, digits = '', fraction] = decimal.exec(text) ?? [];
    const number = Number(text) * (digits.length < 13 ? 1000 : 1);
    // Ten digits of seconds would be more than thirty years: they are a time. Thirteen are a time in ms.
    if (digits && digits.length < 10) return number;
    const now = serverTime(headerOf(headers, 'date'));
    const at = digits && !fraction ? number : dateOf(text, now);
    if (!Number.isNaN(at)) ms = Math.max(at - now, 0);
  }
  return ms >= 0 ? Math.min(ms, MAX_MS) : undefined;
}

/** Returns the time by the server's clock, or by this one if the response has no valid `Date`. @param {string} date */
export function serverTime(date) {
  const now = Date.now();
  const server = dateOf(date, now);
  return Number.isNaN(server) ? now : server;
}

/**
 * Reads an HTTP date (RFC 9110, 5.6.7) to the letter: IMF-fixdate, RFC 850 or asctime. Engines differ in what
 * `Date.parse` makes of them. The weekday must be one, but need not be right. No year of two digits is more than 50
 * years ahead of `now`. Returns Unix ms, NaN for no date.
 * @type {(text: string, now: number) => number}
 */
export function dateOf(text, now) {
  // Most responses have no such header, and the patterns are made at each use.
  if (text === '') return NaN;
  const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';
  const weekday = '(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)';
  const time = ' (([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)) ';
  /** @param {string} form */
  const read = (form) => new RegExp(`^[ \\t]*${form}[ \\t]*$`).exec(text);
  // asctime has another order: there, the day and the year are looked up ahead.
  const [, day, month, digits, clock] =
    read(`${weekday}, (\\d\\d) (...) (\\d{4})${time}GMT`) ??
    read(`(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, (\\d\\d)-(...)-(\\d\\d)${time}GMT`) ??
    read(`${weekday} (?=.{4}([ \\d]\\d))(...) ..(?=.{10}(\\d{4}))${time}\\d{4}`) ??
    [];
  const index = months.indexOf(month) / 3;
  if (!Number.isInteger(index)) return NaN;
  const date = new Date(0);
  // A leap second is the next minute's first.
  const clockMs = new Date(0).setUTCHours(.../** @type {[any]} */ (clock.split(':')));
  const at = (/** @type {number} */ year) => date.setUTCFullYear(year, index, Number(day)) + clockMs;
  let year = Number(digits);
  if (digits.length === 2) while (at(year + 50) <= now) year += 100;
  const ms = at(year);
  return date.getUTCDate() === Number(day) ? ms : NaN;
}
