// The attempts of a retried fetch: what is sent, what its outcome says, and whether it may be sent again. Without
// hedges, the attempts of an operation are made by one object.

import { NETWORK, UNKNOWN, UNPROCESSED } from '../failures/classes.js';
import { retryAfterMs } from '../failures/retry-after.js';
import { headerOf } from '../failures/status.js';
import { isTransientStatus } from '../failures/transient.js';
import { readHints, shared } from '../marks.js';
import { isFunction, isReference } from '../options/checks.js';
import { problemOf } from '../options/messages.js';
import { adopt, askHint, emit, tell } from '../run/hooks.js';
import { reasonOf } from '../run/signals.js';
import { addressOf, isRequest } from './body.js';
import { failureOf, isAt, isSafe } from './http.js';
import { sendFrom } from './inner.js';
import { isRepeatable, keyOf } from './repeats.js';
import { adding, requestFor } from './request.js';
import { cancelBody } from './response.js';
import { HttpStatusError, label } from './status-error.js';

/** @import { Attempt } from '../run/attempt.js' */
/** @import { AttemptRun, Operation } from '../run/operation.js' */
/** @import { Report } from '../run/report.js' */

export class FetchAttempt {
  #call;
  /** The running attempt, or the last one. @type {Attempt | undefined} */
  attempt;
  /** The response that it brought. @type {any} */
  response;
  /** Whether more happens to a good first response than that the caller gets it. @type {unknown} */
  isWatched = true;
  /** Whether the network failed. */
  failed = false;
  /** Whether the attempt's request was sent: undefined until then, false if the caller's callback failed instead. */
  #sent = /** @type {boolean | undefined} */ (undefined);
  /** The wait that the response asks for, NaN for none, once it was read. @type {number | undefined} */
  #hintMs;
  /** Whether the response has failed: it is to be retried. */
  #isRetried = false;
  /** The request that `prepare` returned instead of the one that it got. @type {any} */
  #replacement;
  /** Whether the request, as it was sent last, may be sent again. */
  #mayRepeat;
  /** The same after its outcome: one that nobody has processed may always. */
  #mayFollow = false;
  /** Whether an earlier attempt has had no response so far: the server may still be working on its request. */
  #follows = false;
  /** Name of the option that decided about the outcome. */
  decidedBy = 'retryOn';
  /** The report of an operation that ended with a response that should have been retried. @type {Report | undefined} */
  report;

  /** @param {import('./call.js').FetchCall} call @param {boolean} mayRepeat */
  constructor(call, mayRepeat) {
    this.#call = call;
    this.#mayRepeat = mayRepeat;
  }

  /**
   * Returns the protection of the request's destination: its origin, unless the caller's function names another.
   * @returns {import('../protection/state.js').State | undefined}
   */
  get protection() {
    const { request, settings } = this.#call;
    const { protection, protectionKey } = settings;
    if (protection === undefined) return undefined;
    if (protectionKey === undefined) {
      const { origin } = request;
      return origin === undefined ? undefined : protection.of(origin);
    }
    const key = protectionKey(request.outline('protectionKey'));
    if (key !== null && typeof key !== 'string') throw problemOf('protectionKey', key, ['', 'textOrNull'], 'return');
    return key === null ? protection : protection.of(key);
  }

  get labels() {
    const { method, origin } = this.#call.request;
    return { method, origin };
  }

  /** @param {Error} error */
  label(error) {
    label(error, this.#call.request);
  }

  /** Makes one attempt: synchronously up to the inner fetch, unless it awaits a callback. @param {Attempt} attempt */
  send(attempt) {
    this.attempt = attempt;
    if (this.isWatched || attempt.attempt > 1) return this.#sendWatched(attempt);
    const [input, init] = this.#call.request.next(1, undefined, undefined);
    return this.#send(input, init);
  }

  /** @param {Attempt} attempt */
  async #sendWatched(attempt) {
    const { request, settings, signals, ownSignal } = this.#call;
    const { prepare, throwOnStatus } = settings;
    this.#sent = this.response = this.#hintMs = this.#replacement = undefined;
    this.#isRetried = false;
    /** Replaces the request's own. @type {AbortSignal | undefined} */
    let signal;
    // React answers a GET without `init.signal` from memory: no second attempt would reach the server. Node warns of
    // many listeners of one signal, and keeps those of each attempt.
    if (ownSignal || attempt.attempt > 1) signal = attempt.signal;
    else if (request.signal === undefined) [signal] = signals;
    let body = this.#ofCaller(attempt, request.factory);
    if (body instanceof Promise) {
      body = await body;
      if (attempt.signal.aborted) {
        cancelBody({ body });
        throw reasonOf(attempt.signal);
      }
    }
    let [input, init] = request.next(attempt.attempt, signal, body);
    if (prepare !== undefined) [input, init] = await this.#prepared(attempt, input, init, signal);
    const response = await this.#send(input, init);
    if (this.#call.over || (ownSignal && attempt.signal.aborted)) {
      // Too late: the operation has gone on without it.
      cancelBody(response);
      return response;
    }
    this.response = response;
    if (throwOnStatus && response?.status >= 400) throw label(new HttpStatusError(response), request);
    return response;
  }

  /** @param {any} input @param {any} init */
  #send(input, init) {
    const { request, place, further } = this.#call;
    this.#call.cancelOffered();
    this.#sent = true;
    const answer = sendFrom(place, init === undefined && further.length === 0 ? [input] : [input, init, ...further]);
    request.isSent = true;
    return answer;
  }

  /** Returns whether the response of a first attempt that nothing watches is the result. @param {any} response */
  accepts(response) {
    this.response = response;
    return !(response?.status >= 400 || this.isCurable(this.#call.settings.retryOn));
  }

  /** Follows the end of the operation. @param {Operation} op */
  finish(op) {
    this.#call.finish(op);
  }

  /**
   * Calls what makes the request, if it is the caller's: its errors are not the request's, whenever they come.
   * @type {(attempt: Attempt, callback: (() => any) | undefined) => any}
   */
  #ofCaller(attempt, callback) {
    const blame = (/** @type {unknown} */ error) => {
      // One that outlived its attempt says nothing about the next.
      if (!attempt.signal.aborted) this.#sent = false;
      throw error;
    };
    try {
      const made = callback?.();
      return Object(made).then ? adopt(made, undefined, blame) : made;
    } catch (error) {
      return blame(error);
    }
  }

  /** Whether the attempt ended before its request was sent: a callback of the caller's threw, or took all its time. */
  get preparing() {
    return this.#sent === false || (!this.#sent && this.attempt?.signal.aborted === true);
  }

  /**
   * Has `prepare` change or replace a request. Returns the arguments for the inner fetch.
   * @type {(attempt: Attempt, input: any, init: any, signal: AbortSignal | undefined) => Promise<any[]>}
   */
  async #prepared(attempt, input, init, signal) {
    const call = this.#call;
    const { request, settings } = call;
    const key = keyOf(request, settings);
    /** @type {any} */
    let sent;
    try {
      const made = init === undefined && request.isRequest ? input : requestFor('prepare', input, init);
      call.isSafe = false;
      this.#replacement = await this.#ofCaller(attempt, async () => {
        const answer = await settings.prepare?.(made, attempt);
        if (answer !== undefined && !isRequest(answer)) throw problemOf('prepare', answer, ['', 'request'], 'return');
        sent = answer ?? made;
        // Too late: the rest is the next attempt's.
        if (attempt.signal.aborted) throw reasonOf(attempt.signal);
        if (key !== '' && keyOf(sent, settings) === '') sent.headers.set(settings.idempotencyHeader, key);
        const couldRepeat = this.#mayRepeat;
        this.#mayRepeat = !request.once && isRepeatable(sent, settings, key);
        // The attempt before may have been processed.
        if (attempt.attempt > 1 && couldRepeat && !this.#mayRepeat)
          throw problemOf('prepare', sent, ['', 'repeatable'], 'return');
        call.isSafe = isSafe(sent.method);
        return answer;
      });
    } catch (error) {
      // Not sent: what the body comes from, a file, say, would stay open.
      if (request.factory !== undefined) cancelBody(sent ?? init);
      throw error;
    }
    request.prepared = sent;
    const abort = signal ?? request.signal;
    // Additions of hosts to the second argument may have no place in a Request.
    return [sent, adding(sent, request.extras(), abort && { signal: abort })];
  }

  /** Returns the same values as `retryIf` and `retryOnResult`, which this replaces. @param {AttemptRun} run */
  ask(run) {
    const { response } = this;
    const ask = () => this.#ask(run);
    if (!this.#call.settings.hint || !response) return ask();
    /** @param {() => any} next */
    const read = (next) =>
      askHint(run, response, () => {
        const { hintMs = NaN } = run;
        if (hintMs >= 0) this.#hintMs = Math.max(hintMs, this.hintMs || 0);
        return next();
      });
    if (response.status >= 400) return read(ask);
    const follow = async () => {
      const verdict = await ask();
      if (run.limits.stopped) return verdict;
      if (verdict !== false) return read(() => verdict);
      if (run.admission?.cools) this.#foresee(run);
      return verdict;
    };
    return follow();
  }

  /** Has the caller's hint note that a success was the last one which a limit allows. @param {AttemptRun} run */
  #foresee(run) {
    const { response, attempt } = this;
    const success = { outcome: response, hintMs: NaN, lastHint: shared().last };
    const follow = () => {
      readHints(success);
      if (success.hintMs > 0) run.admission?.foretell(run, success.hintMs);
    };
    const answer = tell(() => this.#call.settings.hint?.(response, /** @type {Attempt} */ (attempt)), {});
    if (isReference(answer)) adopt(answer, follow, follow);
    else follow();
  }

  /** @param {AttemptRun} run */
  #ask(run) {
    const { settings, request } = this.#call;
    const { retryOn } = settings;
    const attempt = /** @type {Attempt} */ (this.attempt);
    const error = run.failed ? run.outcome : undefined;
    // With `throwOnStatus`, an error may have a response.
    const response = run.failed && !(error instanceof HttpStatusError) ? undefined : this.response;
    const failure =
      response === undefined ? failureOf(error, (error) => this.#isOwn(error), run.hintMs !== undefined) : UNKNOWN;
    const { preparing } = this;
    const unprocessed = preparing || failure === UNPROCESSED;
    this.#follows = attempt.attempt - 1 > this.#call.closed;
    if (unprocessed || response !== undefined) this.#call.closed++;
    this.failed = !preparing && (unprocessed || failure === NETWORK);
    this.#mayFollow = unprocessed || this.#mayRepeat;
    // Everyone slows down, whether or not this request is sent again.
    if (response?.status === 429) run.admission?.throttle(run, this.hintMs);
    if (this.#sent === false) return true;
    // A callback that outlived the attempt's time has sent nothing.
    const retryable =
      preparing || (this.#mayFollow && (response === undefined ? this.failed : this.isCurable(retryOn)));
    if (isFunction(retryOn)) {
      this.decidedBy = 'retryOn';
      return retryOn(Object.freeze({ response, error, attempt: attempt.attempt, method: request.method, retryable }));
    }
    // A policy may have these.
    const name = (this.decidedBy = response === undefined ? 'retryIf' : 'retryOnResult');
    const predicate = settings[name];
    return predicate === undefined || retryOn !== undefined ? retryable : predicate(response ?? error, attempt);
  }

  /** Returns whether another attempt may bring another response; statuses may be given. @param {unknown} [retryOn] */
  isCurable(retryOn) {
    // A mock of fetch may answer with anything.
    const { status, type, headers } = this.response ?? {};
    if (Array.isArray(retryOn)) return retryOn.includes(status);
    if (typeof status !== 'number' || (status >= 200 && status < 300)) return false;
    // A status that is hidden.
    if (status === 0 && `${type}`.startsWith('opaque')) return false;
    const told = headerOf(headers, 'x-should-retry') || headerOf(headers, 'stripe-should-retry');
    if (/^(true|false)$/.test(told)) return told === 'true';
    // The server refuses a key that an earlier attempt's request, which it is still working on, has.
    if (status === 409) return this.#follows && keyOf(this.#call.request, this.#call.settings) !== '';
    // A server that forbids, or finds a body too large, and says when to come back, limits the rate.
    return isTransientStatus(status) || ((status === 403 || status === 413) && this.hintMs > 0);
  }

  /** The wait that the response asks for, in ms; NaN for none. */
  get hintMs() {
    const { respectRetryAfter } = this.#call.settings;
    return (this.#hintMs ??= (respectRetryAfter ? retryAfterMs(this.response) : undefined) ?? NaN);
  }

  /** Returns why no attempt follows: the request must not, or cannot, be sent again. @param {AttemptRun} run */
  forbids(run) {
    const { request, settings } = this.#call;
    if (!this.#mayFollow) return run.failed ? 'notRetryable' : 'success';
    const { hintMs } = this;
    this.#isRetried = true;
    if (!run.failed) emit(run, 'onFailure', run.number);
    if (run.limits.aborted) return 'aborted';
    if (this.#sent === false) return 'callback';
    if (!request.replays && run.number < settings.maxAttempts) return 'bodyNotReplayable';
    run.hintMs = hintMs;
    return undefined;
  }

  /** Returns whether an error is about this request's own connection, before its first byte. @param {any} error */
  #isOwn(error) {
    const sent = this.#replacement ?? this.#call.request;
    try {
      if (sent.streams ?? sent.body !== null) return false;
      const url = addressOf(sent.url);
      return url !== undefined && isAt(error, url, /^(manual|error)$/.test(sent.redirect));
    } catch {
      return false;
    }
  }

  /** Whether a second attempt may start while a slow one is running: two copies of the request do no more than one. */
  get mayHedge() {
    const { request } = this.#call;
    return this.#mayRepeat && request.replays && isSafe(request.method) && this.#call.isSafe;
  }

  /** Returns what makes an attempt of a round. What this one brought is of the past. @returns {FetchAttempt} */
  another() {
    this.response = undefined;
    this.#isRetried = false;
    this.#call.isSafe = true;
    return this.#call.attempt(this.#mayRepeat);
  }

  /** A response has failed once it is to be retried. @type {(hook: string, failed: boolean | undefined) => boolean} */
  hides(hook, failed) {
    return hook === 'onFailure' && !failed && !this.#isRetried;
  }

  eventFields() {
    const status = this.response?.status;
    const hintMs = this.#isRetried ? this.hintMs : NaN;
    return { ...(status !== undefined && { status }), ...(hintMs >= 0 && { hintMs }) };
  }

  /** A wait follows, after which the response is the outcome if no other attempt is made. @param {Operation} op */
  hold(op) {
    this.#call.offer(this, op);
    this.response = undefined;
  }

  /** Another attempt of the round counts: the response is never read. */
  discard() {
    cancelBody(this.response);
  }
}
