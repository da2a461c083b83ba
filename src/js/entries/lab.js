import { RetryPolicy } from './index.js';
import { link } from '../wasm/lab-inline.js';
import { createLab } from '../lab/index.js';

export { peakOf, timeToServeMs } from '../lab/outage-result.js';

export const {
  cdf,
  density,
  explain,
  plan,
  quantiles,
  sample,
  simulateContention,
  simulateHedging,
  simulateLoad,
  simulateOutage,
  simulateRateLimit,
} = /* @__PURE__ */ createLab(RetryPolicy, link);
