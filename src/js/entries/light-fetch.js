export { TimeoutError } from '../run/report.js';
export { createFetch, fetchWithRetry } from '../light/fetch.js';
