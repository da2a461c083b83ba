// Does what a schedule says: makes the protections, policies and signals, calls the operations, and plays the
// callbacks, writing down everything that happens.

import { tracingChannel } from 'node:diagnostics_channel';
import { runInNewContext } from 'node:vm';

import { OPTIONS } from '../../../xtask/npm/options.mjs';
import { AWAITED } from '../lib/callbacks.mjs';
import { SOON } from './schedule.mjs';
import { RESULTS, failure, value } from './values.mjs';
import { World, current, describe } from './world.mjs';

const UNSET = Object.fromEntries(OPTIONS.map(({ name }) => [name, undefined]));

/** An attempt beyond what any operation allows does not end, so that a broken package cannot run forever. */
const MOST_CALLS = 80;

/** Later than anything of a schedule, except calls that never settle. */
const AFTERWARDS = 1e9;

/** @returns {Promise<World>} when all has ended */
export async function play(schedule, pkg) {
  const stage = new Stage(schedule, pkg);
  if (schedule.traced) CHANNEL.subscribe(SUBSCRIBERS);
  try {
    stage.begin();
    await stage.live();
  } finally {
    if (schedule.traced) CHANNEL.unsubscribe(SUBSCRIBERS);
  }
  stage.over();
  return stage;
}

const CHANNEL = tracingChannel('rejitter:operation');
const SUBSCRIBERS = Object.fromEntries(
  ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((stage) => [
    stage,
    ({ error, result }) => current().note('traced', current().current(), { stage, error, result }),
  ]),
);

class Stage extends World {
  /** The key is the operation's place in the schedule, or 'policy'. */
  signals = new Map();
  /** @type {{ options: any, object: any }[]} */
  policies = [];
  byAttempt = new WeakMap();

  begin() {
    const { schedule } = this;
    this.protections = schedule.protections.map((parts) => this.protection(parts));
    for (const { id, signal } of [{ ...schedule.policies[0], id: 'policy' }, ...schedule.operations])
      if (signal && signal !== 'policy') this.signals.set(id, this.signal(signal, id));
    // Before any call, in which time may pass.
    for (const event of schedule.events)
      if (event.at < 0) this.happen(event);
      else this.later(event.at, () => this.happen(event));
    for (const policy of schedule.policies) this.policy(policy);
    for (const plan of schedule.operations) {
      if (plan.at === 0 && this.protections.length === 0) this.start(plan);
      // With protection, each call has a macrotask of its own: what happens in it then has one order.
      else this.later(plan.at, () => this.start(plan));
    }
    for (const lie of schedule.lies) this.later(lie.at, () => this.lie(lie));
    if (schedule.afterwards) this.endWell();
  }

  /** Reads what can be read when all has ended. */
  over() {
    const { schedule, log, policies } = this;
    const from = log.length;
    this.read();
    // After traffic and time.
    if (schedule.afterwards && log.slice(from).some(({ seen }) => (seen.breaker?.state ?? 'closed') !== 'closed'))
      this.problem('recovery', 'the breaker is not closed');
    if (schedule.policies[0].options.metrics) this.note('metrics', undefined, policies[0].object.metrics());
    for (const operation of this.operations) {
      // Those that nobody has read are made when they are read here.
      const reasons = operation.received.map((attempt) => {
        const { aborted, reason } = attempt?.signal ?? {};
        return aborted && [reason];
      });
      this.note('signals', operation, { reasons });
    }
  }

  protection({ throws, aborts, isFailure, ...parts }) {
    const { pkg } = this;
    const onEvent = (event) => {
      const operation = this.current();
      this.note('protection', operation, event);
      if (aborts === event.type) this.abort(operation?.plan.id, operation?.plan.reason);
      // What it rejects with is no one's to await.
      if (throws && event.type === 'rejected') return Promise.reject(new Error('of onEvent'));
      if (throws) throw new Error('of onEvent');
      return undefined;
    };
    const classify = (end) => {
      this.note('isFailure', this.current(), end);
      const { says } = end.error ?? end.result ?? {};
      if (says === 'throw') throw new Error('isFailure');
      return says;
    };
    const made = Object.entries(parts).flatMap(([name, options]) => (options ? [pkg[name](options)] : []));
    const object = pkg.protect(...made, { onEvent, ...(isFailure && { isFailure: classify }) });
    return { object, keys: new Set([undefined]) };
  }

  /**
   * Long after: calls that succeed, as many as any breaker needs to close, and one that a circuit may reject whose
   * clock was set back.
   */
  endWell() {
    for (const [of, { keys }] of this.protections.entries()) {
      const policy = { of, options: { maxAttempts: 1 }, uses: { hooks: [], random: 'constant' } };
      const plan = { policy: this.policy(policy), policyOf: policy, via: 'run', draw: 0.5, attempts: [], last: true };
      const calls = () => {
        for (const [j, key] of [...keys].entries()) this.later(j, () => this.start({ ...plan, key }));
      };
      for (let k = 0; k < 4; k += 1) this.later(AFTERWARDS + k * 1e6, calls);
    }
  }

  lie({ by, stands }) {
    if (by !== undefined) {
      this.offset += by;
      if (this.stands !== undefined) this.stands += by;
    } else if (this.stands === undefined) {
      this.stands = this.reading;
      this.later(stands, () => {
        this.stands = undefined;
      });
    }
  }

  happen({ abort, reason, protection, key, close, open, drain, read }) {
    if (abort !== undefined) return this.abort(abort, reason);
    if (read) return this.read();
    const { object, keys } = this.protections[protection];
    keys.add(key);
    this.note('byHand', undefined, undefined, { protection, key, close, open });
    const state = key === undefined ? object : object.for(key);
    if (drain) return state.drain();
    return close ? state.close() : state.open(open);
  }

  signal(kind, name) {
    const listeners = new Set();
    const controller = kind === 'bare' ? bareController(listeners) : new AbortController();
    const { signal } = controller;
    for (const [method, change] of [
      ['addEventListener', 'add'],
      ['removeEventListener', 'delete'],
    ]) {
      const original = signal[method];
      signal[method] = (type, listener, ...rest) => {
        if (type !== 'abort') this.problem('leftovers', `a listener for ${type}`);
        listeners[change](listener);
        if (listeners.size > this.operations.length)
          this.problem('footprint', `${listeners.size} listeners on one signal`);
        return original.call(signal, type, listener, ...rest);
      };
    }
    return { name, controller, signal, listeners, aborted: false };
  }

  abort(name, kind) {
    const record = this.signals.get(name);
    if (record === undefined || record.aborted) return;
    const reason = value(kind);
    this.call(reason, `the reason of ${name}`);
    record.aborted = true;
    this.note('abort', undefined, undefined, { signal: name });
    const operation = this.operations.find((each) => each.signals.includes(record));
    // Its hooks run before this macrotask ends.
    if (this.schedule.single && operation !== undefined) this.alone = operation;
    try {
      record.controller.abort(reason);
    } catch (error) {
      this.problem('unhandled', `abort() threw ${describe(error)}`);
    }
    this.call(record.signal.reason, `the reason of ${name}`);
  }

  /**
   * A callback aborts. Where other operations of the signal may act in this macrotask as well, the abort comes in one
   * of its own: how many turns of promises lie between two callbacks is promised nowhere, and so, how far the others
   * are.
   */
  abortWithin(name, kind) {
    const alone = this.root === this.current() && this.operations.every(({ startedIn }) => startedIn !== this.turn);
    if (name !== 'policy' || this.schedule.single || alone) this.abort(name, kind);
    else this.later(0, () => this.abort(name, kind));
  }

  /** Makes a policy; returns its number. Functions that are named have options only. */
  policy({ of, options: plain, uses, signal, preset, named }) {
    // An undefined option is the same as none; one of a preset would be unset.
    const options = { ...(this.schedule.clock.skew % 2 === 0 && preset === undefined && UNSET), ...plain };
    if (of !== undefined) options.protection = this.protections[of].object;
    if (options.weight === 'function') options.weight = (number) => 1 + (number % 2);
    if (options.backoff === 'function') options.backoff = (k) => this.number('curve', k);
    if (signal) options.signal = this.signals.get('policy').signal;
    if (uses.random === 'constant') options.random = () => this.current()?.plan.draw ?? 0.5;
    else if (uses.random) options.random = () => this.number('random', undefined);
    for (const name of ['hint', 'retryIf', 'retryOnResult'])
      if (uses[name])
        options[name] = (outcome, attempt) =>
          this.callback(name, this.byAttempt.get(attempt), PREDICATES[name], { outcome }, outcome);
    if (uses[AWAITED])
      options[AWAITED] = (event) => this.callback('before', undefined, 'befores', { event }, event.error);
    for (const hook of uses.hooks) options[hook] = (event) => this.callback('hook', undefined, hook, { hook, event });
    const { RetryPolicy, presets } = this.pkg;
    const object = named === undefined ? new RetryPolicy({ ...presets?.[preset], ...options }) : undefined;
    return this.policies.push({ options, object }) - 1;
  }

  /**
   * A call of a callback other than the operation itself. `list` names what its plan says about these calls; `received`
   * is the outcome that it gets.
   */
  callback(kind, known, list, seen, received) {
    const operation = known ?? this.current();
    if (operation === undefined) return this.problem('isolation', `${list} runs outside any operation's context`);
    const nth = (operation.counts[list] = (operation.counts[list] ?? -1) + 1);
    const steps = kind === 'hook' ? operation.plan.hooks?.[list] : operation.plan[list];
    return this.play(steps?.[nth] ?? FURTHER[kind], this.note(kind, operation, seen, { received }), operation);
  }

  number(kind, k) {
    return this.callback(kind, undefined, kind === 'random' ? 'draws' : 'curve', { k }, this.current()?.shown);
  }

  /** Calls an operation. `plan` says what its callbacks do. */
  start(plan) {
    const policy = plan.policyOf ?? this.schedule.policies[plan.policy];
    const own = plan.signal === 'policy' ? 'policy' : plan.id;
    const names = new Set([policy.signal ? 'policy' : undefined, plan.signal ? own : undefined]);
    const operation = {
      id: this.idOf(plan.id, this.current()),
      inside: 0,
      plan,
      policy,
      counts: {},
      received: [],
      /** Ends of attempts that come in the macrotask in which another one ends. */
      together: [],
      settled: false,
      startedIn: this.turn,
      signals: [...names].map((name) => this.signals.get(name)).filter((record) => record !== undefined),
    };
    this.operations.push(operation);
    if (policy.of !== undefined && plan.via !== 'off') this.protections[policy.of].keys.add(plan.key);
    return this.within(operation, () => {
      this.note('call', operation, { aborted: operation.signals.some((signal) => signal.aborted) });
      try {
        const promise = this.called(operation);
        if (plan.via === 'sync') return this.settled(operation, true, promise);
        if (!(promise instanceof Promise)) this.problem('settlement', 'no promise came back');
        promise.then(
          (value) => this.settled(operation, true, value),
          (error) => this.settled(operation, false, error),
        );
        return promise;
      } catch (error) {
        if (plan.via === 'sync') return this.settled(operation, false, error);
        return this.problem('settlement', `the call threw ${describe(error)}`);
      }
    });
  }

  /** One inside another has a number between that one's and the next: which one starts first in a turn may be open. */
  idOf(planned, outer) {
    if (outer === undefined) return planned ?? 1000 + this.operations.length;
    outer.inside += 1;
    return outer.id + outer.inside / 64;
  }

  called(operation) {
    const { plan, policy } = operation;
    const { via, key } = plan;
    const { options, object } = this.policies[plan.policy];
    const stage = this;
    function fn(...args) {
      // The function's own receiver is nothing. That of rejitter/light gets an undefined second argument.
      if (this !== undefined || args.length > 1 + stage.schedule.light)
        stage.problem('isolation', 'an attempt gets more than itself');
      return stage.attempted(operation, args[0]);
    }
    const signal = plan.signal && { signal: this.signals.get(plan.signal === 'policy' ? 'policy' : plan.id).signal };
    const keyed = policy.of !== undefined && key !== undefined;
    if (via === 'wrap')
      return object.wrap((argument) => {
        if (argument !== 'argument') this.problem('identity', 'a wrapped function lost its argument');
        return this.attempted(operation, undefined);
      })('argument');
    if (via === 'off') return object.run(fn, { ...signal, protection: false });
    if (via === 'run') return object.run(fn, signal || keyed ? { ...signal, ...(keyed && { key }) } : undefined);
    // Only policies count, and have keys.
    const { metrics, protection, ...own } = options;
    const of = protection && { protection: keyed ? protection.for(key) : protection };
    return this.pkg[via === 'sync' ? 'retrySync' : (policy.named ?? 'retry')](fn, { ...own, ...of, ...signal });
  }

  settled(operation, ok, value) {
    for (const signal of operation.signals) {
      const others = this.operations.some(
        (other) => other !== operation && !other.settled && other.signals.includes(signal),
      );
      if (signal.listeners.size > 0 && !others) this.problem('leftovers', 'a listener is left at settlement');
    }
    // The timer of a queue is everyone's.
    if (!this.limits && [...this.timers].some((timer) => timer.operation === operation))
      this.problem('leftovers', 'a timer is left at settlement');
    operation.settled = true;
    this.note('settle', operation, { ok, value, report: this.pkg.retryReport(value) });
  }

  attempted(operation, attempt) {
    const n = operation.received.length + 1;
    const seen = { n };
    const entry = this.note('fn', operation, seen, { attempt });
    if (n > MOST_CALLS) {
      this.problem('attempts', `more than ${MOST_CALLS} attempts`);
      return new Promise(() => {});
    }
    operation.received.push(attempt);
    // A wrapped function receives no attempt.
    if (attempt !== undefined) {
      this.byAttempt.set(attempt, operation);
      const { attempt: number, attemptsLeft, name, previousError, previousDelayMs } = attempt;
      const { clock, light } = this.schedule;
      const { skew } = clock;
      Object.assign(seen, { number }, !light && { attemptsLeft, name, previousError, previousDelayMs });
      // Not always: an unread signal is another path through the package.
      if ((n + skew) % 2 === 0) {
        const { signal } = attempt;
        seen.aborted = signal.aborted;
        signal.onabort = () => this.note('attemptAborted', operation, { n, signal: signal.reason });
      }
      if ((n + skew) % 3 === 0 && !light) [seen.elapsedMs, seen.remainingMs] = [attempt.elapsedMs, attempt.remainingMs];
    }
    const { last, stubborn, attempts } = operation.plan;
    // Whether an attempt that has ended tells as well is tried with its own functions, which need no `this`.
    for (const { tell, ms } of (attempt && attempts[n - 1]?.tells) ?? []) {
      const { [tell]: told } = attempt;
      this.later(ms, () => void told());
    }
    const further = last || (!stubborn && this.protections.length === 0) ? SUCCESS : n < 20 ? FAILURE : LAST;
    return this.play(attempts[n - 1] ?? (this.limits ? soon(further) : further), entry, operation);
  }

  /** One callback: what it does, then how it ends. */
  play({ before, end }, entry, operation) {
    let inner;
    for (const act of before) inner = ACTS[act.do](this, act) ?? inner;
    if (end.how === 'never') return new Promise(() => {});
    const done = (ok, shown, heeded = false) => {
      if (entry.ended) return;
      entry.ended = true;
      this.note('end', operation, undefined, { of: entry, ok });
      // Not the reason of its signal.
      if (entry.kind === 'fn') operation.shown = ok || heeded ? undefined : shown;
    };
    if (end.how === 'inner') {
      inner.then(
        (result) => done(true, result),
        (error) => done(false, error),
      );
      return inner;
    }
    // An inner operation that goes on by itself has its own end.
    inner?.catch(() => {});
    const { ok, how, ms } = end;
    const { thrown, shown } = this.make(end, entry, operation);
    const settle = (resolve, reject) => {
      done(ok, shown);
      (ok ? resolve : reject)(thrown);
    };
    if (how === 'thenable') return thenable(end.style, settle, this, ms);
    if (how === 'later' || how === 'together')
      return new Promise((resolve, reject) => {
        const ends = () => settle(resolve, reject);
        if (end.heeds !== undefined) this.heed(entry.attempt?.signal, end.heeds, done, reject);
        if (how === 'together') operation.together.push({ ends, before: end.before });
        else this.later(ms, entry.kind === 'fn' ? () => this.endAll(operation, ends) : ends);
      });
    done(ok, shown);
    if (how === 'promise') return ok ? Promise.resolve(thrown) : Promise.reject(thrown);
    if (ok) return thrown;
    throw thrown;
  }

  /** Ends an attempt, and those that end in the same macrotask before or after it. */
  endAll(operation, ends) {
    const others = operation.together.splice(0);
    for (const other of others) if (other.before) other.ends();
    ends();
    for (const other of others) if (!other.before) other.ends();
  }

  /** The attempt fails when its signal is aborted, at once or a little later. */
  heed(signal, ms, done, reject) {
    signal?.addEventListener('abort', () => {
      const { reason } = signal;
      const end = () => {
        done(false, reason, true);
        reject(reason);
      };
      if (ms === 0) end();
      else this.later(ms, end);
    });
  }

  /** The value that a callback ends with: what is thrown or returned, and what must be shown of it. */
  make({ ok, value: described = { kind: 'undefined' } }, { received }, operation) {
    const { says, status, layers, kind } = described;
    const call = (value, what) => {
      operation.made = (operation.made ?? 0) + 1;
      this.call(value, `${what} ${operation.id}.${operation.made}`);
      return value;
    };
    const plain = (thrown) => ({ thrown, shown: thrown });
    if (ok && layers === undefined) {
      for (const name of ['verdict', 'number']) if (name in described) return plain(described[name]);
      if (kind === 'result') return plain(call({ says, status }, 'result'));
      return plain(call(value(RESULTS.includes(kind) ? kind : 'undefined'), 'result'));
    }
    // The error that this callback received.
    if (kind === 'same' && received !== undefined) return plain(received);
    const made = failure(kind === 'same' ? { kind: 'error' } : described, this.pkg);
    call(made.shown, 'error');
    call(made.thrown, 'mark');
    if (layers !== undefined && this.pkg.isPermanent && this.pkg.isPermanent(made.thrown) !== made.permanent)
      this.problem('identity', `isPermanent() is ${!made.permanent} for ${layers.join(' in ')}`);
    return made;
  }
}

/** What a callback does before it ends. @type {Record<string, (stage: Stage, act: any) => any>} */
const ACTS = {
  abort: (stage, { signal, reason }) => stage.abortWithin(signal, reason),
  busy: (stage, { ms }) => stage.block(ms),
  wall: (stage, { ms }) => void (stage.wall += ms),
  status: (stage) => void stage.protections[0].object.status(),
  reenter: (stage, { ms }) => void (stage.schedule.single || stage.start(simple(ms, stage.schedule))),
  /** Of the attempt that runs, or has ended. */
  tell: (stage, { tell }) => void stage.current()?.received.at(-1)?.[tell](),
  nest: (stage, { op }) => stage.start(op),
};

/** For what a schedule does not spell out. */
const step = (ok, value) => ({ before: [], end: { how: 'now', ok, value } });
const SUCCESS = step(true, { kind: 'result' });
const FAILURE = step(false, { kind: 'error' });
/** Ends what would go on for ever, with a report. */
const LAST = step(false, { kind: 'error', layers: ['permanent'] });
/** Where whose turn it is depends on it, an attempt ends in a macrotask of its own (`wholeTimes` of schedule.mjs). */
const soon = ({ before, end }) => ({ before, end: { ...end, ...SOON } });
const PREDICATES = { hint: 'hints', retryIf: 'verdicts', retryOnResult: 'results' };
const FURTHER = {
  hint: step(true, { verdict: undefined }),
  retryIf: step(true, { verdict: true }),
  retryOnResult: step(true, { verdict: false }),
  before: step(true, { kind: 'undefined' }),
  hook: step(true, { kind: 'undefined' }),
  random: step(true, { number: 0.5 }),
  curve: step(true, { number: 0.5 }),
};

/** An operation started inside a callback: fails once, then succeeds. */
const simple = (ms, { policies: [{ named }] }) => ({
  policy: 0,
  via: named === undefined ? 'run' : 'once',
  attempts: [{ before: [], end: { how: ms > 0 ? 'later' : 'now', ok: false, ms, value: { kind: 'error' } } }],
});

/** Another realm, for whose objects `instanceof` is false. */
const foreign = runInNewContext(`({ Promise, signal: () => ({ addEventListener() {}, removeEventListener() {} }) })`);

/** Of a signal of another realm that gives no reason. */
function bareController(listeners) {
  const signal = Object.assign(foreign.signal(), { aborted: false });
  const abort = () => {
    signal.aborted = true;
    for (const listener of [...listeners]) listener({ type: 'abort', target: signal });
  };
  return { signal, abort };
}

const throws = (error) => {
  throw error;
};

function thenable(style, settle, world, ms) {
  if (style === 'getter') return Object.defineProperty({}, 'then', { get: () => settle(undefined, throws) });
  if (style === 'foreign') return new foreign.Promise(settle);
  // `await` ignores it.
  if (style === 'ownThen') return Object.assign(new Promise(settle), { then() {} });
  const then = {
    throws: (resolve) => settle(resolve, throws),
    late: (resolve, reject) => world.later(ms, () => settle(resolve, reject)),
    twice: (resolve, reject) => {
      settle(resolve, reject);
      reject(new Error('twice'));
      resolve('twice');
    },
    throwsAfter: (resolve, reject) => {
      settle(resolve, reject);
      throw new Error('after');
    },
    nested: (resolve) => resolve({ then: settle }),
  }[style];
  return Object.assign(style === 'function' ? () => {} : {}, { then: then ?? settle });
}
