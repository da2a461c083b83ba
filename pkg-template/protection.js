export { RejectedError, SupersededError, breaker, budget, cooldown, hedge, protect } from './lib/protection/index.js';
