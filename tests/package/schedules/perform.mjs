// Does what a schedule says: makes the policy and the signals, calls the operations, and plays the
// callbacks, writing down everything that happens.

import { channelOf } from './tracing.mjs';
import { HOOKS } from './schedule.mjs';
import { RESULTS, causeOf, failure, value } from './values.mjs';
import { World, describe } from './world.mjs';

/** An attempt beyond what any schedule allows does not end, so that a broken package cannot run forever. */
const MOST_CALLS = 80;

/** @returns {Promise<World>} when all has ended */
export async function perform(schedule, pkg) {
  const world = new World(schedule, pkg);
  const stage = new Stage(world, schedule, pkg);
  const channel = schedule.traced ? channelOf(world) : undefined;
  channel?.subscribe();
  world.open();
  try {
    stage.begin();
    await world.live();
  } finally {
    world.close();
    channel?.unsubscribe();
  }
  if (schedule.options.metrics) world.metrics = world.policy.metrics();
  for (const operation of world.operations)
    for (const attempt of operation.received) attempt.after = attempt.signal?.aborted;
  return world;
}

class Stage {
  constructor(world, schedule, pkg) {
    this.world = world;
    this.schedule = schedule;
    this.pkg = pkg;
    /** The key is the operation's index, or 'policy'. */
    this.signals = new Map();
    this.byAttempt = new WeakMap();
    this.calls = 0;
  }

  begin() {
    const { schedule, world } = this;
    if (schedule.policySignal) this.signals.set('policy', this.signal(schedule.policySignal, 'policy'));
    schedule.operations.forEach((plan, i) => {
      if (plan.signal && plan.signal !== 'policy') this.signals.set(i, this.signal(plan.signal, i));
    });
    for (const event of schedule.events) if (event.at < 0) this.abort(event.signal, event.reason);
    this.options = this.readyOptions();
    if (schedule.preset)
      world.policy = new this.pkg.RetryPolicy({ ...this.pkg.presets[schedule.preset], ...this.options });
    else if (schedule.named === undefined) world.policy = new this.pkg.RetryPolicy(this.options);
    schedule.operations.forEach((plan, i) => {
      if (plan.at === 0) this.start(plan, i);
      else world.later(plan.at, () => this.start(plan, i));
    });
    for (const event of schedule.events)
      if (event.at >= 0) world.later(event.at, () => this.abort(event.signal, event.reason));
  }

  signal(kind, name) {
    const { world } = this;
    const controller = kind === 'bare' ? bareController() : new AbortController();
    const { signal } = controller;
    const record = { name, kind, controller, signal, listeners: 0, aborted: false, reason: undefined };
    const { addEventListener, removeEventListener } = signal;
    const known = new Set();
    signal.addEventListener = function (type, listener, ...rest) {
      if (type !== 'abort') world.problem(15, `a listener for ${type}`);
      known.add(listener);
      record.listeners = known.size;
      world.note('listen', undefined, { signal: name });
      return addEventListener.call(signal, type, listener, ...rest);
    };
    signal.removeEventListener = function (type, listener, ...rest) {
      if (known.delete(listener)) world.note('unlisten', undefined, { signal: name });
      record.listeners = known.size;
      return removeEventListener.call(signal, type, listener, ...rest);
    };
    world.signals.push(record);
    return record;
  }

  abort(name, kind) {
    const record = this.signals.get(name);
    if (record === undefined || record.aborted) return;
    record.aborted = true;
    const reason = value(kind);
    this.world.note('abort', undefined, { signal: name });
    if (record.kind === 'bare') record.reason = BARE;
    else record.reason = reason;
    record.at = this.world.log.at(-1);
    try {
      record.controller.abort(reason);
    } catch (error) {
      this.world.problem(17, `abort() threw ${describe(error)}`);
    }
    if (record.kind !== 'bare') record.reason = record.signal.reason;
  }

  readyOptions() {
    const { schedule, world } = this;
    const { uses } = schedule;
    const options = { ...schedule.options };
    if (options.backoff === 'function') options.backoff = (k) => this.number('curve', k);
    if (schedule.policySignal) options.signal = this.signals.get('policy').signal;
    if (uses.random) options.random = () => this.number('random', undefined);
    for (const name of ['retryIf', 'retryOnResult']) {
      if (!uses[name]) continue;
      options[name] = (outcome, attempt) => {
        const operation = this.byAttempt.get(attempt) ?? world.current();
        if (operation === undefined) return world.problem(14, `${name} got no attempt of ours`);
        const entry = world.note(name, operation, { outcome, attempt });
        const steps = name === 'retryIf' ? operation.plan.verdicts : operation.plan.results;
        return this.play(steps[operation.answered++] ?? (name === 'retryIf' ? YES : NO), entry, operation);
      };
    }
    if (uses.beforeRetry) {
      options.beforeRetry = (event) => {
        const operation = world.current();
        if (operation === undefined) return world.problem(20, "beforeRetry runs outside any operation's context");
        const entry = world.note('beforeRetry', operation, {
          event,
          frozen: Object.isFrozen(event),
          outcome: event.error,
        });
        return this.play(operation.plan.befores[operation.before++] ?? DONE, entry, operation);
      };
    }
    for (const name of HOOKS) {
      if (!uses.hooks.includes(name)) continue;
      options[name] = (event) => {
        const operation = world.current();
        if (operation === undefined) return world.problem(20, `${name} runs outside any operation's context`);
        const entry = world.note('hook', operation, { name, event, frozen: Object.isFrozen(event) });
        const nth = (operation.hooked[name] = (operation.hooked[name] ?? -1) + 1);
        return this.play(operation.plan.hooks[name]?.[nth] ?? DONE, entry, operation);
      };
    }
    return options;
  }

  number(kind, k) {
    const operation = this.world.current();
    if (operation === undefined) return this.world.problem(20, `${kind} runs outside any operation's context`);
    const entry = this.world.note(kind, operation, { k, outcome: operation.shown });
    const nth = (operation.hooked[kind] = (operation.hooked[kind] ?? -1) + 1);
    const plan = kind === 'random' ? operation.plan.draws : operation.plan.curve;
    return this.play(plan[nth] ?? HALF, entry, operation);
  }

  /** Calls an operation. `plan` says what its callbacks do. */
  start(plan, index) {
    const { world, schedule, pkg } = this;
    const operation = {
      id: world.operations.length,
      plan,
      received: [],
      answered: 0,
      before: 0,
      hooked: {},
      settled: undefined,
      // The operation's place in its policy; one-shot functions are always the first.
      index: schedule.named === undefined ? world.operations.length : 0,
      signals: [
        ...new Set([schedule.policySignal && 'policy', plan.signal && (plan.signal === 'policy' ? 'policy' : index)]),
      ]
        .filter((name) => name !== undefined && name !== false)
        .map((name) => this.signals.get(name))
        .filter(Boolean),
    };
    world.operations.push(operation);
    const fn = (attempt) => this.attempted(operation, attempt);
    const before = world.alone;
    world.within(operation, () => {
      operation.call = world.note('call', operation, { aborted: operation.signals.some((signal) => signal.aborted) });
      let promise;
      try {
        if (plan.via === 'wrap') promise = this.wrapped(operation)('argument');
        else if (plan.via === 'once') promise = pkg[schedule.named](fn, this.options);
        else
          promise = world.policy.run(
            fn,
            plan.signal && { signal: this.signals.get(plan.signal === 'policy' ? 'policy' : index).signal },
          );
      } catch (error) {
        world.problem(13, `the call threw ${describe(error)}`);
        return;
      }
      if (!(promise instanceof Promise)) world.problem(13, 'no promise came back');
      const settle = (ok) => (result) => {
        operation.settled = world.note('settle', operation, {
          ok,
          value: result,
          report: pkg.retryReport(result),
          timers: world.timers.size,
          listeners: operation.signals.map((signal) => signal.listeners),
        });
      };
      promise.then(settle(true), settle(false));
    });
    world.alone = schedule.single ? (before ?? operation) : undefined;
  }

  wrapped(operation) {
    const stage = this;
    return this.world.policy.wrap(function (argument) {
      if (argument !== 'argument') stage.world.problem(14, 'a wrapped function lost its argument');
      return stage.attempted(operation, undefined);
    });
  }

  attempted(operation, attempt) {
    const { world } = this;
    const n = operation.received.length + 1;
    const entry = world.note('fn', operation, { n, attempt });
    this.calls += 1;
    if (this.calls > MOST_CALLS) {
      world.problem(1, `more than ${MOST_CALLS} attempts`);
      return new Promise(() => {});
    }
    if (attempt === undefined) {
      // A wrapped function receives no attempt.
      operation.received.push({});
    } else {
      this.byAttempt.set(attempt, operation);
      const received = { signal: undefined };
      operation.received.push(received);
      entry.number = attempt.attempt;
      entry.previousError = attempt.previousError;
      entry.previousDelayMs = attempt.previousDelayMs;
      entry.attemptsLeft = attempt.attemptsLeft;
      entry.name = attempt.name;
      // Not always: an unread signal is another path through the package. But without
      // hooks it alone shows when an attempt timed out.
      const { options, uses, clock } = this.schedule;
      if ((n + clock.skew) % 2 === 0 || (options.attemptTimeoutMs !== undefined && !uses.hooks.includes('onFailure'))) {
        const { signal } = attempt;
        received.signal = signal;
        entry.signal = signal;
        entry.aborted = signal.aborted;
        signal.onabort = () => {
          received.aborted ??= world.note('attemptAborted', operation, { n, reason: signal.reason });
        };
      }
      if ((n + this.schedule.clock.skew) % 3 === 0)
        [entry.elapsedMs, entry.remainingMs] = [attempt.elapsedMs, attempt.remainingMs];
    }
    return this.play(
      operation.plan.attempts[n - 1] ?? (!operation.plan.stubborn ? SUCCESS : n < 20 ? FAILURE : LAST),
      entry,
      operation,
    );
  }

  /** One callback: what it does, then how it ends. */
  play(step, entry, operation) {
    const { world } = this;
    for (const act of step.before) {
      if (act.do === 'abort') this.abort(act.signal, act.reason);
      else if (act.do === 'busy') world.block(act.ms);
      else if (act.do === 'wall') world.wall += act.ms;
      else if (!world.schedule.single && world.operations.length < 6) this.start(simple(act.ms, this.schedule), -1);
    }
    entry.exit = world.log.length;
    entry.exitT = world.now;
    return this.end(step.end, entry, operation);
  }

  end({ how, ok, value: described, ms, style, slow }, entry, operation) {
    const { world } = this;
    if (how === 'never') return new Promise(() => {});
    const made = this.make(ok, described, entry);
    const result = made.thrown;
    const done = () => {
      entry.end ??= world.note('end', operation, { of: entry.i, ok, made });
      if (entry.kind === 'fn') operation.shown = ok ? undefined : made.shown;
    };
    const settled = () => (ok ? Promise.resolve(result) : Promise.reject(result));
    switch (how) {
      case 'return':
        done();
        return result;
      case 'throw':
        done();
        throw result;
      case 'promise':
      case 'resolve':
        done();
        return settled();
      case 'later':
        return new Promise((resolve, reject) =>
          world.later(ms, () => {
            done();
            (ok ? resolve : reject)(result);
          }),
        );
      case 'obey': {
        const { signal } = entry.attempt ?? {};
        // Well-behaved: stops after its signal aborts, a little later; otherwise ends by itself.
        return new Promise((resolve, reject) => {
          world.later(slow, () => {
            done();
            (ok ? resolve : reject)(result);
          });
          signal?.addEventListener('abort', () => world.later(ms, () => reject(signal.reason)));
        });
      }
      default:
        return thenable(style, ok, result, done, world, ms);
    }
  }

  /** The value that a callback ends with. */
  make(ok, described = { kind: 'undefined' }, entry) {
    if (ok && described.layers === undefined) {
      const result =
        'verdict' in described
          ? described.verdict
          : 'number' in described
            ? described.number
            : value(RESULTS.includes(described.kind) ? described.kind : 'undefined');
      return { thrown: result, shown: result };
    }
    // The error that this callback received, and that its maker has accounted for.
    if (described.kind === 'same' && entry.outcome !== undefined)
      return { thrown: entry.outcome, shown: entry.outcome, ...causeOf(entry.outcome) };
    const made = failure(described.kind === 'same' ? { kind: 'error' } : described, this.pkg);
    if (typeof made.thrown === 'object' && made.thrown !== null) this.world.own.add(made.thrown);
    if (described.layers !== undefined && this.pkg.isPermanent(made.thrown) !== made.permanent)
      this.world.problem(14, `isPermanent() is ${!made.permanent} for ${described.layers.join(' in ')}`);
    return Object.assign(made, causeOf(made.shown));
  }
}

/** For what a schedule does not spell out. */
const SUCCESS = { before: [], end: { how: 'return', ok: true, value: { kind: 'string' } } };
const FAILURE = { before: [], end: { how: 'throw', ok: false, value: { kind: 'error' } } };
/** Ends what would go on for ever, with a report. */
const LAST = { before: [], end: { how: 'throw', ok: false, value: { kind: 'error', layers: ['permanent'] } } };
const DONE = { before: [], end: { how: 'return', ok: true, value: { kind: 'undefined' } } };
const YES = { before: [], end: { how: 'return', ok: true, value: { verdict: true } } };
const NO = { before: [], end: { how: 'return', ok: true, value: { verdict: false } } };
const HALF = { before: [], end: { how: 'return', ok: true, value: { number: 0.5 } } };

/** An operation started inside a callback: fails once, then succeeds. */
const simple = (ms, schedule) => ({
  at: 0,
  via: schedule.named === undefined ? 'run' : 'once',
  signal: undefined,
  verdicts: [],
  results: [],
  befores: [],
  hooks: {},
  draws: [],
  curve: [],
  attempts: [{ before: [], end: { how: ms > 0 ? 'later' : 'throw', ok: false, ms, value: { kind: 'error' } } }],
});

/** Stands for the reason that a signal without reasons cannot give. */
export const BARE = Symbol('the package makes an AbortError');

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

function thenable(style, ok, result, done, world, ms) {
  const settle = (resolve, reject) => {
    done();
    (ok ? resolve : reject)(result);
  };
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
