// Which requests may be sent twice, and the keys by which servers recognise a repetition.

import { isFunction } from '../options/checks.js';
import { mistake, problemOf } from '../options/messages.js';
import { isIdempotent } from './http.js';
import { isKey } from './options.js';

/** @import { FetchSettings } from './options.js' */
/** A FetchRequest or a Request. @typedef {{ method: string, mode: string | undefined, headers: Headers }} Sent */

/**
 * Returns the key that the server receives with a request, '' for none. Without CORS, browsers drop such a header.
 * @type {(request: Sent, settings: FetchSettings) => string}
 */
export function keyOf({ mode, headers }, { idempotencyHeader }) {
  return (mode !== 'no-cors' && headers.get(idempotencyHeader)) || '';
}

/** Returns whether requests of a method are repeated. @param {string} method @param {FetchSettings} settings */
const repeats = (method, { methods }) => (methods === undefined ? isIdempotent(method) : methods.includes(method));

/**
 * Returns whether the server may process a request twice; other attempts have a key in common. Reads the headers only
 * if the method leaves it open: in Node, the first Headers of a process load the whole of undici.
 * @type {(request: Sent, settings: FetchSettings, common?: string) => boolean}
 */
export function isRepeatable(request, settings, common) {
  if (repeats(request.method.toUpperCase(), settings)) return true;
  const key = keyOf(request, settings);
  return key !== '' && key === (common ?? key);
}

/**
 * Returns a key for a request, if it needs one.
 * @type {(request: import('./request.js').FetchRequest, settings: FetchSettings) => string | undefined}
 */
export function newKeyOf(request, settings) {
  let { idempotencyKey: key } = settings;
  if (key === undefined || repeats(request.method, settings) || request.mode === 'no-cors' || keyOf(request, settings))
    return undefined;
  if (key === 'auto') return uuid();
  if (isFunction(key)) key = key(request.outline('idempotencyKey'));
  if (!isKey(key)) throw problemOf('idempotencyKey', key, ['', 'key'], 'return');
  return key;
}

/** Returns a random UUID. Not by `randomUUID`, which pages that are not served over HTTPS lack. */
function uuid() {
  const { crypto } = globalThis;
  if (crypto === undefined) throw mistake('idempotencyKey', 'noCrypto');
  const bytes = crypto.getRandomValues(new Uint8Array(36));
  // Version 4: the 8 keeps its upper two bits.
  return '00000000-0000-4000-8000-000000000000'.replace(/[08]/g, (digit, at) =>
    (Number(digit) | (bytes[at] & (digit === '0' ? 15 : 3))).toString(16),
  );
}
