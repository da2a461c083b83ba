// The arguments of one call of fetch, rebuilt for each attempt.

import { isFunction, isObject, isReference, isSignal, isText } from '../options/checks.js';
import { mistake, problemOf } from '../options/messages.js';
import { RULES } from '../options/table.js';
import { addressOf, classOf, copyOf, isList, isReplayable, isRequest, isStream, tagOf } from './body.js';
import { isMisplaced } from './options.js';
import { isRepeatable, keyOf, newKeyOf } from './repeats.js';
import { cancelBody } from './response.js';

/** The members that `fetch` reads of its second argument, inherited ones too. */
const MEMBERS = /* @__PURE__ */ (
  'method headers body referrer referrerPolicy mode credentials cache redirect integrity keepalive signal duplex ' +
  'priority window'
).split(' ');

/** The arguments of a `fetch`, read once, so that what the caller changes later changes nothing. */
export class FetchRequest {
  /** @type {any} */
  #init;
  #input;
  /** The body of `init`, or what makes it. It replaces the request's own, which is sent by cloning the request. */
  #body;
  #maxAttempts;
  /** Whether it is ours alone, so that the last attempt may use it up; unset before. @type {boolean | undefined} */
  #owned;
  /** The body that was sent last, if `init` has one. @type {unknown} */
  #sent;
  /** Whether the inner fetch was called. */
  isSent = false;
  /**
   * The caller's own request, the one that was sent last, and what `prepare` made of that. In Node, a request's signal
   * hears of an abort only as long as the request itself is alive, and the body is read after it was sent.
   */
  given;
  /** @type {any} */
  last;
  /** @type {unknown} */
  prepared;

  /** @param {any} input @param {any} init @param {import('./options.js').FetchSettings} settings */
  constructor(input, init, settings) {
    this.#init = init === undefined || init === null ? undefined : membersOf(init);
    this.#maxAttempts = settings.maxAttempts;
    this.isRequest = isRequest(input);
    this.#input = this.given = this.isRequest ? input : copyOfUrl(input);
    this.url = this.isRequest ? input.url : this.#input;
    const { body, signal = this.isRequest ? input.signal : undefined } =
      this.#init ?? /** @type {any} */ ({ __proto__: null });
    /** The caller's function that makes the body. */
    this.factory = isFunction(body) ? body : undefined;
    /** Whether another attempt would send the same body. */
    this.replays = isReplayable(body);
    // The caller could change it while attempts go on: `fetch` takes its bytes when it is called.
    this.#body = (this.replays ? copyOf(body) : body) ?? undefined;
    // A request that protection may reject stays the caller's until it is sent.
    if (settings.protection === undefined || input?.bodyUsed !== false) this.#own();
    this.mode = this.#member('mode');
    this.redirect = this.#member('redirect');
    this.method = String(this.#member('method') ?? 'GET').toUpperCase();
    if (signal !== undefined && signal !== null && !isSignal(signal)) throw problemOf('signal', signal, RULES.signal);
    /** @type {AbortSignal | undefined} */
    this.signal = signal ?? undefined;
    const key = newKeyOf(this, settings);
    if (key !== undefined) this.#setHeader(settings.idempotencyHeader, key);
    if (this.#body && isList(this.#body) && keyOf(this, settings)) this.#encode();
    /** Whether no other attempt will send the body of a Request: then it need not be kept. */
    this.once = !isRepeatable(this, settings);
  }

  /** Origin of the address. Those of data, blobs and files have none. */
  get origin() {
    const origin = addressOf(this.url)?.origin;
    return origin === 'null' ? undefined : origin;
  }

  /** The headers of the request as it is sent. */
  get headers() {
    return new Headers(this.#member('headers'));
  }

  /** Returns a member as the request is sent. @param {string} name */
  #member(name) {
    return this.#init?.[name] ?? (this.isRequest ? this.#input[name] : undefined);
  }

  /** Sets a header unless the caller has. @param {string} name @param {string} value */
  #setHeader(name, value) {
    const { headers } = this;
    if (!headers.get(name)) headers.set(name, value);
    this.#init = adding(this.#input, this.#init, { headers });
  }

  /** Encodes a form once: `fetch` draws a boundary each time, and a server may compare the bytes under a key. */
  #encode() {
    const encoded = new Response(this.#body);
    const type = encoded.headers.get('content-type');
    // Polyfills cannot.
    if (!type?.startsWith('multipart')) return;
    const init = this.#init;
    this.#setHeader('content-type', type);
    /** @type {Promise<Blob | void> | undefined} */
    let body;
    this.factory = () =>
      (body ??= encoded.blob().catch(() => {
        // WebKitGTK reads no files of a form: there fetch encodes it for each attempt.
        this.factory = undefined;
        this.#init = init;
      }));
  }

  /** Whether the body may come from a source that fails by itself. A Request does not show its source. */
  get streams() {
    return this.#body === undefined ? this.isRequest && this.#input.body !== null : !isReplayable(this.#sent);
  }

  /** Returns the members that hosts add to `init`: they have no place in a Request. */
  extras() {
    return Object.fromEntries(Object.entries(this.#init ?? {}).filter(([name]) => !MEMBERS.includes(name)));
  }

  /** Returns the request without its body, for the function that makes its key. @param {string} option its name */
  outline(option) {
    return requestFor(option, this.url, { method: this.method, headers: this.headers });
  }

  /** Throws if `fetch` would find a mistake in the arguments, which it does before it looks at the signal. */
  check() {
    const body = this.#body && '';
    new Request(this.url, { ...this.#init, method: this.method, body, signal: null });
  }

  /**
   * Returns the arguments of one attempt for the inner fetch, with a signal instead of the caller's, and with the body
   * that the caller's function made.
   * @type {(attempt: number, signal: AbortSignal | undefined, made: unknown) => [any, any]}
   */
  next(attempt, signal, made) {
    const input = this.isRequest ? this.#nextRequest(attempt, signal) : copyOfUrl(this.#input);
    let init = this.#init && { ...this.#init };
    if (signal !== undefined) init = adding(input, init, { signal });
    if (init?.headers !== undefined) init.headers = copyOfHeaders(init.headers);
    // An inner fetch may add to what is a list: not to that of the next attempt.
    const own = isList(this.#body) ? copyOf(this.#body) : this.#body;
    if (own !== undefined) init.body = this.#sent = this.factory ? made : own;
    // Required with a stream. Callers who pass a stream themselves set it, as for `fetch`.
    if (this.factory && init.duplex === undefined && isStream(made)) init.duplex = 'half';
    return [input, init];
  }

  /** @param {number} attempt @param {AbortSignal | undefined} signal that replaces the request's */
  #nextRequest(attempt, signal) {
    this.#own();
    const whole = this.once || (this.#owned && attempt >= this.#maxAttempts) || this.#body !== undefined;
    let request = whole ? this.#input : this.#input.clone();
    // In Node, a clone's signal is forgotten even while the clone is alive; a copy's is not.
    if (this.#owned && !whole && signal === undefined && this.signal !== undefined)
      request = new Request(request, adding(request, undefined, { signal: this.signal }));
    return (this.last = request);
  }

  /** Takes the request over, as `fetch` does: the caller's own counts as used. Throws if it was used before. */
  #own() {
    if (!this.isRequest || this.#body !== undefined || this.#owned !== undefined) return;
    this.#owned = false;
    const { Request } = globalThis;
    if (!isFunction(Request) || !(this.#input instanceof Request)) return;
    this.#input = new Request(this.#input);
    this.#owned = true;
  }

  /** Cancels the body that was kept for another attempt. A request that the last attempt took over is not ours. */
  cancelCopy() {
    if (this.#owned !== undefined && this.last !== this.#input) cancelBody(this.#input);
  }

  /**
   * Cancels a body that was never sent: its source, a file for instance, would stay open. The request counts as used,
   * as if `fetch` had been called with it.
   * @param {unknown} reason
   */
  cancelBody(reason) {
    this.#own();
    cancelBody(this.#init, reason);
    if (this.#owned !== undefined) cancelBody(this.last ?? this.#input, reason);
  }
}

/** @param {any} input */
function copyOfUrl(input) {
  return tagOf(input) === 'URL' ? new (classOf(input))(input.href) : input;
}

/**
 * Returns the second argument of fetch with members of ours. Any member resets the referrer of a Request: unless the
 * caller's own did so, the result has it again.
 * @type {(input: any, init: any, more?: object) => any}
 */
export function adding(input, init, more) {
  const { mode, referrer, referrerPolicy } = Object(input);
  // Browsers reject any second argument next to the request of a navigation.
  if (mode === 'navigate') return init;
  const keeps = isText(referrer) && !Object.keys({ ...init }).some((name) => MEMBERS.includes(name));
  return { ...(keeps && { referrer, referrerPolicy }), ...init, ...more };
}

/**
 * Returns a Request for the function of an option. Where there is no page, its address must be absolute, although a
 * framework's fetch takes others.
 * @type {(option: string, input: any, init: any) => Request}
 */
export function requestFor(option, input, init) {
  if (addressOf(input) === undefined) throw mistake(option, 'absolute', option);
  return new Request(input, init);
}

/** Reads the members of a RequestInit, each once, and the own properties that hosts add to it. @param {any} init */
function membersOf(init) {
  const members = /** @type {any} */ ({ __proto__: null });
  if (!isReference(init)) throw problemOf('init', init, ['', 'object']);
  for (const name of MEMBERS) {
    const value = init[name];
    if (value !== undefined) members[name] = value;
  }
  for (const name of Object.keys(init)) {
    if (name === 'retry' || MEMBERS.includes(name)) continue;
    if (isMisplaced(name)) throw mistake(name, 'misplaced', name);
    members[name] = init[name];
  }
  if (members.headers !== undefined) members.headers = copyOfHeaders(members.headers);
  return members;
}

/** Copies headers in the form that they have: a replacement of fetch may read it. @param {any} headers */
function copyOfHeaders(headers) {
  if (!isObject(headers)) return headers;
  if (tagOf(headers) === 'Headers') return new (classOf(headers))(headers);
  if (!isFunction(headers[Symbol.iterator])) return { ...headers };
  // An iterator can be read only once: from here on it is a list.
  return Array.from(headers, (pair) => (Array.isArray(pair) ? [...pair] : pair));
}
