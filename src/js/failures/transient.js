// @ts-check
// Failures that another attempt may not meet again: those of HTTP, sockets, databases, the AWS SDK and gRPC.

import { readDirectives } from '../run/directives.js';
import { isNetworkMessage } from './network.js';
import { statusOf } from './status.js';

/**
 * Returns whether a status stands for a temporary condition. 501 and 505 do not pass. Cloudflare sends 520 to 524
 * and 530, Anthropic sends 529 when it is overloaded.
 * @param {number} status
 */
export function isTransientStatus(status) {
  return /^(408|425|429|50[0234]|52[0-4]|529|530)$/.test(`${status}`);
}

/** How many errors of a chain of causes are read. */
const DEEPEST = 10;

/**
 * Beginnings of `code name: message`, as short as they are unmistakable. Codes of Node's sockets and DNS, undici and
 * HTTP's parser; of PostgreSQL (connections, resources, shutdowns, serialization, deadlocks, locks), MySQL (deadlocks,
 * locks, too many connections, shutdowns), mysql2 and Prisma. Then, for errors without a code, names, replies of Redis
 * (those that its client for Go retries), and messages of axios, ioredis and pg.
 */
const FAILURES =
  /^(ECONN|E(NET|HOST)|EPIPE|ENOTFOUND|EAI_|\S*TIMED?OUT |HPE_|UND_ERR_SOCKET|(08|53)... |57P0[1235]|40(001|P01)|55P03|ER_(LOCK_[DN]|CON_C|TOO_MANY_U|SERVER_S)|PROTOCOL_CONNECTION_LOST|P(10(0[128]|17)|20(24|3[47]))|\S* ((Timeout|Network|Read|MaxRetriesPerRequest)Error|AxiosError: stream |ReplyError: (LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|ERR max) |Error: (Command timed out|Client has e|Stream isn't w|Connection terminated [ud]|timeout e|Query read t)))/;

/**
 * Returns whether another attempt may succeed where this error ended one. False for what is unknown.
 * @param {unknown} error
 */
export function isTransientError(error) {
  try {
    const { permanent, rejected, afterMs = NaN } = readDirectives(error);
    return !permanent && !rejected && (afterMs >= 0 || mayPass(error, DEEPEST));
  } catch {
    // The value throws when it is read.
    return false;
  }
}

/**
 * @param {any} error
 * @param {number} depth how many errors of a chain may be read
 * @param {boolean} [nested] whether it is one of several errors: then no further lists are read
 * @returns {boolean}
 */
function mayPass(error, depth, nested) {
  if (!error || !depth) return false;
  // A PrismaClientInitializationError has its code there.
  const { name, message, code = error.errorCode, cause, details, errors, $metadata } = error;
  // AWS throttles with status 400.
  if ($metadata && /Throttl|Throughput|Request(Limit|Timeout)/.test(name)) return true;
  const status = statusOf(error) ?? 0;
  if (status >= 400) return isTransientStatus(status);
  // gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE. A message that is too large remains so.
  if (Number.isInteger(code) && typeof details === 'string')
    return /^([48]|1[04])$/.test(code) && !/larger than/.test(details);
  if (FAILURES.test(`${code} ${name}: ${message}`)) return true;
  const network = isNetworkMessage(message);
  // The caller wanted the abort. A mistake in the program stays one, whatever caused it.
  if (/^(Abort|Cancel|Reference)/.test(name) || (name === 'TypeError' && !network)) return false;
  if (cause) return mayPass(cause, depth - 1, nested);
  if (!nested && errors?.length) return errors.every((/** @type {unknown} */ each) => mayPass(each, depth - 1, true));
  // Deno describes a certificate, and redirects without end, in a message of this kind.
  return code === 'ERR_NETWORK' || (network && !/certificate|redirect/.test(message));
}
