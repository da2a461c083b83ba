import * as api from './lib/protection/index.js';
import { load } from './lib/protection-inline.js';

export { RejectedError, SupersededError, protect } from './lib/protection/index.js';

export const breaker = /* @__PURE__ */ api.breakerOf(load);
export const budget = /* @__PURE__ */ api.budgetOf(load);
export const cooldown = /* @__PURE__ */ api.cooldownOf(load);
export const hedge = /* @__PURE__ */ api.hedgeOf(load);
