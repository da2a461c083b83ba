import { RetryPolicy } from './index.js';
import { link } from './lib/lab-inline.js';
import { createLab } from './lib/lab/index.js';

export { peakOf, timeToServeMs } from './lib/lab/outage-result.js';

export const {
  cdf,
  density,
  explain,
  plan,
  quantiles,
  sample,
  simulateAmplification,
  simulateContention,
  simulateEthernet,
  simulateHedging,
  simulateLoad,
  simulateOutage,
  simulateRateLimit,
} = /* @__PURE__ */ createLab(RetryPolicy, link);
