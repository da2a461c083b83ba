// Each part is made by itself, so that a bundle has those which the app uses. In this order, that compresses best.
export { cooldown } from '../protection/cooldown.js';
export { RejectedError, SupersededError } from '../protection/rejected.js';
export { protect } from '../protection/protection.js';
export { breaker } from '../protection/breaker.js';
export { hedge } from '../protection/hedge.js';
export { budget } from '../protection/budget.js';
