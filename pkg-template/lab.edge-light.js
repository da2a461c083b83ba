// Vercel's edge runtime forbids compiling bytes; with ?module it imports compiled modules.
import { RetryPolicy } from './index.edge-light.js';
import wasm from './lab.wasm?module';
import { linkerOf } from './lib/lab-wasm.js';
import { createLab } from './lib/lab.js';

export { peakOf, timeToServeMs } from './lib/outage.js';

export const {
  cdf, density, explain, plan, quantiles, sample, simulateAmplification, simulateContention, simulateEthernet, simulateLoad, simulateOutage,
} = /* @__PURE__ */ createLab(
  RetryPolicy,
  /* @__PURE__ */ linkerOf(() => wasm),
);
