// Each part is made by itself, so that a bundle has those which the app uses. In this order, that compresses best.
export { budget } from '../protection/budget.js';
export { protect } from '../protection/protection.js';
export { RejectedError, SupersededError } from '../protection/rejected.js';
export { hedge } from '../protection/hedge.js';
export { breaker } from '../protection/breaker.js';
export { cooldown } from '../protection/cooldown.js';
export { limiter } from '../protection/limiter.js';
