// @ts-check
// Protection: what keeps retries from hurting. Each part is made by itself, so that a bundle has those which the app
// uses.

export { breaker } from './breaker.js';
export { budget } from './budget.js';
export { cooldown } from './cooldown.js';
export { hedge } from './hedge.js';
export { protect } from './protection.js';
export { RejectedError } from './rejected.js';
export { SupersededError } from './rounds.js';
