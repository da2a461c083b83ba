// The HTTP status and the headers of an error or of a result, wherever clients of HTTP put them.

import { isReference } from '../options/checks.js';
import { DEEPEST } from '../options/codes.js';
import { UNANSWERED } from './words.js';

/**
 * Returns the status of an error or a result: a whole number between 100 and 599, or undefined. An error without the
 * response that an answer leaves may have a status that its client made up: Octokit puts 500 on all of them.
 * There, its name, its code and its causes say more.
 * @type {(value: any, isError?: boolean) => number | undefined}
 */
export function statusOf(value, isError = true) {
  // Results may be anything.
  if (!isReference(value)) return undefined;
  try {
    const { response, $metadata } = value;
    const status =
      value.status ?? value.statusCode ?? response?.status ?? response?.statusCode ?? $metadata?.httpStatusCode;
    if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
    for (let each = isError && value, left = DEEPEST; each && left--; each = each.cause) {
      if (each.response || each.$metadata) break;
      if (UNANSWERED.test(`${each.name}\n${each.code}`)) return undefined;
    }
    return status;
  } catch {
    // It throws when it is read.
    return undefined;
  }
}

/**
 * Returns a header's value, '' for none. Some functions that take fetch's place answer without headers, others
 * with an object of them.
 * @type {(headers: any, name: string) => string}
 */
export function headerOf(headers, name) {
  try {
    const value =
      typeof headers?.get === 'function' ? headers.get(name) : Object.hasOwn(headers ?? '', name) && headers[name];
    // The metadata of gRPC has lists.
    const text = Array.isArray(value) ? value.join() : value;
    return typeof text === 'string' ? text : '';
  } catch {
    // Headers of a stand-in may throw when they are read.
    return '';
  }
}
