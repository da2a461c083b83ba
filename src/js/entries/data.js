// @ts-check
import { RetryPolicy } from './index.js';
import { fromDataOf } from '../data/index.js';

export const fromData = /* @__PURE__ */ fromDataOf(RetryPolicy);
