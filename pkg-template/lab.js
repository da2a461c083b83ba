import { RetryPolicy } from './index.js';
import { link } from './lib/lab-inline.js';
import { createLab } from './lib/lab.js';

export const { cdf, density, explain, plan, quantiles, sample } = /* @__PURE__ */ createLab(RetryPolicy, link);
