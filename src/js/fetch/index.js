// `fetch`, retried: the public functions.

import { isFunction } from '../options/checks.js';
import { problemOf } from '../options/messages.js';
import { FUNCTION } from '../options/rules.js';
import { hide } from '../run/report.js';
import { outermost, placeOf } from './inner.js';
import { FetchCall } from './call.js';
import { readCallOptions, readFetchOptions } from './options.js';
import { cancelBody } from './response.js';

/** @param {any} [options] or a RetryPolicy @param {any} [inner] sends requests; defaults to the global fetch */
export function createFetch(options, inner) {
  if (isFunction(options)) throw problemOf('options', options, ['', 'secondArgument']);
  if (inner !== undefined && !isFunction(inner)) throw problemOf('fetch', inner, FUNCTION);
  const reading = readFetchOptions(options);
  const fetch = (/** @type {any} */ input, /** @type {any[]} */ ...rest) => {
    const from = outermost(place, input);
    const { kept } = place;
    if (from === undefined) return (async () => /** @type {Function} */ (kept)(input, ...rest))();
    const [init, ...further] = rest;
    try {
      return new FetchCall(readCallOptions(init, reading), from, input, init, further).run();
    } catch (error) {
      // Nothing was sent: a stream's source would stay open.
      cancelBody(init, error);
      return Promise.reject(error);
    }
  };
  const place = placeOf(fetch, inner);
  return fetch;
}

export const fetchWithRetry = /* @__PURE__ */ named('fetchWithRetry');

/** @param {string} name */
function named(name) {
  const fetch = createFetch();
  hide(fetch, 'name', name);
  return fetch;
}
