// @ts-check
// Protection: what keeps retries from hurting. Each part is made by itself, over whatever loads its wasm file, so that
// a bundle has those which the app uses.

export { breakerOf } from './breaker.js';
export { budgetOf } from './budget.js';
export { cooldownOf } from './cooldown.js';
export { hedgeOf } from './hedge.js';
export { protect } from './protection.js';
export { RejectedError } from './rejected.js';
export { SupersededError } from './round.js';
