import { RetryPolicy } from './index.js';
import { link } from '../wasm/lab-inline.js';
import { createLab } from '../lab/index.js';

export { peakOf, timeToServeMs } from '../lab/outage-result.js';

const lab = /* @__PURE__ */ createLab(RetryPolicy, link);
export const { cdf, density, explain, plan, quantiles, sample } = lab;
export const { simulateContention, simulateHedging, simulateLoad, simulateOutage, simulateRateLimit } = lab;
