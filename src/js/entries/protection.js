// @ts-check
export { RejectedError, SupersededError, breaker, budget, cooldown, hedge, protect } from '../protection/index.js';
