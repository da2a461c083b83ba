// @ts-check
// The arguments of one call of fetch, rebuilt for each attempt.

import { isSignal } from '../options/checks.js';
import { failure, problemOf } from '../options/messages.js';
import { RULES } from '../options/rules.js';
import { addressOf, bodyOf, classOf, isReplayable, isRequest, isStream, tagOf } from './body.js';
import { isMisplaced } from './options.js';
import { discard } from './response.js';

/** The members that `fetch` reads of its second argument, inherited ones too. */
const MEMBERS = [
  'method',
  'headers',
  'body',
  'referrer',
  'referrerPolicy',
  'mode',
  'credentials',
  'cache',
  'redirect',
  'integrity',
  'keepalive',
  'signal',
  'duplex',
  'priority',
  'window',
];

/** The arguments of a `fetch`, read once, so that what the caller changes later changes nothing. */
export class FetchRequest {
  /**
   * @param {any} input
   * @param {any} init
   * @param {number} maxAttempts
   * @param {boolean} waits whether the request may be rejected: until it is sent, it stays the caller's
   */
  constructor(input, init, maxAttempts, waits) {
    /** @type {Record<string, any> | undefined} */
    this.init = init === undefined || init === null ? undefined : membersOf(init);
    this.maxAttempts = maxAttempts;
    this.isRequest = isRequest(input);
    /** Whether the request is ours alone: then the last attempt may use it up. */
    this.owned = false;
    /** Whether no other attempt will send the body of a Request: then it need not be kept. */
    this.once = false;
    /** Whether the inner fetch was called. */
    this.isSent = false;
    /** The body that was sent last, if `init` has one. @type {unknown} */
    this.sent = undefined;
    this.input = input;
    /**
     * The caller's own request and the one that was sent last. In Node, a request's signal hears of
     * an abort only as long as the request itself is alive, and the body is read after it was sent.
     */
    this.alive = [input, undefined];
    // A body in `init` replaces the request's own.
    const ownBody = this.init?.body === undefined || this.init.body === null;
    /** Whether the request is still to be taken over. */
    this.waits = this.isRequest && ownBody && waits && input.bodyUsed === false;
    if (this.isRequest && ownBody) this.waits || this.own();
    else this.input = copyOfUrl(input);
    /** Sends the body of a Request by cloning it; any other from `init`. */
    this.body = ownBody ? undefined : bodyOf(this.init?.body);
    this.method = String(this.#member('method') ?? 'GET').toUpperCase();
    const signal =
      this.init !== undefined && 'signal' in this.init ? this.init.signal : this.isRequest ? input.signal : undefined;
    if (signal !== undefined && signal !== null && !isSignal(signal)) throw problemOf('signal', signal, RULES.signal);
    /** @type {AbortSignal | undefined} */
    this.signal = signal ?? undefined;
  }

  /** Origin of the address. Those of data, blobs and files have none. */
  get origin() {
    const { origin } = addressOf(this.input) ?? {};
    return origin === 'null' ? undefined : origin;
  }

  get mode() {
    return this.#member('mode');
  }

  get redirect() {
    return this.#member('redirect');
  }

  /** Returns a member as the request is sent. @param {string} name */
  #member(name) {
    return this.init?.[name] ?? (this.isRequest ? this.input[name] : undefined);
  }

  /** Whether the body may come from a source that fails by itself. A Request does not show its source. */
  get streams() {
    return this.body === undefined ? this.isRequest && this.input.body !== null : !isReplayable(this.sent);
  }

  /**
   * Takes the request over, as `fetch` does when it is called: from then on the caller's own counts
   * as used. Throws when it was used before.
   */
  own() {
    this.waits = false;
    const { Request } = globalThis;
    if (typeof Request !== 'function' || !(this.input instanceof Request)) return;
    this.input = new Request(this.input);
    this.owned = true;
  }

  /** Whether the body is made by a function of the caller's. */
  get hasFactory() {
    return typeof this.init?.body === 'function';
  }

  /** Whether another attempt would send the same body. */
  get replays() {
    return this.body === undefined || this.body.replays;
  }

  /** The headers of the request as it is sent. */
  get headers() {
    return new Headers(this.#member('headers'));
  }

  /** @param {string} name @param {string} value */
  setHeader(name, value) {
    const { headers } = this;
    headers.set(name, value);
    this.init = { ...this.init, headers };
  }

  /** Returns the members that hosts add to `init`: they have no place in a Request. */
  extras() {
    const { init } = this;
    const names = init === undefined ? [] : Object.keys(init).filter((name) => !MEMBERS.includes(name));
    return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, init?.[name]]));
  }

  /** Returns the request without its body, for the function that makes its key. */
  outline() {
    const { url } = this.isRequest ? this.input : { url: this.input };
    return new Request(url, { method: this.method, headers: this.headers });
  }

  /**
   * Returns the arguments of one attempt for the inner fetch; a promise of them only if the function that
   * makes the body returns one.
   * @param {number} attempt
   * @param {AbortSignal | undefined} signal to pass instead of the caller's
   * @returns {Promise<[any, any]> | [any, any]}
   */
  next(attempt, signal) {
    if (this.waits) this.own();
    const input = this.isRequest ? this.nextRequest(attempt, signal) : copyOfUrl(this.input);
    let { init } = this;
    // Browsers reject any second argument next to the request of a navigation.
    if (signal !== undefined && !(this.isRequest && input.mode === 'navigate'))
      init = { ...referrerOf(input), ...init, signal };
    else if (init !== undefined) init = { ...init };
    if (init?.headers !== undefined) init.headers = copyOfHeaders(init.headers);
    if (this.body === undefined) return [input, init];
    const body = /** @type {any} */ (this.body.next());
    if (this.hasFactory && typeof body?.then === 'function')
      return Promise.resolve(body).then((body) => [input, this.withBody(init, body)]);
    return [input, this.withBody(init, body)];
  }

  /** @param {number} attempt @param {AbortSignal | undefined} signal that replaces the request's */
  nextRequest(attempt, signal) {
    const whole = this.body !== undefined || (this.owned && attempt >= this.maxAttempts) || (this.once && this.streams);
    let request = whole ? this.input : this.input.clone();
    // In Node, a clone's signal is forgotten even while the clone is alive; a copy's is not.
    if (this.owned && !whole && signal === undefined && this.signal !== undefined && request.mode !== 'navigate') {
      request = new Request(request, { ...referrerOf(request), signal: this.signal });
    }
    return (this.alive[1] = request);
  }

  /** @param {any} init @param {unknown} body */
  withBody(init, body) {
    this.sent = body;
    // Required with a stream. Callers who pass a stream themselves set it, as for `fetch`.
    const duplex = this.hasFactory && init.duplex === undefined && isStream(body) ? { duplex: 'half' } : undefined;
    return { ...init, ...duplex, body };
  }

  /** Drops the bytes that were kept for another attempt. */
  release() {
    // The request that the last attempt took over is not ours any more.
    if (this.isRequest && !this.waits && this.body === undefined && this.alive[1] !== this.input) discard(this.input);
  }

  /** Cancels a body that was never sent: its source, a file for instance, would stay open. @param {unknown} reason */
  drop(reason) {
    discard(this.init, reason);
    if (this.isRequest) discard(this.alive[1], reason);
  }
}

/** @param {any} input */
function copyOfUrl(input) {
  return tagOf(input) === 'URL' ? new (classOf(input))(input.href) : input;
}

/**
 * Returns a Request's referrer, which a second argument of fetch resets unless it is in it again.
 * @param {any} input
 */
function referrerOf(input) {
  if (!isRequest(input) || typeof input.referrer !== 'string') return undefined;
  return { referrer: input.referrer, referrerPolicy: input.referrerPolicy };
}

/** Reads the members of a RequestInit, each once, and the own properties that hosts add to it. @param {any} init */
function membersOf(init) {
  if (Object(init) !== init) throw problemOf('init', init, ['', 'an object']);
  /** @type {Record<string, any>} */
  const members = {};
  for (const name of MEMBERS) {
    const value = init[name];
    if (value !== undefined) members[name] = value;
  }
  for (const name of Object.keys(init)) {
    if (name === 'retry' || MEMBERS.includes(name)) continue;
    if (isMisplaced(name))
      throw failure(TypeError, `${name} is an option of retry, not of fetch. Use fetch(url, { retry: { ${name} } })`);
    members[name] = init[name];
  }
  if (members.headers !== undefined) members.headers = copyOfHeaders(members.headers);
  return members;
}

/** Copies headers in the form that they have: a replacement of fetch may read it. @param {any} headers */
function copyOfHeaders(headers) {
  if (headers === null || typeof headers !== 'object') return headers;
  if (tagOf(headers) === 'Headers') return new (classOf(headers))(headers);
  if (typeof headers[Symbol.iterator] !== 'function') return { ...headers };
  // An iterator can be read only once: from here on it is a list.
  return Array.from(headers, (pair) => (Array.isArray(pair) ? [...pair] : pair));
}
