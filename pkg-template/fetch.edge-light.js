// Vercel's edge runtime forbids compiling bytes; with ?module it imports compiled modules.
import core from './core.wasm?module';
import http from './http.wasm?module';
import { createFetchApi } from './lib/fetch.js';
import { loaderOf } from './lib/from-module.js';

export { HttpStatusError } from './lib/fetch-error.js';

export const { createFetch, fetchWithRetry } = /* @__PURE__ */ createFetchApi(
  /* @__PURE__ */ loaderOf(core),
  /* @__PURE__ */ loaderOf(http),
);
