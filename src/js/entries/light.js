// @ts-check
import { delayMsOf, retryOf } from '../light/index.js';
// Behind the loop: compression then takes less for both.
import { load } from '../wasm/core-light.js';

export const delayMs = /* @__PURE__ */ delayMsOf(load);
export const retry = /* @__PURE__ */ retryOf(load);
