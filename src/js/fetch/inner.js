// Finds the function that sends requests where the caller passed no inner fetch. Apps assign
// `globalThis.fetch = createFetch()`, other packages lay wrappers over that, and tests put mocks in its place:
// 1. Each of ours keeps the global fetch that it was made over, or what that one keeps if it is ours, too.
// 2. One that was the global fetch itself calls the fetch it keeps: what is laid over it later calls it.
// 3. Any other calls the global fetch of the moment, so that mocks work.
// 4. A call of ours within such a call, for the same address, is the same request: it passes straight on, because the
//    outer one retries. It shows that the global fetch leads to ours: 2 holds from then on.
// 5. One for another address is a wrapper's own, for a token, say: 2 holds for that call, which would not end
//    otherwise.

import { failure } from '../options/messages.js';
import { hide } from '../run/report.js';
import { addressOf } from './body.js';

/**
 * The place of a `fetch` of ours (copies of properties do not count), what it keeps, whether it calls that, and whether
 * the caller has chosen it.
 * @typedef {{ fetch: Function, kept: Function | undefined, callsKept: boolean, isGiven: boolean }} Place
 *
 * A call of the global fetch, until it is answered.
 * @typedef {{ href: string | undefined }} Sending
 */

/** Name of a fetch's place, for all copies of the package. */
const PLACE = Symbol.for('rejitter.fetch');

// More unanswered calls than an app makes at once: in hosts that do not follow asynchronous calls, these show that the
// global fetch leads to ours.
const MOST = 1000;

/** The global fetch when this package was loaded, which cannot lead to ours. @type {Function | undefined} */
let ofHost;

const inFlight = /** @type {Set<Sending>} */ (new Set());

/**
 * Tells which sending a call comes from; where hosts do not follow asynchronous calls, only while `run` runs.
 * @type {{ run: Function, getStore: () => Sending | undefined, isSync?: true } | undefined}
 */
let context;

/** Returns the global fetch. If it is ours, marks that, and returns what it keeps. @returns {Function | undefined} */
function markGlobal() {
  const { fetch } = /** @type {any} */ (globalThis);
  /** @type {Place | undefined} */
  const place = fetch?.[PLACE];
  if (place === undefined || place.fetch !== fetch) return fetch;
  place.callsKept = true;
  return place.kept;
}

/** Marks a fetch as ours. Returns its place. @param {Function} fetch @param {Function | undefined} inner */
export function placeOf(fetch, inner) {
  const isGiven = inner !== undefined;
  const place = { fetch, kept: inner ?? markGlobal(), callsKept: isGiven, isGiven };
  ofHost ??= place.kept;
  hide(fetch, PLACE, place);
  // By then it has become the global one, if it is to.
  Promise.resolve().then(markGlobal);
  return place;
}

/**
 * Returns the place from which a call of ours sends; undefined if it is an outer call's request, which passes straight
 * on.
 * @type {(place: Place, input: any) => Place | undefined}
 */
export function outermost(place, input) {
  const sending = context?.getStore();
  if (context?.isSync && inFlight.size > MOST) place.callsKept = true;
  if (sending === undefined || !inFlight.has(sending)) return place;
  if (sending.href !== addressOf(input)?.href) return { ...place, callsKept: true };
  place.callsKept = true;
  return undefined;
}

/** Returns the global fetch of the moment, or the one that is kept. @param {Place} place */
const senderOf = (place) => (place.callsKept ? place.kept : markGlobal());

/** Returns whether requests are sent by the fetch of the host, as far as is known. @param {Place} place */
export function leadsToHost(place) {
  return !!globalThis.Request && senderOf(place) === ofHost;
}

/** Sends a request. @param {Place} place @param {any[]} args */
export function sendFrom(place, args) {
  const send = senderOf(place);
  if (send === undefined) throw failure(TypeError, 'no global fetch; pass one to createFetch(options, fetch)');
  return send === ofHost || place.isGiven ? send(...args) : sendThrough(send, args);
}

/** @param {Function} send @param {any[]} args */
async function sendThrough(send, args) {
  const followed = (context ??= contextOf());
  const sending = { href: addressOf(args[0])?.href };
  inFlight.add(sending);
  try {
    return await followed.run(sending, () => send(...args));
  } finally {
    inFlight.delete(sending);
  }
}

function contextOf() {
  try {
    // Not an import: bundles for browsers would have to resolve it.
    const { process } = /** @type {any} */ (globalThis);
    return new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)();
  } catch {
    /** @type {Sending | undefined} */
    let current;
    return {
      /** @param {Sending} sending @param {() => unknown} fn */
      run(sending, fn) {
        current = sending;
        try {
          return fn();
        } finally {
          current = undefined;
        }
      },
      getStore: () => current,
      isSync: true,
    };
  }
}
