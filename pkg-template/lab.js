import { RetryPolicy } from './index.js';
import { compile } from './lib/compile.js';
import base64 from './lib/lab-bytes.js';
import { linkerOf } from './lib/lab-wasm.js';
import { createLab } from './lib/lab.js';

export { peakOf, timeToServeMs } from './lib/outage.js';

export const {
  cdf, density, explain, plan, quantiles, sample, simulateAmplification, simulateContention, simulateEthernet, simulateLoad, simulateOutage,
} = /* @__PURE__ */ createLab(
  RetryPolicy,
  /* @__PURE__ */ linkerOf(() => compile(base64)),
);
