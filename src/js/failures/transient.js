// Failures that another attempt may not meet again: those of HTTP, sockets, databases, the AWS SDK and gRPC.

import { noteHint, readMarks } from '../marks.js';
import { HOPELESS, NETWORK, failureClass, highestClass } from './classes.js';
import { isNetworkMessage } from './network.js';
import { headerOf, statusOf } from './status.js';
import { THROTTLED } from './throttles.js';
import { pushbackOf, waitOf } from './waits.js';

/** 520 to 524 and 530 are Cloudflare's, 529 is Anthropic's; 501 and 505 do not pass. @param {number} status */
export function isTransientStatus(status) {
  return /^(408|425|429|50[0234]|52[0-4]|529|530)$/.test(`${status}`);
}

/**
 * Beginnings of `code name: message`, as short as they are unmistakable. Codes of PostgreSQL (connections, resources,
 * shutdowns, serialization, deadlocks, locks; a wrong number of parameters has the code of PgBouncer's lost
 * connections), MySQL (deadlocks, locks, too many connections, shutdowns), mysql2 and Prisma. Then, for errors without
 * a code, the AWS SDK's name of requests that came too slowly, others of ioredis and KafkaJS, replies of Redis (those
 * that its client for Go retries), which have a name of their own in ioredis alone, and messages of axios, ioredis,
 * redis and pg. Last, gaxios's code of its own timeout.
 */
const FAILURES =
  /^(53...|08([^P]..|P01 .*: server conn)|57P0[1235]|40(001|P01)|55P03|ER_(LOCK_[DN]|CON_C|TOO_MANY_U|SERVER_S)|PROTOCOL_CONNECTION_LOST|P(10(0[128]|17)|20(24|3[47]))|\S* (\w*RequestTimeout|MaxRetriesPer|KafkaJS(ConnectionC|RequestT)|AxiosError: stream |(Reply)?Error: ((LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|ERR max) |Command timed out|Client has e|Stream isn't w|Socket (closed un|timeout t)|The client is o|Timeout waiting for a c|Connection (terminated [ud]|timeout$)|timeout e|Query read t))|TimeoutError )/;

/**
 * The same for the network, of which no message tells. Codes of Node, c-ares, undici, HTTP's parser, OpenSSL and Bun;
 * names; then parts: codes of Chromium, whose messages are those of Electron, Playwright and Puppeteer; messages of
 * workerd, Node, node-fetch, happy-dom, and of undici where Elasticsearch's client drops its codes; what Expo puts
 * before the words of iOS and Android.
 */
const NETWORK_TEXTS =
  /^(E(AI_|CONN|HOST|NET|NOTF|PIPE|PROTO E|SERVF)|(?!ER_Q|ERR_SC)\S*TIMED?OUT |HPE_|UND_ERR_|ERR_(HTTP2_(STREAM_[CE]|SES|GOA|INVALID_SES)|SSL_|STREAM_PREM|NETWORK |PROXY_TUN)|Connection(Re|Cl)|FailedToO|Malformed_|Invalid(HTTP|Content)|\S* (Timeout|Network|Read)Error:)|net::ERR_(?!FAIL|FILE)|: (internal error; ref|other side closed|\w+ Timeout E|socket hang up|network timeout at|Failed to read response body\. Error: aborted|Network connection l)|: fetch failed: (?!The op)/;

/** A failure of the network, whatever its causes say: above HOPELESS. */
const BROKEN = 4;

/**
 * Kinds of errors of models' services: of an exhausted account, whose 429 no wait fixes; and in the midst of a stream.
 */
const EXHAUSTED = /\b(insufficient_quota|credit_balance_exh|billing_(hard_limit|not_active)|access_termi)/;
const INTERRUPTED = /\b(server|overloaded|rate_limit|api)_error/;

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
  const kinds = `${error.code} ${error.type}`;
  if (EXHAUSTED.test(kinds)) return HOPELESS;
  // AWS throttles with status 400. The temporary failures of SMTP are the four hundreds.
  // MongoDB's server labels what may be done again.
  const marked = error.$retryable || /Retryable|TransientT/.test(error.errorLabels) || /^4/.test(error.responseCode);
  if (marked || THROTTLED.test(name) || FAILURES.test(text)) return NETWORK;
  // gRPC: DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE, and streams that the server reset. A message
  // that is too large remains so.
  if (number && (typeof details === 'string' || name === 'ConnectError'))
    return /^\d*$/.test(pushbackOf(error)) && /^([48]|1[04]) (?!.*larger than)|^13 .*RST_/.test(`${code} ${message}`)
      ? NETWORK
      : HOPELESS;
  const status = statusOf(error) ?? number;
  if (!/^[45]..$/.test(status)) {
    if (INTERRUPTED.test(kinds)) return NETWORK;
    // Node's HTTP/2 has one text for a body that broke off and for a request that the server refuses.
    if (message === 'terminated' && error.cause?.code === 'ERR_HTTP2_STREAM_ERROR') return BROKEN;
    // A body that is not compressed as it says remains so.
    if (/^Z_DATA/.test(text)) return HOPELESS;
    return failureClass(error, text, NETWORK_TEXTS.test(text) || isNetworkMessage(message) || error.retryable === true);
  }
  const asked = headerOf(headers, 'x-should-retry') || headerOf(headers, 'stripe-should-retry');
  if (/^(true|false)$/.test(asked)) return asked === 'true' ? NETWORK : HOPELESS;
  // A server that forbids, or finds a body too large, and asks to wait limits the rate.
  const limits = status === 403 || status === 413;
  return (limits && waitMs > 0) || isTransientStatus(status) ? NETWORK : HOPELESS;
}
