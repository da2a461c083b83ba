export { TimeoutError } from '../run/report.js';
export { retry } from '../light/index.js';
export { delayMs } from '../light/waits.js';
