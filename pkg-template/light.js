import { delayMsOf, retryOf } from './lib/light/index.js';
// Behind the loop: compression then takes less for both.
import { load } from './lib/core-light.js';

export const delayMs = /* @__PURE__ */ delayMsOf(load);
export const retry = /* @__PURE__ */ retryOf(load);
