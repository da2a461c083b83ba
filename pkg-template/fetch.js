import { load } from './lib/core-inline.js';
import { createFetchApi } from './lib/fetch.js';
import { loadHttp } from './lib/http-inline.js';

export { HttpStatusError } from './lib/fetch-error.js';

export const { createFetch, fetchWithRetry } = /* @__PURE__ */ createFetchApi(load, loadHttp);
