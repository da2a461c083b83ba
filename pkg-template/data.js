import { RetryPolicy } from './index.js';
import { fromDataOf } from './lib/data/index.js';

export const fromData = /* @__PURE__ */ fromDataOf(RetryPolicy);
