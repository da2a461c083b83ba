// Classes of failures, for createFetch and isTransientError alike, and one rule for chains of causes.

import { causeOf } from '../marks.js';
import { isObject } from '../options/checks.js';
import { DEEPEST } from '../options/codes.js';
import { isMistake, isNetworkMessage } from './network.js';
import { HOPELESS_TEXTS } from './words.js';

export const UNKNOWN = 0;
/** The network or the server failed, and the request may have been processed. */
export const NETWORK = 1;
/** The connection was never made, so the server processed nothing. */
export const UNPROCESSED = 2;
/** Another attempt would fail in the same way: certificates, schemes, endless redirects, invalid arguments, aborts. */
export const HOPELESS = 3;

/** Classifies one error, without its causes. @param {any} error @param {string} text its `code name: message` */
export function failureClass(error, text, isNetwork = isNetworkMessage(error.message)) {
  // The member is workerd's.
  if (HOPELESS_TEXTS.test(text) || (error.overloaded === true && Object.hasOwn(error, 'overloaded'))) return HOPELESS;
  if (isNetwork) return NETWORK;
  // undici's cause without a message is a rule of fetch: a stream is not sent again to where a 308 points, for one.
  return isMistake(error) || (!error.cause && text === 'undefined Error: ') ? HOPELESS : UNKNOWN;
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
