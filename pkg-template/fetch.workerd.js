// workerd (Cloudflare Workers) forbids compiling bytes; it imports wasm files as compiled modules.
import core from './core.wasm';
import http from './http.wasm';
import { createFetchApi } from './lib/fetch.js';
import { loaderOf } from './lib/from-module.js';

export { HttpStatusError } from './lib/fetch-error.js';

export const { createFetch, fetchWithRetry } = /* @__PURE__ */ createFetchApi(
  /* @__PURE__ */ loaderOf(core),
  /* @__PURE__ */ loaderOf(http),
);
