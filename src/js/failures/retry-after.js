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
  let ms;
  for (const name of WAITS_MS) {
    const text = headerOf(headers, name);
    if (decimal.test(text)) ms = Math.min(Math.max(Number(text), ms ?? 0), MAX_MS);
  }
  if (ms !== undefined && ms > 0) return ms;
  const text = typeof source === 'string' ? source : headerOf(headers, 'retry-after');
  if (text === '') return ms;
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
  // Most responses have no such header, and the patterns are made at each use.
  if (text === '') return NaN;
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
