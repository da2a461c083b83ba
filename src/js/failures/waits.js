// The wait that an error's server asks for, wherever clients put it.

import { retryAfterMs } from './retry-after.js';
import { headerOf } from './status.js';

/** Returns the ms that a gRPC server asks to wait; no number if it wants no retry; '' for none. @param {any} error */
export const pushbackOf = ({ metadata }) => headerOf(metadata, 'grpc-retry-pushback-ms');

/**
 * Returns the wait in ms that an error by itself, without its causes, asks for; 0 for none. Of several, the longest
 * counts.
 * @param {any} error
 */
export function waitOf(error) {
  const { name, code, headers, response, $response, responseHeaders, metadata, retryAfter } = error;
  // Seconds in Slack's errors, ms in Discord's.
  const named = retryAfter * (/^slack_/.test(code) ? 1000 : +/^RateLimitError\[/.test(name)) || 0;
  // The AWS SDK hides its response, Vercel's SDK has another name for headers, and ConnectRPC's metadata are headers.
  const lists = [headers, response?.headers, $response?.headers, responseHeaders, metadata];
  lists.push({ 'retry-after-ms': pushbackOf(error) });
  return Math.max(named, ...lists.map((headers) => retryAfterMs({ headers }) ?? 0));
}
