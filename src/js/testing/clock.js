// Time that moves by hand, in place of the host's.

import { isFunction } from '../options/checks.js';
import { failure, problemOf } from '../options/messages.js';
import { read, requireValid } from '../options/reader.js';
import { COUNT, FINITE, SWITCH } from '../options/rules.js';
import { DISPOSE, Timeout, Timers } from './timers.js';

const FIRE_LIMIT = 10_000;

/** How often the event loop turns between two timers: callbacks, and fakes of I/O, take a few turns. */
const TURNS = 5;

/** @type {VirtualClock | undefined} the clock that is installed */
let current;

/** @param {any} [options] */
export function virtualClock(options) {
  if (current !== undefined) throw failure(Error, 'a virtual clock is installed already. Uninstall it first');
  const { date = false, blocking = false } = read(options, { date: SWITCH, blocking: SWITCH });
  const clock = (current = new VirtualClock());
  try {
    clock.install(date, blocking);
    return clock;
  } catch (error) {
    clock.uninstall();
    throw error;
  }
}

class VirtualClock {
  #timers = new Timers();
  #running = false;
  /** Functions that put the host's own back. @type {(() => void)[]} */
  #undo = [];
  /** The host's own, looked up before they are replaced: promises settle while real tasks run. */
  #host = { setImmediate: /** @type {any} */ (globalThis).setImmediate, setTimeout: globalThis.setTimeout };

  /** @param {boolean} date @param {boolean} blocking */
  install(date, blocking) {
    const timers = this.#timers;
    const { AbortSignal, Atomics, Date, clearInterval, clearTimeout, performance } = /** @type {any} */ (globalThis);
    // The fakes of sinon, Vitest and Jest have this. On those nothing would ever settle.
    if (Object.values(this.#host).some((timer) => timer?.clock !== undefined))
      throw failure(Error, 'fake timers are installed already. Remove them first, or move time by them alone');
    // Integer: sums with a fraction are rounded, and a timer would seem to fire early.
    const startedAt = Math.ceil(performance.now());
    const startedOn = Date.now();

    /** @type {(name: string, repeats: boolean) => (callback: any, ms: any, ...args: any[]) => Timeout} */
    const arming =
      (name, repeats) =>
      (callback, ms, ...args) => {
        if (!isFunction(callback)) throw problemOf(`the callback of ${name}()`, callback, ['', 'a function']);
        return new Timeout(timers, callback, ms, args, repeats);
      };
    /** @type {(host: Function) => (handle: any) => void} */
    const clearing = (host) => (handle) => {
      const timer = typeof handle === 'object' ? handle : timers.armed.get(Number(handle));
      if (timer instanceof Timeout) timer.close();
      // Timers that were armed before the clock was installed are the host's.
      else host(handle);
    };
    const fakeTimeout = Object.assign(arming('setTimeout', false), {
      [Symbol.for('nodejs.util.promisify.custom')]: timers.sleep.bind(timers),
    });
    this.#replace(globalThis, 'setTimeout', fakeTimeout);
    this.#replace(globalThis, 'clearTimeout', clearing(clearTimeout));
    this.#replace(globalThis, 'setInterval', arming('setInterval', true));
    this.#replace(globalThis, 'clearInterval', clearing(clearInterval));
    this.#replace(performance, 'now', () => startedAt + timers.now);
    if (isFunction(AbortSignal?.timeout))
      this.#replace(AbortSignal, 'timeout', (/** @type {any} */ ms) => timers.timeoutSignal(ms));
    if (date) {
      const now = () => Math.floor(startedOn + timers.now);
      /** @type {any} */
      const Moved = new Proxy(Date, {
        apply: () => new Date(now()).toString(),
        construct: (target, args, newTarget) =>
          Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
      });
      this.#replace(Date, 'now', now);
      this.#replace(Date.prototype, 'constructor', Moved);
      this.#replace(globalThis, 'Date', Moved);
    }
    if (blocking) {
      const { wait } = Atomics;
      this.#replace(Atomics, 'wait', (/** @type {[any, any, any, any]} */ ...[cell, index, value, ms]) => {
        const answer = wait.call(Atomics, cell, index, value, 0);
        // No timer fires during the wait: the thread is blocked.
        if (answer === 'timed-out' && ms > 0) timers.now += ms;
        return answer;
      });
    }
  }

  get now() {
    return this.#timers.now;
  }

  get pending() {
    return this.#timers.armed.size;
  }

  /** @param {number} ms */
  async advance(ms) {
    requireValid('the argument of advance()', ms, FINITE);
    const timers = this.#timers;
    const end = timers.now + ms;
    await this.#run(() => timers.next(end), Infinity);
    timers.now = Math.max(timers.now, end);
  }

  /** @param {number} [limit] */
  async runAll(limit = FIRE_LIMIT) {
    requireValid('the argument of runAll()', limit, COUNT);
    await this.#run(() => this.#timers.next(Infinity), limit);
  }

  /** @param {any} promise @param {any} [options] */
  async runUntil(promise, options) {
    if (!isFunction(promise?.then)) throw problemOf('the argument of runUntil()', promise, ['', 'a promise']);
    const { limit = FIRE_LIMIT, graceMs = 20 } = read(options, { limit: COUNT, graceMs: COUNT });
    const timers = this.#timers;
    const { setTimeout } = this.#host;
    let pending = true;
    const settled = () => {
      pending = false;
      timers.wake();
    };
    const outcome = Promise.resolve(promise);
    outcome.then(settled, settled);
    await this.#run(async () => {
      while (pending && timers.live) {
        // Real I/O may bring news before the timer that limits it. One pause is at least one turn of the
        // event loop, however busy the machine is.
        for (let i = 0; i < graceMs && pending && timers.armed.size > 0; i++)
          await new Promise((done) => void setTimeout(done, 1));
        if (!pending) break;
        const timer = timers.next(Infinity);
        if (timer !== undefined) return timer;
        // Only the outside can go on. That takes its own time, which no polling makes shorter.
        await timers.change();
        await this.#settle();
      }
      return undefined;
    }, limit);
    return outcome;
  }

  uninstall() {
    for (const undo of this.#undo.splice(0).reverse()) undo();
    this.#timers.end();
    if (current === this) current = undefined;
  }

  [DISPOSE]() {
    this.uninstall();
  }

  /** @param {any} holder @param {string} name @param {unknown} replacement */
  #replace(holder, name, replacement) {
    const own = Object.getOwnPropertyDescriptor(holder, name);
    put(holder, name, { value: replacement, writable: true, configurable: true, enumerable: own?.enumerable ?? true });
    this.#undo.push(() => {
      // A later replacement by other code stays.
      if (holder[name] !== replacement) return;
      if (own === undefined) delete holder[name];
      else put(holder, name, own);
    });
  }

  /** Lets the event loop turn. */
  async #settle() {
    const { setImmediate, setTimeout } = this.#host;
    for (let i = 0; i < TURNS; i++)
      await new Promise((done) => {
        try {
          setImmediate(done);
        } catch {
          // Browsers have no setImmediate, and that of an edge route of Next.js throws.
          setTimeout(done);
        }
      });
  }

  /**
   * Fires timers as long as `next` finds one.
   * @type {(next: () => Timeout | undefined | Promise<Timeout | undefined>, limit: number) => Promise<void>}
   */
  async #run(next, limit) {
    if (this.#running) throw failure(Error, 'the clock is being moved already. Await each call that moves it');
    this.#running = true;
    try {
      for (let fired = 0; ; fired++) {
        await this.#settle();
        const timer = await next();
        if (timer === undefined) return;
        if (fired >= limit)
          throw failure(
            Error,
            `${limit} timers have fired and more are armed. Is a retry endless, or an interval never cleared?`,
          );
        this.#timers.fire(timer);
      }
    } finally {
      this.#running = false;
    }
  }
}

/**
 * Defines a property. Edge runtimes forbid that for some of theirs, which can be assigned to.
 * @type {(holder: any, name: string, descriptor: PropertyDescriptor) => void}
 */
function put(holder, name, descriptor) {
  if (Object.getOwnPropertyDescriptor(holder, name)?.configurable === false) holder[name] = descriptor.value;
  else Object.defineProperty(holder, name, descriptor);
}
