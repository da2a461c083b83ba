// What the close of a WebSocket says about another attempt.

import { permanent } from '../run/directives.js';

/** Codes of a client at fault, or not allowed; of 44xx, those whose HTTP status says "later". */
const PERMANENT = /^(100[23789]|1010|300[03]|44(?!0[89]|25|29)..)$/;

/** @param {{ code: number, reason?: string }} event */
export function closeError({ code, reason = '' }) {
  const error = Object.assign(new Error(`closed with ${code}${reason && `: ${reason}`}`), { code, reason });
  return PERMANENT.test(`${code}`) ? permanent(error) : error;
}
