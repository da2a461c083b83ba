// `fetch`, retried: the public functions over whatever loads the core.

import { isFunction } from '../options/checks.js';
import { problemOf } from '../options/messages.js';
import { FUNCTION } from '../options/rules.js';
import { hide } from '../run/report.js';
import { outermost, placeOf } from './inner.js';
import { FetchCall } from './call.js';
import { readCallOptions, readFetchOptions } from './options.js';
import { cancelBody } from './response.js';

/** @param {import('../options/settings.js').Load} load */
export function createFetchOf(load) {
  /** @param {any} [options] or a RetryPolicy @param {any} [inner] sends requests; defaults to the global fetch */
  return function createFetch(options, inner) {
    if (isFunction(options)) throw problemOf('options', options, ['', 'secondArgument']);
    if (inner !== undefined && !isFunction(inner)) throw problemOf('fetch', inner, FUNCTION);
    const reading = readFetchOptions(options, load);
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
  };
}

/** @param {() => any} createFetch */
export function fetchWithRetryOf(createFetch) {
  const fetchWithRetry = createFetch();
  hide(fetchWithRetry, 'name', 'fetchWithRetry');
  return fetchWithRetry;
}
