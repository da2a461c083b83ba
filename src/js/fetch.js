// @ts-check
// `fetch`, retried: the public functions over whatever loads the core.

import { FetchOperation } from './fetch-operation.js';
import { readFetchOptions } from './fetch-options.js';
import { createHttp } from './http.js';
import { problemOf } from './rules.js';

/**
 * @param {() => import('./decision.js').Core} load
 * @param {() => any} loadHttp
 */
export function createFetchApi(load, loadHttp) {
  const http = createHttp(loadHttp);

  /**
   * @param {any} [options]
   * @param {any} [inner] what sends the requests; without, `globalThis.fetch` of the moment
   */
  function createFetch(options, inner) {
    if (inner !== undefined && typeof inner !== 'function') throw problemOf('fetch', inner, ['', 'a function like fetch']);
    const settings = readFetchOptions(options, load);
    /**
     * @param {any} input
     * @param {any} [init]
     * @returns {Promise<any>}
     */
    return async function fetch(input, init) {
      const own = init !== null && typeof init === 'object' && Object.hasOwn(init, 'retry') ? init.retry : undefined;
      const merged = own === undefined ? settings : readFetchOptions(own, load, settings);
      // Draws from the same seed: this call, too, is one more operation.
      if (merged !== settings && merged.given.seed === settings.given.seed) merged.engine.counter = settings.engine.counter;
      return new FetchOperation(merged, http, inner, input, init).run();
    };
  }

  return { createFetch, fetchWithRetry: createFetch() };
}
