// An operation of the reference: attempts, rounds of two where there are hedges, and waits, until it ends.

import { AWAITED } from '../lib/callbacks.mjs';
import { Attempt, outcomeOf } from './attempt.mjs';
import { SUCCESS } from './machines.mjs';
import { tell } from './states.mjs';
import { INTERRUPTED, adopt, elapsed, now, steps, timer } from './timer.mjs';
import { RejectedError, RetryError, SupersededError, TimeoutError, accountOf, blame, isA } from './values.mjs';
import { OWN_CURVE, computedWait, draw, hintedWait } from './waits.mjs';

const { ceil, max, min } = Math;
/** The lane of the draws that protection needs, next to those of waits. */
const BESIDE = 2;

const reports = new WeakMap();
export const retryReport = (value) => reports.get(value);

/** Why a signal has aborted. */
const reasonOf = ({ reason }) =>
  reason === undefined ? Object.assign(new Error(), { name: 'AbortError', code: 20 }) : reason;

/** What an attempt has told. */
const toldOf = ({ progressed, committed } = {}) => ({ progressed, committed });

export class Operation {
  /** All attempts that have started. @type {any[]} */
  attempts = [];
  /** The one that ended last, and the one that may start next. @type {any} */
  last = undefined;
  pending = undefined;
  /** The one whose signal an abort reaches. @type {any} */
  latest = undefined;
  /** Those of the present round that may still decide something. @type {Set<any>} */
  contenders = new Set();
  hedges = 0;
  /** The attempts of the present round. @type {any[]} */
  running = [];
  /** The last computed wait and its draw, and what the caller's own curve said last. */
  computed = {};
  curve = NaN;
  /** How many attempts were before the present row of them, and how many rounds before the present row of waits. */
  before = 0;
  waited = 0;
  /** Whether a cooldown holds it. */
  holds = false;
  /** Tokens that the last retry took that had to, and its number. */
  taken = 0;
  takenFor = 0;
  /** Whether a signal or the deadline has ended it. */
  stopped = false;
  /** Ends what is awaited. */
  cut = () => {};
  /** Cancel the deadline, the present wait, and the hedge. */
  cancels = { deadline() {}, wait() {}, hedge() {} };

  constructor(policy, fn, signals, state, { index, sync }) {
    const { options, parameters, counts } = policy;
    Object.assign(this, { options, parameters, counts, fn, signals, state, index, sync });
    this.startedAt = now();
    if (state.limiter) {
      state.limiter.arrivals += 1;
      this.arrival = state.limiter.arrivals;
    }
    this.deadline = this.startedAt + options.totalTimeoutMs;
    const { idleTimeoutMs: idle = Infinity } = options;
    this.idle = typeof idle === 'number' ? { firstMs: idle, thenMs: idle } : idle;
  }

  get aborted() {
    return this.sync ? this.signals.some(({ aborted }) => aborted) : this.stopped && this.byAbort;
  }

  /** Why it must not go on. */
  get why() {
    if (this.aborted) return 'aborted';
    return this.stopped || this.deadline <= now() ? 'deadline' : undefined;
  }

  /** All steps, from the call to the end. What takes time is yielded. */
  *steps() {
    const { options, signals } = this;
    const ended = signals.find(({ aborted }) => aborted);
    if (ended) throw reasonOf(ended);
    this.counts.operations += 1;
    this.counts.inFlight += 1;
    this.heed = ({ target }) => this.stop(reasonOf(target), true);
    if (!this.sync) {
      for (const signal of signals) signal.addEventListener('abort', this.heed);
      if (this.deadline < Infinity)
        this.cancels.deadline = timer(options.totalTimeoutMs, options.unref, (late) => {
          this.late = late;
          this.stop(this.timedOut(), false);
        });
    }
    const end = this.settle(yield* this.toTheEnd());
    this.dispose();
    if (end.failed) throw end.outcome;
    return end.outcome;
  }

  /** Attempts and waits. Returns why it ends. */
  *toTheEnd() {
    try {
      for (;;) {
        let stop = yield* this.enter();
        stop ??= this.state.hedge ? yield this.raced(this.round()) : yield* this.alone();
        stop ??= yield* this.wait();
        if (stop !== undefined) return stop;
      }
    } catch (thrown) {
      if (this.aborted) return 'aborted';
      return thrown === INTERRUPTED ? 'deadline' : this.fails(this.last, thrown);
    }
  }

  /** The checks before an attempt, which a cooldown may hold. */
  *enter() {
    const { breaker, cooldown, limiter } = this.state;
    this.recorded = this.last?.number;
    const first = this.last?.pays !== true;
    let heldMs;
    let heldAt;
    let queuedAt;
    for (;;) {
      const time = now();
      const open = breaker?.look(time) ?? 0;
      if (open > 0) return this.reject('breaker', open);
      const left = cooldown?.left(time) ?? 0;
      const held = heldMs !== undefined;
      const passes = cooldown?.probes && (held || (first && cooldown.mayProbe(time)));
      if (limiter) {
        // Its queue stands until the hold ends.
        if (left > (cooldown?.maxHoldMs ?? this.parameters.longest)) return this.reject('cooldown', left);
        const known = limiter.wait(this, time);
        if (known === Infinity || this.misses(known, time)) return this.reject('limiter', known);
        const isFirst = limiter.waiting.every(({ arrival }) => arrival >= this.arrival);
        if (!isFirst || !limiter.isFree(time, this.weight())) {
          if (queuedAt === undefined) {
            const [first = this] = limiter.waiting;
            if (limiter.waiting.length >= limiter.maxQueue)
              return this.reject('limiter', limiter.earliest(time, first.weight()) - time);
            limiter.queue(this);
            this.state.tell({ type: 'queued', ...(known > 0 && { waitMs: known }) });
          }
          queuedAt ??= time;
          const turn = new Promise((resolve) => {
            this.wake = resolve;
          });
          if (limiter.waiting[0] === this) limiter.arm(this);
          yield this.raced(turn);
          if (this.why) return this.why;
          continue;
        }
      } else if (left > 0 && !passes) {
        const ms = cooldown.hold(time, this.parameters.base, this.draw());
        const most = cooldown.maxHoldMs ?? this.parameters.longest;
        if (left > most || this.misses(ms, time)) return this.reject('cooldown', left);
        cooldown.held += 1;
        this.holds = true;
        this.state.tell({ type: 'held', holdMs: ms });
        yield* this.sleep(ms);
        if (this.why) return this.why;
        this.leave();
        heldAt ??= time;
        heldMs = elapsed(heldAt, now());
        continue;
      }
      const { pass, wait } = this.state.admit(time, first);
      if (wait !== undefined) return this.reject('breaker', wait);
      if (left > 0 && !held) cooldown.probe(time);
      const until = left > 0 ? cooldown.at(time).until : NaN;
      const queuedMs = queuedAt === undefined ? undefined : elapsed(queuedAt, time);
      this.pending = new Attempt(this, { first, pass, until, heldMs, queuedMs });
      if (limiter) {
        limiter.start(this.pending, this.weight());
        limiter.leave(this);
      }
      return this.aborted ? 'aborted' : undefined;
    }
  }

  /** Starts an attempt, unless its hook forbids that. */
  begin(attempt) {
    this.hook('onAttempt', attempt.number, { hedge: attempt.hedge });
    if (this.why) return this.why;
    this.attempts.push(attempt);
    const { counts } = this;
    counts.attempts += 1;
    if (attempt.hedge) {
      this.hedges += 1;
      counts.hedges += 1;
    } else {
      this.pending = undefined;
      if (attempt.number > 1) counts.retries += 1;
    }
    attempt.startedAt = now();
    if (!this.state.hedge) this.latest = attempt;
    attempt.begin();
    return undefined;
  }

  *alone() {
    const attempt = this.pending;
    return this.begin(attempt) ?? (yield* this.attempt(attempt));
  }

  /** An attempt, and its hedge if it is slow: until one of them decides the operation, or both have failed. */
  round() {
    const attempt = this.pending;
    const { hedge } = this.state;
    this.latest = undefined;
    const stop = this.begin(attempt);
    if (stop !== undefined) return stop;
    this.running = [attempt];
    return new Promise((resolve) => {
      const contend = (each) => {
        this.contenders.add(each);
        steps(this.contend(each, resolve), 0);
      };
      const from = now();
      const delayMs = this.attemptsLeft(attempt.number) > 0 ? hedge.delay(from) : undefined;
      if (from + delayMs < this.deadline)
        this.cancels.hedge = timer(delayMs, this.options.unref, () => {
          const second = this.why ? undefined : this.hedge();
          if (second) contend(second);
        });
      contend(attempt);
    });
  }

  /** An attempt of a round, which ends that or does not. */
  *contend(attempt, ends) {
    const end = yield* this.attempt(attempt);
    if (this.decides(attempt, end)) ends(end);
  }

  /** Starts a hedge if the rules allow one. */
  hedge() {
    const { hedge, breaker, cooldown } = this.state;
    const time = now();
    const calm = (breaker?.phase ?? 'closed') === 'closed' && !(cooldown?.left(time) > 0);
    const { limiter } = this.state;
    const starts = !limiter || (limiter.waiting.length === 0 && limiter.isFree(time, this.weight()));
    const own = calm && starts ? hedge.budget.take(false) : 0;
    const taken = own > 0 ? this.state.take(false) : 0;
    if (own === 0 || taken === 0) {
      if (own > 0) hedge.budget.putBack(own);
      hedge.rejected += 1;
      return undefined;
    }
    const second = new Attempt(this, { first: false, pass: this.state.admit(time, false).pass, hedge: true });
    limiter?.start(second, this.weight());
    if (this.begin(second) === undefined) {
      hedge.hedges += 1;
      this.running.push(second);
      return second;
    }
    second.close('aborted');
    hedge.budget.putBack(own);
    this.state.putBack(taken);
    return undefined;
  }

  /** Whether the end of a contender is that of the round. */
  decides(attempt, stop) {
    if (this.stopped || !this.contenders.delete(attempt)) return false;
    if (stop === undefined && this.contenders.size > 0) return false;
    const others = this.running.filter((each) => each !== attempt);
    this.running = [];
    if (stop !== undefined) {
      this.dispose();
      if (stop === 'success' && attempt.hedge) this.state.hedge.won += 1;
      attempt.close(stop);
      for (const each of others) each.lose();
      attempt.endedAt ??= now();
      this.last = this.latest = attempt;
      return true;
    }
    // What ended last counts, with what any of them says.
    const { last } = this;
    this.latest = last;
    for (const { hintMs, throttled, pays, ownUntil } of this.attempts.slice(-1 - others.length)) {
      if (hintMs >= 0) last.hintMs = max(hintMs, last.hintMs || 0);
      last.throttled ||= throttled;
      last.pays ||= pays;
      if (ownUntil > (last.ownUntil ?? -Infinity)) last.ownUntil = ownUntil;
    }
    return true;
  }

  /** An attempt must not be repeated: the others of its round have lost. */
  commits(attempt) {
    this.cancels.hedge();
    for (const each of [...this.contenders].filter((each) => each !== attempt)) {
      this.contenders.delete(each);
      each.stop(new SupersededError());
      each.lose();
    }
    if (this.state.hedge) this.running = [attempt];
  }

  /** A failure after progress starts the row again, and that of waits if the attempt was no short one. */
  beginAnew({ startedAt, endedAt }) {
    this.before = this.attempts.length - 1;
    if (elapsed(startedAt, endedAt) < this.ceiling(this.rounds - 1 - this.waited)) return;
    this.waited = this.rounds - 1;
    this.computed = {};
  }

  /** The ceiling of wait k; of a jitter without a curve, its highest draw. */
  ceiling(k) {
    const { parameters, computed, curve } = this;
    const jitter = OWN_CURVE.includes(parameters.jitter) ? parameters.jitter : 'none';
    return k === 0 ? 0 : computedWait({ ...parameters, jitter }, k, { ...computed, own: curve }).at(1, 1);
  }

  /** The attempt that counts so far: the one that runs, but that of a round which has ended. */
  get present() {
    const { last, running } = this;
    if (running.length > 0) return running.includes(last) ? last : running[0];
    return this.attempts.find(({ runs }) => runs) ?? last;
  }

  /** How many attempts may follow one, whose failure may be the first of the row. */
  attemptsLeft(number) {
    return this.options.maxAttempts - max(number - this.before, min(this.before, 1));
  }

  /** The token of a retry that gained something comes back. */
  gained() {
    this.state.gained(this.taken);
    this.taken = 0;
  }

  get rounds() {
    return this.attempts.length - this.hedges;
  }

  /** Whether an attempt has been overtaken by the end of its operation. */
  isOver(attempt) {
    return this.aborted || (this.state.hedge !== undefined && (this.stopped || !this.contenders.has(attempt)));
  }

  /** An attempt, until its caller has classified it. Returns why that ends the operation. */
  *attempt(attempt) {
    const { options } = this;
    try {
      let answer;
      let failed = false;
      try {
        const { fn } = this;
        answer = yield this.raced(fn(attempt.view), attempt);
      } catch (thrown) {
        [answer, failed] = [thrown, true];
      }
      attempt.lives = false;
      attempt.cancel();
      attempt.cut = () => {};
      // Another attempt has ended the operation.
      if (attempt.endedAt !== undefined) return 'aborted';
      if (answer === INTERRUPTED) {
        if (attempt.timeout === undefined) return 'timeout';
        answer = attempt.timeout;
      }
      attempt.failed = failed;
      const { light } = options;
      const said = light && !failed ? { shown: answer } : accountOf(answer);
      // What should have been thrown.
      if (!failed && said.marked) throw new TypeError('rejitter: ', { cause: answer.cause });
      if (this.isOver(attempt)) return 'aborted';
      attempt.outcome = said.shown;
      if (!failed && (options.retryOnResult === undefined || attempt.committed)) {
        this.last = attempt;
        return 'success';
      }
      attempt.endedAt = now();
      if (attempt.progressed) this.beginAnew(attempt);
      attempt.hintMs = failed && !light ? said.afterMs : NaN;
      attempt.throttle();
      this.hook('onFailure', attempt.number, { hedge: attempt.hedge, ...outcomeOf(attempt), ...toldOf(attempt) });
      this.cancels.hedge();
      this.last = attempt;
      if (this.isOver(attempt)) return 'aborted';
      let stays;
      if (failed) stays = isA(answer, RejectedError) ? 'notRetryable' : said.permanent ? 'permanent' : undefined;
      if (failed && attempt.committed) {
        if (stays) attempt.close(stays);
        else attempt.classify(false);
        return 'committed';
      }
      if (stays) return stays;
      if (failed && options.hint) {
        yield* this.hinted(attempt, said.afterMs);
        if (this.isOver(attempt)) return 'aborted';
      }
      const predicate = failed ? options.retryIf : options.retryOnResult;
      let verdict = predicate === undefined || predicate(attempt.outcome, attempt.view);
      if (Object(verdict) === verdict) verdict = yield this.raced(verdict, attempt);
      if (this.isOver(attempt)) return 'aborted';
      const afterMs = typeof verdict === 'object' ? verdict?.afterMs : undefined;
      if (typeof verdict !== 'boolean' && !(typeof afterMs === 'number' && afterMs >= 0))
        throw new (typeof afterMs === 'number' ? RangeError : TypeError)('rejitter: ');
      attempt.demandedMs = afterMs;
      attempt.classify(verdict !== false);
      if (verdict !== false) return undefined;
      return failed ? 'notRetryable' : 'success';
    } catch (thrown) {
      if (this.isOver(attempt)) return 'aborted';
      return thrown === INTERRUPTED ? 'deadline' : this.fails(attempt, thrown);
    }
  }

  /** Asks the caller for the wait that a server asks for. What the callback itself asked for stands above it. */
  *hinted(attempt, afterMs) {
    const report = (ms) => console.error(new (typeof ms === 'number' ? RangeError : TypeError)('rejitter: '));
    let ms = tell(() => this.options.hint(attempt.outcome, attempt.view), {});
    if (Object(ms) === ms) {
      if (this.sync && typeof ms.then === 'function') return report();
      try {
        ms = yield this.raced(ms, attempt);
      } catch (thrown) {
        if (thrown === INTERRUPTED) throw thrown;
        // Reported already.
        return undefined;
      }
    }
    if (this.isOver(attempt)) return undefined;
    if (typeof ms === 'number' && ms >= 0) {
      if (!(afterMs >= 0)) attempt.hintMs = max(ms, attempt.hintMs || 0);
    } else if (ms !== undefined) report(ms);
    return undefined;
  }

  /** A callback other than the operation itself has thrown, or returned what it must not. */
  fails(attempt, thrown) {
    if (attempt.endedAt !== undefined) attempt.classify(false);
    const { light } = this.options;
    const error = light ? thrown : accountOf(thrown).shown;
    if (attempt.failed && !light) blame(error, attempt.outcome);
    if (attempt.endedAt === undefined) attempt.outcome = error;
    attempt.fault = { error };
    this.last = attempt;
    return 'callback';
  }

  /** The wait before the next attempt. */
  *wait() {
    const { options, last } = this;
    const answer = this.plan(last);
    if (typeof answer === 'string') return answer;
    last.delayMs = answer;
    this.counts.totalWaitMs += answer;
    this.counts.maxWaitMs = max(this.counts.maxWaitMs, answer);
    const said = { ...outcomeOf(last), ...toldOf(last), delayMs: answer };
    this.hook('onRetry', this.attempts.length, said);
    yield* this.sleep(answer);
    if (this.why || options[AWAITED] === undefined) return this.why;
    yield this.raced(options[AWAITED](Object.freeze(this.event(this.attempts.length, said))));
    return this.why;
  }

  /** Returns how long to wait, or why there is no other attempt. */
  plan(last) {
    if (this.aborted) return 'aborted';
    if (this.attempts.length - this.before >= this.options.maxAttempts) return 'exhausted';
    let ms = last.demandedMs ?? this.compute(last.hintMs);
    const late = this.misses(ms, now());
    if (this.aborted) return 'aborted';
    if (ms < 0) return 'hint';
    if (late) return 'deadline';
    const { budget, breaker, cooldown } = this.state;
    if (this.before > 0 && this.before === this.attempts.length - 1) this.gained();
    const time = now();
    const left = cooldown?.left(time) ?? 0;
    const { limiter } = this.state;
    const known = limiter?.wait(this, time) ?? 0;
    if (known > ms && (known === Infinity || this.misses(known, time))) return this.reject('limiter', known);
    if (left > 0 && !limiter && cooldown.at(time).until !== last.ownUntil) {
      const hold = cooldown.hold(time, this.parameters.base, this.draw());
      if (hold > ms && this.misses(hold, time)) return this.reject('cooldown', left);
      ms = max(ms, hold);
    }
    const open = breaker?.look(time) ?? 0;
    if (open > ms) return this.reject('breaker', open);
    if (budget === undefined || !last.pays) return ms;
    const taken = this.state.take(last.throttled);
    if (taken === 0) {
      this.state.tell({ type: 'rejected', by: 'budget' });
      return 'budget';
    }
    [this.taken, this.takenFor] = [taken, this.attempts.length + 1];
    return ms;
  }

  /** The wait by the formulas; below 0 if the server asks for too much. */
  compute(hintMs) {
    const { parameters, options, index } = this;
    const { jitter, backoff, longest, followsFar } = parameters;
    const { rounds } = this;
    const k = rounds - this.waited;
    const hinted = hintMs > 0;
    const draws = [];
    if (options.seed !== undefined)
      draws.push(draw(options.seed, index, rounds, 0), draw(options.seed, index, rounds, 1));
    else if (hinted || jitter !== 'none') draws.push(this.number(options.random(), 1 - 2 ** -53));
    const curve = backoff === 'function' ? this.number(options.backoff(k), Infinity) : undefined;
    // The second draw is of digits that do not decide whether it is needed.
    draws[1] ??= ((draws[0] ??= 0) * 2 ** 26) % 1;
    const wait = computedWait(parameters, k, { ...this.computed, own: curve });
    this.curve = curve ?? NaN;
    if (!hinted) {
      const ms = wait.at(...draws);
      this.computed = { previous: ms, previousR: draws[0] };
      return ms;
    }
    return hintMs > min(longest, Number.MAX_SAFE_INTEGER) && !followsFar
      ? -1
      : hintedWait(parameters, hintMs, wait).at(...draws);
  }

  /** An answer of a callback that must be a number. */
  number(value, most) {
    if (typeof value === 'number' && value >= 0 && value <= most) return value;
    throw new (this.options.light && typeof value !== 'number' ? TypeError : RangeError)('rejitter: ');
  }

  /** The draw of protection. */
  draw(number = this.attempts.length) {
    const { seed, random } = this.options;
    return seed === undefined ? random() : draw(seed, this.index, number, BESIDE);
  }

  /** The units that the next attempt takes. */
  weight() {
    const { weight = 1 } = this.options;
    return typeof weight === 'function' ? weight(this.attempts.length + 1) : weight;
  }

  /** Whether a wait ends too late for an attempt: it must leave a millisecond. */
  misses(ms, time) {
    return ceil(ms) + 1 > this.deadline - time;
  }

  *sleep(ms) {
    const { unref, light } = this.options;
    // The caller goes on before the end.
    if (this.stopped) yield undefined;
    else if (!this.sync)
      yield new Promise((resolve) => {
        this.cut = resolve;
        this.cancels.wait = timer(ms, unref, resolve, light === true);
      });
    else if (!this.why) Atomics.wait(undefined, 0, 0, min(ceil(ms), this.deadline - now()));
  }

  /** A promise of what a value comes to, or of an interruption. */
  raced(value, holder = this) {
    if (this.sync) return value;
    return new Promise((resolve, reject) => {
      adopt(value, resolve, reject);
      holder.cut = reject;
      if (this.stopped) reject(INTERRUPTED);
    });
  }

  /** A signal or the deadline ends the operation. */
  stop(reason, byAbort) {
    if (this.stopped) return;
    Object.assign(this, { stopped: true, byAbort, reason });
    this.cut(INTERRUPTED);
    this.dispose();
    if (this.contenders.size === 0) this.latest?.stop(reason);
  }

  /** Nothing interrupts it any more: its signals, its timers, and attempts that run. */
  dispose() {
    for (const signal of this.signals) signal.removeEventListener('abort', this.heed);
    for (const cancel of Object.values(this.cancels)) cancel();
    if (!this.state.hedge) this.attempts.at(-1)?.cancel();
    for (const each of this.contenders) each.stop(this.stopped ? this.reason : new SupersededError());
    if (!this.stopped) this.contenders.clear();
  }

  /** The error of the deadline. */
  timedOut() {
    return new TimeoutError('', this.last?.failed ? { cause: this.last.outcome } : undefined);
  }

  hook(name, number, more) {
    const hook = this.options[name];
    if (hook) tell(hook, this.event(number, more));
  }

  event(attempt, more) {
    const { name } = this.options;
    return {
      attempt,
      attemptsLeft: this.attemptsLeft(attempt),
      name,
      ...more,
      elapsedMs: elapsed(this.startedAt, now()),
    };
  }

  /** How the operation ends. */
  settle(reason) {
    const { options, counts, state } = this;
    const { aborted } = this;
    if (aborted) reason = 'aborted';
    else if (reason === 'deadline' && (this.attempts.length === 0 || this.attempts.some(({ runs }) => runs)))
      reason = 'timeout';
    const late = ['timeout', 'deadline'].includes(reason);
    const held = this.holds;
    this.leave();
    if (state.limiter?.leave(this) && late) {
      const { limiter } = state;
      reason = this.reject('limiter', limiter.status(now()).nextMs);
    } else if (held && late) reason = this.reject('cooldown', state.cooldown.left(now()));
    if (aborted && this.sync) {
      this.reason = reasonOf(this.signals.find(({ aborted }) => aborted));
      this.attempts.at(-1)?.controller.abort(this.reason);
    }
    const { last } = this;
    for (const attempt of [last, ...this.attempts, this.pending]) if (attempt) attempt.close(reason);
    const told = toldOf(this.present);
    if (this.takenFor > this.attempts.length) state.putBack(this.taken);
    else if ((reason !== 'success' || last.verdict !== SUCCESS) && told.progressed) this.gained();
    counts.inFlight -= 1;
    if (reason === 'success') {
      if (last.verdict === SUCCESS) {
        state.succeeded(this.taken);
        state.hedge?.budget.succeeded(0);
      }
      const first = this.rounds === 1;
      counts[first ? 'firstAttemptSuccesses' : 'retriedSuccesses'] += 1;
      this.hook('onSuccess', last.number, { ...outcomeOf(last), ...told });
      return last;
    }
    const cut = aborted || reason === 'timeout';
    if (cut && !this.stopped && !this.sync) this.reason = this.timedOut();
    const error = cut ? this.reason : last?.fault?.error;
    for (const each of this.attempts.filter(({ runs }) => runs)) {
      Object.assign(each, { endedAt: now(), failed: true, outcome: error });
    }
    let end = last;
    if (!aborted && this.rejection?.error) end = { failed: true, outcome: this.rejection.error };
    else if (cut ? aborted || last === undefined || last.failed : last?.fault) end = { failed: true, outcome: error };
    const report = this.report(reason);
    counts.failures[reason] = (counts.failures[reason] ?? 0) + 1;
    this.hook('onGiveUp', this.attempts.length, { ...outcomeOf(end), ...told, reason, report });
    const { failed, outcome } = end;
    const wraps = failed
      ? options.finalError === 'wrap' && !aborted && !isA(outcome, RejectedError)
      : options.finalResult === 'reject';
    const value = wraps ? new RetryError(outcome, report, failed) : outcome;
    if (!aborted && Object(value) === value) reports.set(value, report);
    return { failed: failed || wraps, outcome: value };
  }

  report(reason) {
    const { startedAt, attempts, rejection } = this;
    const kept = attempts.filter((_, i) => i === 0 || i > attempts.length - 10);
    // Of the last failure; an attempt that runs or returns a mark is none.
    const hint = [this.last, ...attempts.toReversed()].find((each) => each?.hintMs !== undefined)?.hintMs;
    const records = kept.map(
      ({ number: attempt, delayMs, heldMs, queuedMs, hedge, superseded, progressed, committed, ...each }) =>
        Object.freeze({
          ...{ attempt, delayMs, heldMs, queuedMs, hedge, superseded, progressed, committed, ...outcomeOf(each) },
          startMs: elapsed(startedAt, each.startedAt),
          durationMs: elapsed(each.startedAt, each.endedAt),
        }),
    );
    return Object.freeze({
      reason,
      attempts: attempts.length,
      elapsedMs: elapsed(startedAt, now()),
      hintMs: hint >= 0 ? hint : undefined,
      retryAfterMs: rejection?.retryAfterMs,
      dropped: attempts.length - records.length,
      records: Object.freeze(records),
    });
  }

  /** Leaves the place among the held attempts. */
  leave() {
    if (this.holds) this.state.cooldown.held -= 1;
    this.holds = false;
  }

  /** Protection rejects the next attempt: with an error of its own if nothing has failed that can be the last word. */
  reject(by, retryAfterMs) {
    const part = this.state[by];
    const { last } = this;
    part.rejected += 1;
    const own = this.attempts.length === 0 || (last?.answered && !last.failed);
    this.rejection = { retryAfterMs, error: own ? new RejectedError(by, retryAfterMs, part.cause) : undefined };
    this.state.tell({ type: 'rejected', by, retryAfterMs });
    return by;
  }
}
