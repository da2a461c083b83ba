// Does what a schedule says: makes the protections, policies and signals, calls the operations, and plays the
// callbacks, writing down everything that happens.

import { tracingChannel } from 'node:diagnostics_channel';

import { AWAITED, HOOKS } from '../lib/callbacks.mjs';
import { RESULTS, failure, value } from './values.mjs';
import { World, current, describe } from './world.mjs';

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
  ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((name) => [
    name,
    ({ error }) => current().note('traced', current().current(), { name, error }),
  ]),
);

class Stage extends World {
  /** The key is the operation's place in the schedule, or 'policy'. */
  signals = new Map();
  /** How many operations each policy has run. */
  runs = new Map();
  byAttempt = new WeakMap();

  begin() {
    const { schedule, pkg } = this;
    this.protections = schedule.protections.map((parts) => this.protection(parts));
    const { signal } = schedule.policies[0];
    if (signal) this.signals.set('policy', this.signal(signal, 'policy'));
    for (const { id, signal } of schedule.operations)
      if (signal && signal !== 'policy') this.signals.set(id, this.signal(signal, id));
    for (const event of schedule.events) if (event.at < 0) this.happen(event);
    this.options = schedule.policies.map((policy) => this.readyOptions(policy));
    for (const [i, { preset, named }] of schedule.policies.entries())
      this.policies.push(
        named === undefined ? new pkg.RetryPolicy({ ...pkg.presets?.[preset], ...this.options[i] }) : undefined,
      );
    for (const plan of schedule.operations) {
      if (plan.at === 0 && this.protections.length === 0) this.start(plan);
      // With protection, each call has a macrotask of its own: what happens in it then has one order.
      else this.later(plan.at, () => this.start(plan));
    }
    for (const event of schedule.events) if (event.at >= 0) this.later(event.at, () => this.happen(event));
    for (const lie of schedule.lies) this.later(lie.at, () => this.lie(lie));
    if (schedule.afterwards) this.endWell();
  }

  /** Reads what can be read when all has ended. */
  over() {
    const { schedule } = this;
    const from = this.log.length;
    this.read();
    // After traffic and time.
    if (schedule.afterwards)
      for (const { numbers } of this.log.slice(from))
        if ((numbers.breaker?.state ?? 'closed') !== 'closed') this.problem('recovery', 'the breaker is not closed');
    if (schedule.policies[0].options.metrics) this.note('metrics', undefined, { counts: this.policies[0].metrics() });
    for (const operation of this.operations) {
      // Those that nobody has read are made when they are read here: that is done for hedges only.
      const hedged = schedule.protections[operation.policy.of]?.hedge !== undefined;
      const signals = operation.received.map(({ signal, attempt }) => (hedged ? attempt.signal : signal) ?? {});
      this.note('signals', operation, { signals });
    }
  }

  protection({ budget, breaker, cooldown, hedge, throws, aborts, isFailure }) {
    const { pkg } = this;
    const parts = [];
    if (cooldown) parts.push(pkg.cooldown(cooldown));
    if (breaker) parts.push(pkg.breaker(breaker));
    if (budget) parts.push(pkg.budget(budget));
    if (hedge) parts.push(pkg.hedge(hedge));
    const onEvent = (event) => {
      this.note('protection', this.current(), { event });
      if (aborts === event.type) this.abort(this.current()?.plan.id, this.current()?.plan.reason);
      // What it rejects with is no one's to await.
      if (throws && event.type === 'rejected') return Promise.reject(new Error('of onEvent'));
      if (throws) throw new Error('of onEvent');
      return undefined;
    };
    const options = isFailure ? { onEvent, isFailure: (end) => this.isFailure(end) } : { onEvent };
    const object = pkg.protect(...parts, options);
    return { object, keys: new Set([undefined]) };
  }

  isFailure(end) {
    this.note('isFailure', this.current(), { end });
    const { says } = end.error ?? end.result ?? {};
    if (says === 'throw') throw new Error('isFailure');
    return says;
  }

  /**
   * Long after: calls that succeed, as many as any breaker needs to close, and one that a circuit may reject whose
   * clock was set back.
   */
  endWell() {
    const { schedule } = this;
    schedule.protections.forEach((_, i) => {
      const policy = { of: i, implied: {}, options: { maxAttempts: 1 }, uses: { hooks: [], random: 'constant' } };
      const index = this.options.push(this.readyOptions(policy)) - 1;
      this.policies.push(new this.pkg.RetryPolicy(this.options[index]));
      const plan = { policy: index, policyOf: policy, via: 'run', draw: 0.5, attempts: [], last: true };
      for (let k = 0; k < 4; k += 1)
        this.later(AFTERWARDS + k * 1e6, () => {
          for (const [j, key] of [...this.protections[i].keys].entries())
            this.later(j, () => this.start({ ...plan, key }));
        });
    });
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

  happen({ abort, reason, protection, key, close, open }) {
    if (abort !== undefined) return this.abort(abort, reason);
    const { object, keys } = this.protections[protection];
    keys.add(key);
    this.note('byHand', undefined, { protection, key, close, open });
    const state = key === undefined ? object : object.for(key);
    return close ? state.close() : state.open(open);
  }

  signal(kind, name) {
    const controller = kind === 'bare' ? bareController() : new AbortController();
    const { signal } = controller;
    const record = { name, kind, controller, signal, listeners: 0, aborted: false };
    const { addEventListener, removeEventListener } = signal;
    const known = new Set();
    signal.addEventListener = (type, listener, ...rest) => {
      if (type !== 'abort') this.problem('leftovers', `a listener for ${type}`);
      known.add(listener);
      record.listeners = known.size;
      if (known.size > this.operations.length) this.problem('footprint', `${known.size} listeners on one signal`);
      return addEventListener.call(signal, type, listener, ...rest);
    };
    signal.removeEventListener = (type, listener, ...rest) => {
      known.delete(listener);
      record.listeners = known.size;
      return removeEventListener.call(signal, type, listener, ...rest);
    };
    return record;
  }

  abort(name, kind) {
    const record = this.signals.get(name);
    if (record === undefined || record.aborted) return;
    const reason = value(kind);
    this.call(reason, `the reason of ${name}`);
    record.aborted = true;
    this.note('abort', undefined, { signal: name });
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

  readyOptions({ of, options: plain, uses, signal }) {
    const options = { ...plain };
    if (of !== undefined) options.protection = this.protections[of].object;
    if (options.backoff === 'function') options.backoff = (k) => this.number('curve', k);
    if (signal) options.signal = this.signals.get('policy').signal;
    if (uses.random === 'constant') options.random = () => this.current()?.plan.draw ?? 0.5;
    else if (uses.random) options.random = () => this.number('random', undefined);
    for (const name of ['retryIf', 'retryOnResult'])
      if (uses[name])
        options[name] = (outcome, attempt) =>
          this.callback(name, this.byAttempt.get(attempt), PREDICATES[name], { outcome, attempt });
    if (uses[AWAITED])
      options[AWAITED] = (event) =>
        this.callback('before', undefined, 'befores', {
          event,
          frozen: Object.isFrozen(event),
          outcome: event.error,
        });
    for (const name of HOOKS)
      if (uses.hooks.includes(name))
        options[name] = (event) =>
          this.callback('hook', undefined, name, { name, event, frozen: Object.isFrozen(event) });
    return options;
  }

  /** A call of a callback other than the operation itself. `list` names what its plan says about these calls. */
  callback(kind, known, list, what) {
    const operation = known ?? this.current();
    if (operation === undefined) return this.problem('isolation', `${list} runs outside any operation's context`);
    const entry = this.note(kind, operation, what);
    const nth = (operation.counts[list] = (operation.counts[list] ?? -1) + 1);
    const steps = kind === 'hook' ? operation.plan.hooks?.[list] : operation.plan[list];
    return this.play(steps?.[nth] ?? FURTHER[kind], entry, operation);
  }

  number(kind, k) {
    return this.callback(kind, undefined, kind === 'random' ? 'draws' : 'curve', {
      k,
      outcome: this.current()?.shown,
    });
  }

  /** Calls an operation. `plan` says what its callbacks do. */
  start(plan) {
    const { schedule } = this;
    const policy = plan.policyOf ?? schedule.policies[plan.policy];
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
      settled: undefined,
      signals: [...names].map((name) => this.signals.get(name)).filter((record) => record !== undefined),
    };
    this.operations.push(operation);
    // A seed's draws: each run of a policy has its own, one-shot functions have the first.
    const runs = !['once', 'sync'].includes(plan.via);
    operation.index = runs ? (this.runs.get(plan.policy) ?? 0) : 0;
    if (runs) this.runs.set(plan.policy, operation.index + 1);
    if (policy.of !== undefined && plan.via !== 'off') this.protections[policy.of].keys.add(plan.key);
    return this.within(operation, () => {
      operation.call = this.note('call', operation, { aborted: operation.signals.some((signal) => signal.aborted) });
      if (plan.via === 'sync') return this.blocking(operation);
      let promise;
      try {
        promise = this.called(operation);
      } catch (error) {
        this.problem('settlement', `the call threw ${describe(error)}`);
        return undefined;
      }
      if (!(promise instanceof Promise)) this.problem('settlement', 'no promise came back');
      promise.then(
        (value) => this.settled(operation, true, value),
        (error) => this.settled(operation, false, error),
      );
      return promise;
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
    const { schedule, pkg } = this;
    const of = this.policies[plan.policy];
    const fn = (attempt) => this.attempted(operation, attempt);
    const signal = plan.signal
      ? { signal: this.signals.get(plan.signal === 'policy' ? 'policy' : plan.id).signal }
      : {};
    switch (plan.via) {
      case 'wrap':
        return of.wrap((argument) => {
          if (argument !== 'argument') this.problem('identity', 'a wrapped function lost its argument');
          return this.attempted(operation, undefined);
        })('argument');
      case 'once':
        return pkg[schedule.policies[plan.policy].named ?? 'retry'](fn, this.onceOptions(operation));
      case 'off':
        return of.run(fn, { ...signal, protection: false });
      default:
        return of.run(fn, plan.signal || plan.key !== undefined ? { ...signal, ...keyOf(policy, plan) } : undefined);
    }
  }

  /** The options of a function that has no policy. */
  onceOptions({ plan, policy }) {
    // Only policies count.
    const { metrics, ...options } = this.options[plan.policy];
    if (plan.signal) options.signal = this.signals.get(plan.id).signal;
    if (policy.of === undefined) return options;
    const { object } = this.protections[policy.of];
    return { ...options, protection: plan.key === undefined ? object : object.for(plan.key) };
  }

  blocking(operation) {
    try {
      const fn = (attempt) => this.attempted(operation, attempt);
      this.settled(operation, true, this.pkg.retrySync(fn, this.onceOptions(operation)));
    } catch (error) {
      this.settled(operation, false, error);
    }
    return undefined;
  }

  settled(operation, ok, value) {
    const { pkg } = this;
    for (const signal of operation.signals) {
      const others = this.operations.some(
        (other) => other !== operation && other.settled === undefined && other.signals.includes(signal),
      );
      if (signal.listeners > 0 && !others) this.problem('leftovers', 'a listener is left at settlement');
    }
    if ([...this.timers.values()].some((timer) => timer.operation === operation))
      this.problem('leftovers', 'a timer is left at settlement');
    operation.settled = this.note('settle', operation, { ok, value, report: pkg.retryReport(value) });
  }

  attempted(operation, attempt) {
    const n = operation.received.length + 1;
    const entry = this.note('fn', operation, { n, attempt });
    if (n > MOST_CALLS) {
      this.problem('attempts', `more than ${MOST_CALLS} attempts`);
      return new Promise(() => {});
    }
    const received = { attempt, signal: undefined, aborted: undefined };
    operation.received.push(received);
    // A wrapped function receives no attempt.
    if (attempt !== undefined) {
      this.byAttempt.set(attempt, operation);
      entry.number = attempt.attempt;
      entry.previousError = attempt.previousError;
      entry.previousDelayMs = attempt.previousDelayMs;
      entry.attemptsLeft = attempt.attemptsLeft;
      entry.name = attempt.name;
      const { skew } = this.schedule.clock;
      // Not always: an unread signal is another path through the package.
      if ((n + skew) % 2 === 0) {
        const { signal } = attempt;
        received.signal = signal;
        entry.aborted = signal.aborted;
        signal.onabort = () => {
          received.aborted ??= this.note('attemptAborted', operation, { n, reason: signal.reason });
        };
      }
      if ((n + skew) % 3 === 0) [entry.elapsedMs, entry.remainingMs] = [attempt.elapsedMs, attempt.remainingMs];
    }
    const { last, stubborn, attempts } = operation.plan;
    const further = last || (!stubborn && this.protections.length === 0) ? SUCCESS : n < 20 ? FAILURE : LAST;
    return this.play(attempts[n - 1] ?? further, entry, operation);
  }

  act(act) {
    switch (act.do) {
      case 'abort':
        return this.abort(act.signal, act.reason);
      case 'busy':
        return this.block(act.ms);
      case 'wall':
        this.wall += act.ms;
        return undefined;
      case 'status':
        return void this.protections[0].object.status();
      case 'reenter':
        if (!this.schedule.single) this.start(simple(act.ms, this.schedule));
        return undefined;
      default:
        return this.start(act.op);
    }
  }

  /** One callback: what it does, then how it ends. */
  play(step, entry, operation) {
    let inner;
    for (const act of step.before) inner = this.act(act) ?? inner;
    if (step.end.how === 'never') return new Promise(() => {});
    const done = (ok, made) => {
      if (entry.end !== undefined) return;
      entry.end = this.note('end', operation, { of: entry, ok, made });
      // Not the reason of its signal.
      if (entry.kind === 'fn') operation.shown = ok || made.heeded ? undefined : made.shown;
    };
    if (step.end.how !== 'inner') {
      // An inner operation that goes on by itself has its own end.
      inner?.catch(() => {});
      return this.end(step.end, entry, operation, done);
    }
    return inner.then(
      (result) => {
        done(true, { thrown: result, shown: result });
        return result;
      },
      (error) => {
        done(false, { thrown: error, shown: error });
        throw error;
      },
    );
  }

  end({ how, ok, value: described, ms, style, heeds, before }, entry, operation, done) {
    const made = this.make(ok, described, entry, operation);
    const { thrown } = made;
    const settle = (resolve, reject) => {
      done(ok, made);
      (ok ? resolve : reject)(thrown);
    };
    switch (how) {
      case 'return':
        done(ok, made);
        return thrown;
      case 'throw':
        done(ok, made);
        throw thrown;
      case 'later':
      case 'together':
        return new Promise((resolve, reject) => {
          const end = () => settle(resolve, reject);
          if (heeds !== undefined) this.heed(entry.attempt?.signal, heeds, done, reject);
          if (how === 'together') operation.together.push({ end, before });
          else if (entry.kind !== 'fn') this.later(ms, end);
          else this.later(ms, () => this.endAll(operation, end));
        });
      case 'thenable':
        return thenable(style, settle, this, ms);
      default:
        done(ok, made);
        return ok ? Promise.resolve(thrown) : Promise.reject(thrown);
    }
  }

  /** Ends an attempt, and those that end in the same macrotask before or after it. */
  endAll(operation, end) {
    const others = operation.together.splice(0);
    for (const other of others) if (other.before) other.end();
    end();
    for (const other of others) if (!other.before) other.end();
  }

  /** The attempt fails when its signal is aborted, at once or a little later. */
  heed(signal, ms, done, reject) {
    signal?.addEventListener('abort', () => {
      const { reason } = signal;
      const end = () => {
        done(false, { thrown: reason, shown: reason, heeded: true });
        reject(reason);
      };
      if (ms === 0) end();
      else this.later(ms, end);
    });
  }

  /** The value that a callback ends with. */
  make(ok, described = { kind: 'undefined' }, entry, operation) {
    const { says, status, layers, verdict, number, kind } = described;
    const call = (value, what) => {
      operation.made = (operation.made ?? 0) + 1;
      this.call(value, `${what} ${operation.id}.${operation.made}`);
      return value;
    };
    if (ok && layers === undefined) {
      if ('verdict' in described) return { thrown: verdict, shown: verdict };
      if ('number' in described) return { thrown: number, shown: number };
      const result = kind === 'result' ? { says, status } : value(RESULTS.includes(kind) ? kind : 'undefined');
      return { thrown: call(result, 'result'), shown: result };
    }
    // The error that this callback received.
    if (kind === 'same' && entry.outcome !== undefined) return { thrown: entry.outcome, shown: entry.outcome };
    const made = failure(kind === 'same' ? { kind: 'error' } : described, this.pkg);
    call(made.shown, 'error');
    call(made.thrown, 'mark');
    if (layers !== undefined && this.pkg.isPermanent && this.pkg.isPermanent(made.thrown) !== made.permanent)
      this.problem('identity', `isPermanent() is ${!made.permanent} for ${layers.join(' in ')}`);
    return made;
  }
}

const keyOf = ({ of }, { key }) => (of === undefined || key === undefined ? {} : { key });

/** For what a schedule does not spell out. */
const step = (how, value) => ({ before: [], end: { how, ok: how === 'return', value } });
const SUCCESS = step('return', { kind: 'result' });
const FAILURE = step('throw', { kind: 'error' });
/** Ends what would go on for ever, with a report. */
const LAST = step('throw', { kind: 'error', layers: ['permanent'] });
const PREDICATES = { retryIf: 'verdicts', retryOnResult: 'results' };
const FURTHER = {
  retryIf: step('return', { verdict: true }),
  retryOnResult: step('return', { verdict: false }),
  before: step('return', { kind: 'undefined' }),
  hook: step('return', { kind: 'undefined' }),
  random: step('return', { number: 0.5 }),
  curve: step('return', { number: 0.5 }),
};

/** An operation started inside a callback: fails once, then succeeds. */
const simple = (ms, { policies: [{ named }] }) => ({
  policy: 0,
  via: named === undefined ? 'run' : 'once',
  attempts: [{ before: [], end: { how: ms > 0 ? 'later' : 'throw', ok: false, ms, value: { kind: 'error' } } }],
});

function bareController() {
  const target = new EventTarget();
  target.aborted = false;
  return {
    signal: target,
    abort() {
      target.aborted = true;
      target.dispatchEvent(new Event('abort'));
    },
  };
}

function thenable(style, settle, world, ms) {
  const then = {
    plain: settle,
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
    function: settle,
  }[style];
  return style === 'function' ? Object.assign(() => {}, { then }) : { then };
}
