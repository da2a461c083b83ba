// Classes of failures, for createFetch and isTransientError alike, and one rule for chains of causes.

import { causeOf } from '../marks.js';
import { isObject } from '../options/checks.js';
import { DEEPEST } from '../options/codes.js';
import { isNetworkMessage } from './network.js';

export const UNKNOWN = 0;
/** The network or the server failed, and the request may have been processed. */
export const NETWORK = 1;
/** The connection was never made, so the server processed nothing. */
export const UNPROCESSED = 2;
/** Another attempt would fail in the same way: certificates, schemes, endless redirects, invalid arguments, aborts. */
export const HOPELESS = 3;

/**
 * Parts of `code name: message`, as short as they are unmistakable. Names; codes of Node, undici, OpenSSL and Bun;
 * messages of Node's causes, Deno and Bun; an XMLHttpRequest that the page left; HTTP/2's answers that stay the same.
 */
const HOPELESS_TEXTS =
  /^\S*( (Abort|Cancel|Reference)|CERT|OVERFLOW|ERR_INVALID_|Redirect)|^(UNABLE_TO|INVALID_[CP]|HOSTNAME_M|UND_ERR_(REQ_|RES_E|NOT_|DES|CLO)|ERR_SSL_\S*(VERSION|FAILURE|PROTO|NO_))|[nLt] scheme|bad port|redirect count|[dyf] redirect|cors fail|cross origin n|invalid method|the data URL|peer cert|too many times|integrity mis|not implemented\.|head is too|corrupt mes|fatal alert: [AHP]|wrong version n|: Request aborted$|error code (1$|NGHTTP2_PROT)/;

/** The same for the network. Prefixes of codes of Node, c-ares, undici, HTTP's parser, OpenSSL and Bun; names. */
const NETWORK_TEXTS =
  /^(E(AI_|CONN|HOST|NET|NOTF|PIPE|PROTO |SERVF)|(?!ER_Q|ERR_SC)\S*TIMED?OUT |HPE_|UND_ERR_|ERR_(HTTP2_(STREAM_[CE]|SES|GOA|INVALID_SES)|SSL_|STREAM_PREM|NETWORK )|Connection(Re|Cl)|FailedToO|Malformed_|Invalid(HTTP|Content)|\S* (Timeout|Network|Read)Error:)/;

/** Classifies one error, without its causes. @param {any} error @param {string} text its `code name: message` */
export function failureClass({ name, message, cause }, text) {
  if (HOPELESS_TEXTS.test(text)) return HOPELESS;
  if (NETWORK_TEXTS.test(text) || isNetworkMessage(message)) return NETWORK;
  // A mistake in the program. undici's cause without a message is a rule of fetch: a stream is not sent again to
  // where a 308 points, for one.
  return !cause && (name === 'TypeError' || text === 'undefined Error: ') ? HOPELESS : UNKNOWN;
}

/**
 * Returns the highest class in a chain of causes. Node tries a host's addresses one after the other: of several errors
 * a class holds if it holds for each of them, and one that is hopeless suffices. No further lists are read in these
 * (`nested`).
 * @type {(error: any, classify: (error: any) => number, nested?: boolean) => number}
 */
export function highestClass(error, classify, nested) {
  let known = UNKNOWN;
  try {
    for (let left = DEEPEST; left-- && isObject(error); error = causeOf(error)) {
      known = Math.max(known, classify(error));
      // Its cause is how the time was ended, or the failure before it.
      if (/^TimeoutE|^Request timed/m.test(`${error.name}\n${error.code}\n${error.message}`)) break;
      if (!nested && error.errors?.length) {
        const all = error.errors.map((/** @type {any} */ each) => highestClass(each, classify, true));
        known = Math.max(known, all.includes(HOPELESS) ? HOPELESS : Math.min(...all));
      }
    }
  } catch {
    // An error that throws when it is read.
  }
  return known;
}
