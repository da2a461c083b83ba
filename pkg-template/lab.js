import { RetryPolicy } from './index.js';
import { compile } from './lib/compile.js';
import text from './lib/lab-bytes.js';
import { linkerOf } from './lib/lab-wasm.js';
import { createLab } from './lib/lab.js';

export const { cdf, density, explain, plan, quantiles, sample } = /* @__PURE__ */ createLab(
  RetryPolicy,
  /* @__PURE__ */ linkerOf(() => compile(text)),
);
