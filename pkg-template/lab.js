import { RetryPolicy } from './index.js';
import { link } from './lib/lab-inline.js';
import { createLab } from './lib/lab.js';

export { peakOf, timeToServeMs } from './lib/outage.js';

export const {
  cdf, density, explain, plan, quantiles, sample, simulateAmplification, simulateContention, simulateEthernet, simulateLoad, simulateOutage,
} = /* @__PURE__ */ createLab(RetryPolicy, link);
