// Failures that another attempt may not meet again: those of HTTP, sockets, databases, the AWS SDK and gRPC.

import { noteHint, readMarks } from '../marks.js';
import { HOPELESS, NETWORK, failureClass, highestClass } from './classes.js';
import { isNetworkMessage } from './network.js';
import { headerOf, statusOf } from './status.js';
import { pushbackOf, waitOf } from './waits.js';
import { FAILURES, INTERRUPTED, NETWORK_TEXTS, STAYING, THROTTLED } from './words.js';

/** 520 to 524 and 530 are Cloudflare's, 529 is Anthropic's; 501 and 505 do not pass. @param {number} status */
export function isTransientStatus(status) {
  return /^(408|42[59]|50[0234]|52[0-49]|530)$/.test(`${status}`);
}

/** A failure of the network, whatever its causes say: above HOPELESS. */
const BROKEN = 4;

/**
 * Returns whether another attempt may succeed. False for what is unknown. The wait that a server asks for in the error
 * is noted beside it, where the operation finds it that asked.
 * @param {any} error
 */
export function isTransientError(error) {
  const { permanent, rejected, afterMs = NaN } = readMarks(error);
  if (permanent || rejected || afterMs >= 0) return !permanent && !rejected;
  let longest = 0;
  const known = highestClass(error, (each) => {
    const ms = waitOf(each);
    longest = Math.max(ms, longest);
    return classOfError(each, ms);
  });
  if (longest > 0) noteHint(error, longest);
  return known === NETWORK || known === BROKEN;
}

/** Classifies one error, which asks for this wait, without its causes. @param {any} error @param {number} waitMs */
function classOfError(error, waitMs) {
  // A PrismaClientInitializationError has its code there. The codes of databases are no numbers.
  const { name, message, code = error.errorCode, details, headers = error.response?.headers } = error;
  const number = Number.isInteger(code) ? code : 0;
  const text = `${number ? '' : code} ${name}: ${message}`;
  const kinds = `${code} ${error.type}`;
  if (STAYING.test(kinds)) return HOPELESS;
  // AWS throttles with status 400. The temporary failures of SMTP are the four hundreds.
  // MongoDB's server labels what may be done again.
  const marked = error.$retryable || /Retryable|TransientT/.test(error.errorLabels) || /^4/.test(error.responseCode);
  if (marked || THROTTLED.test(name) || FAILURES.test(text)) return NETWORK;
  const status = statusOf(error) ?? number;
  let passes;
  if (number && (typeof details === 'string' || name === 'ConnectError')) {
    // gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE, and streams that the server reset. A message
    // that is too large remains so.
    passes = /^([48]|1[04]) (?!.*larger than)|^13 .*RST_/.test(`${code} ${message}`) && !/\D/.test(pushbackOf(error));
  } else if (/^[45]..$/.test(status)) {
    const asked = headerOf(headers, 'x-should-retry') || headerOf(headers, 'stripe-should-retry');
    // A server that forbids, or finds a body too large, and asks to wait limits the rate.
    const may = isTransientStatus(status) || (/^4[01]3$/.test(status) && waitMs > 0);
    passes = asked === 'true' || (asked !== 'false' && may);
  } else {
    if (INTERRUPTED.test(kinds)) return NETWORK;
    // Node's HTTP/2 has one text for a body that broke off and for a request that the server refuses.
    if (message === 'terminated' && error.cause?.code === 'ERR_HTTP2_STREAM_ERROR') return BROKEN;
    return failureClass(error, text, NETWORK_TEXTS.test(text) || isNetworkMessage(message) || error.retryable === true);
  }
  return passes ? NETWORK : HOPELESS;
}
