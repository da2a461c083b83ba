// Plays a schedule: makes the protections and policies, calls the operations, and writes down everything that happens.

import { World, describe } from '../schedules/world.mjs';
import { AFTERWARDS, HOOKS } from './schedule.mjs';

/** @returns {Promise<ProtectedWorld>} when all has ended */
export async function perform(schedule, pkg) {
  const world = await play(schedule, pkg);
  if (schedule.twice) compare(world, await play(schedule, pkg.twin));
  return world;
}

/** The machines as JavaScript decide as those in wasm do. */
function compare(world, { log }) {
  const said = ({ kind, op, r, turn, ms, ok, numbers, report }) =>
    JSON.stringify([kind, op, r, turn, ms, ok, numbers, report?.reason, report?.retryAfterMs]);
  const i = world.log.findIndex((entry, n) => log[n] === undefined || said(entry) !== said(log[n]));
  if (i < 0 && world.log.length === log.length) return;
  const other = log[i] === undefined ? 'nothing' : said(log[i]);
  world.problem('P15', `entry ${i} is ${world.log[i] && said(world.log[i])}, and ${other} without wasm`);
}

async function play(schedule, pkg) {
  const world = new ProtectedWorld(schedule, pkg);
  new Stage(world, schedule, pkg).begin();
  await world.live();
  world.read();
  return world;
}

class ProtectedWorld extends World {
  constructor(schedule, pkg) {
    super(schedule, pkg);
    this.mostEvents = 5000;
    this.offset = 0;
    /** The time that the clock shows while it stands still. @type {number | undefined} */
    this.stands = undefined;
    /** @type {{ object: any, keys: Set<string | undefined> }[]} */
    this.protections = [];
  }

  get reading() {
    return this.stands ?? this.now + this.offset;
  }

  note(kind, operation, what) {
    const entry = super.note(kind, operation, what);
    entry.r = this.reading;
    return entry;
  }

  /** A timer's callback runs in the context in which it was armed, as in Node. */
  arm(callback, ms) {
    return super.arm(this.inContext(callback), ms);
  }

  later(ms, act) {
    super.later(ms, this.inContext(act));
  }

  inContext(callback) {
    const operation = this.current();
    return operation === undefined ? callback : () => this.within(operation, callback);
  }

  afterTurn() {
    // But in nested worlds each macrotask serves one operation, which needs no context to be known.
    this.alone = undefined;
    if (this.schedule.reads === 'often') this.read();
  }

  /** Writes down the numbers of all states. */
  read() {
    for (const [i, { object, keys }] of this.protections.entries())
      for (const key of keys) {
        const numbers = (key === undefined ? object : object.for(key)).status();
        this.note('status', undefined, { protection: i, key, numbers });
      }
  }
}

class Stage {
  constructor(world, schedule, pkg) {
    Object.assign(this, { world, schedule, pkg, signals: new Map(), runs: new Map() });
  }

  begin() {
    const { schedule, world } = this;
    world.protections = schedule.protections.map((parts, i) => this.protection(parts, i));
    this.options = schedule.policies.map((policy) => this.readyOptions(policy));
    this.policies = this.options.map((options) => new this.pkg.RetryPolicy(options));
    for (const plan of schedule.operations) {
      const i = plan.id;
      if (plan.signal)
        this.signals.set(i, {
          controller: new AbortController(),
          reason: plan.timesOut ? new DOMException('time is up', 'TimeoutError') : new Error(`abort ${i}`),
        });
      // Each call in a macrotask of its own: what happens in it then has one order.
      world.later(plan.at, () => this.start(plan));
    }
    for (const event of schedule.events) world.later(event.at, () => this.happen(event));
    for (const lie of schedule.lies) world.later(lie.at, () => this.lie(lie));
    if (schedule.afterwards) this.endWell();
  }

  protection({ budget, breaker, cooldown, hedge, throws, aborts }, i) {
    const { world, pkg } = this;
    const parts = [];
    if (cooldown) parts.push(pkg.cooldown(cooldown));
    if (breaker)
      parts.push(pkg.breaker(breaker.isFailure ? { ...breaker, isFailure: (end) => this.isFailure(end) } : breaker));
    if (budget) parts.push(pkg.budget(budget));
    if (hedge) parts.push(pkg.hedge(hedge));
    const onEvent = (event) => {
      world.note('protection', world.current(), { protection: i, event });
      if (aborts === event.type) this.abort(world.current()?.signal);
      if (throws) throw new Error('of onEvent');
    };
    const object = pkg.protect(...parts, { onEvent });
    world.note('made', undefined, { protection: i });
    return { object, keys: new Set([undefined]) };
  }

  isFailure(end) {
    const { world } = this;
    const operation = world.current();
    world.note('isFailure', operation, { end });
    const { says } = end.error ?? end.result ?? {};
    if (says === 'throw') throw (operation.slip = new Error('isFailure'));
    return says;
  }

  /**
   * Long after: calls that succeed, as many as any breaker needs to close, and one that a circuit may reject whose
   * clock was set back.
   */
  endWell() {
    const { world, schedule } = this;
    schedule.protections.forEach((_, i) => {
      const policy = { of: i, options: { maxAttempts: 1 }, uses: { hooks: [] } };
      const index = this.policies.length;
      this.options.push(this.readyOptions(policy));
      this.policies.push(new this.pkg.RetryPolicy(this.options[index]));
      const plan = { policy: index, policyOf: policy, via: 'run', draw: 0.5, attempts: [], last: true };
      for (let k = 0; k < 4; k += 1)
        world.later(AFTERWARDS + k * 1e6, () => {
          for (const [j, key] of [...world.protections[i].keys].entries())
            world.later(j, () => this.start({ ...plan, key }));
        });
    });
  }

  lie({ by, stands }) {
    const { world } = this;
    if (by !== undefined) {
      world.offset += by;
      if (world.stands !== undefined) world.stands += by;
    } else if (world.stands === undefined) {
      world.stands = world.reading;
      world.later(stands, () => {
        world.stands = undefined;
      });
    }
  }

  happen({ abort, protection, key, close, open }) {
    if (abort !== undefined) return this.abort(abort);
    const { object, keys } = this.world.protections[protection];
    keys.add(key);
    this.world.note('byHand', undefined, { protection, key, close, open });
    const state = key === undefined ? object : object.for(key);
    return close ? state.close() : state.open(open);
  }

  abort(i) {
    const signal = this.signals.get(i);
    if (signal === undefined || signal.controller.signal.aborted) return;
    this.world.note('abort', undefined, { signal: i });
    const operation = this.world.operations.find((each) => each.signal === i);
    // Its hooks run before this macrotask ends.
    if (this.world.schedule.single && operation !== undefined) this.world.alone = operation;
    signal.controller.abort(signal.reason);
  }

  readyOptions({ of, options: plain, uses }) {
    const { world } = this;
    const options = { ...plain, protection: world.protections[of].object };
    if (plain.seed === undefined) options.random = () => world.current()?.plan.draw ?? 0.5;
    for (const [name, list] of [
      ['retryIf', 'verdicts'],
      ['retryOnResult', 'results'],
      ['beforeRetry', 'befores'],
    ]) {
      if (!uses[name]) continue;
      options[name] = (outcome) => {
        const operation = world.current();
        const entry = world.note(name, operation, { outcome: name === 'beforeRetry' ? outcome.error : outcome });
        const nth = (operation.counts[name] = (operation.counts[name] ?? -1) + 1);
        return this.play(operation.plan[list]?.[nth] ?? FURTHER[name], entry, operation);
      };
    }
    for (const name of HOOKS) {
      if (!uses.hooks.includes(name)) continue;
      options[name] = (event) => {
        const operation = world.current();
        world.note('hook', operation, { name, event });
        const nth = (operation.counts[name] = (operation.counts[name] ?? -1) + 1);
        const step = operation.plan.hooks?.[name]?.[nth];
        for (const act of step?.before ?? []) this.act(act);
        world.note('hookEnd', operation, { name });
        if (step?.throws) throw new Error('of a hook');
      };
    }
    return options;
  }

  /** Calls an operation. `plan` says what its callbacks do. */
  start(plan) {
    const { world, schedule, pkg, signals } = this;
    const policy = plan.policyOf ?? schedule.policies[plan.policy];
    const operation = {
      id: world.operations.length,
      plan,
      policy,
      signal: plan.id,
      counts: {},
      fns: 0,
      /** Ends of attempts that come in the macrotask in which another one ends. */
      together: [],
      settled: undefined,
    };
    world.operations.push(operation);
    const signal = signals.get(plan.id)?.controller.signal;
    operation.reason = signals.get(plan.id)?.reason;
    // A seed's draws: each run of a policy has its own, one-shot functions have the first.
    const runs = !['once', 'sync'].includes(plan.via);
    operation.index = runs ? (this.runs.get(plan.policy) ?? 0) : 0;
    if (runs) this.runs.set(plan.policy, operation.index + 1);
    const { object, keys } = world.protections[policy.of];
    if (plan.via !== 'off') keys.add(plan.key);
    const fn = (attempt) => this.attempted(operation, attempt);
    return world.within(operation, () => {
      operation.call = world.note('call', operation, { aborted: signal?.aborted === true });
      const own = () => (plan.key === undefined ? object : object.for(plan.key));
      const options = this.options[plan.policy];
      if (plan.via === 'sync') return this.blocking(operation, fn, { ...options, signal, protection: own() });
      const also = { signal, ...(plan.key !== undefined && plan.via === 'run' && { key: plan.key }) };
      let promise;
      try {
        if (plan.via === 'once') promise = pkg.retry(fn, { ...options, signal, protection: own() });
        else if (plan.via === 'off') promise = this.policies[plan.policy].run(fn, { signal, protection: false });
        else promise = this.policies[plan.policy].run(fn, also);
      } catch (error) {
        world.problem('P10', `the call threw ${describe(error)}`);
        return undefined;
      }
      promise.then(
        (value) => this.settled(operation, true, value),
        (error) => this.settled(operation, false, error),
      );
      return promise;
    });
  }

  blocking(operation, fn, options) {
    try {
      this.settled(operation, true, this.pkg.retrySync(fn, options));
    } catch (error) {
      this.settled(operation, false, error);
    }
    return undefined;
  }

  settled(operation, ok, value) {
    const { world, pkg } = this;
    operation.settled = world.note('settle', operation, { ok, value, report: pkg.retryReport(value) });
  }

  attempted(operation, attempt) {
    const { world } = this;
    const n = (operation.fns += 1);
    const entry = world.note('fn', operation, { n, number: attempt.attempt, attempt });
    const fallback = operation.plan.last ? SUCCESS : FAILURE;
    return this.play(operation.plan.attempts[n - 1] ?? fallback, entry, operation, attempt);
  }

  act(act) {
    const { world } = this;
    if (act.do === 'abort') this.abort(act.signal);
    else if (act.do === 'busy') world.block(act.ms);
    else if (act.do === 'wall') world.wall += act.ms;
    else if (act.do === 'status') world.protections[0].object.status();
    else return this.start(act.op);
    return undefined;
  }

  /** One callback: what it does, then how it ends. */
  play(step, entry, operation, attempt) {
    const { world } = this;
    let inner;
    for (const act of step.before) inner = this.act(act) ?? inner;
    const { how, ok, value, ms, heeds, before } = step.end;
    const done = (good, result) => world.note('end', operation, { of: entry, ok: good, value: result });
    if (how === 'never') return new Promise(() => {});
    if (how === 'inner')
      return inner.then(
        (result) => {
          done(true, { thrown: result, shown: result });
          return result;
        },
        (error) => {
          done(false, { thrown: error, shown: error, inner: true });
          throw error;
        },
      );
    // An inner operation that goes on by itself has its own end.
    inner?.catch(() => {});
    const made = this.make(value);
    const settle = () => {
      done(ok, made);
      return ok;
    };
    switch (how) {
      case 'return':
        settle();
        return made.thrown;
      case 'throw':
        settle();
        throw made.thrown;
      case 'later':
      case 'together':
        return new Promise((resolve, reject) => {
          const end = () => void (settle() ? resolve(made.thrown) : reject(made.thrown));
          if (heeds) this.heed(attempt.signal, done, reject);
          if (how === 'together') operation.together.push({ end, before });
          else if (attempt === undefined) world.later(ms, end);
          else world.later(ms, () => this.endAll(operation, end));
        });
      default:
        return settle() ? Promise.resolve(made.thrown) : Promise.reject(made.thrown);
    }
  }

  /** Ends an attempt, and those that end in the same macrotask before or after it. */
  endAll(operation, end) {
    const others = operation.together.splice(0);
    for (const other of others) if (other.before) other.end();
    end();
    for (const other of others) if (!other.before) other.end();
  }

  /** The attempt fails when its signal is aborted, as a request does. */
  heed(signal, done, reject) {
    signal.addEventListener('abort', () => {
      const { reason } = signal;
      done(false, { thrown: reason, shown: reason });
      reject(reason);
    });
  }

  /** Makes the value of a callback: what it throws or returns, and what others see of it. */
  make(described) {
    if ('verdict' in described) return { thrown: described.verdict };
    const { kind, says, hintMs } = described;
    if (kind === 'rejected') {
      const thrown = new this.pkg.RejectedError('breaker', 5);
      return { thrown, shown: thrown, kind };
    }
    const shown = kind === 'result' ? { says } : Object.assign(new Error('failed'), { says });
    if (kind === 'hint') return { thrown: this.pkg.retryAfter(hintMs, shown), shown, hintMs, kind };
    if (kind === 'permanent') return { thrown: this.pkg.permanent(shown), shown, kind };
    return { thrown: shown, shown, kind };
  }
}

const SUCCESS = { before: [], end: { how: 'return', ok: true, value: { kind: 'result' } } };
const FAILURE = { before: [], end: { how: 'throw', ok: false, value: { kind: 'error' } } };
const verdict = (value) => ({ before: [], end: { how: 'return', ok: true, value: { verdict: value } } });
const FURTHER = { retryIf: verdict(true), retryOnResult: verdict(false), beforeRetry: verdict(undefined) };
