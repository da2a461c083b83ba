// @ts-check
// rejitter/testing: time that moves by hand, and known draws, for the tests of programs that retry.

import { isFunction, isSwitch } from '../options/checks.js';
import { errorOf, failure, problemOf } from '../options/messages.js';
import { SWITCH } from '../options/rules.js';
import { readOnly } from '../options/settings.js';

/** The longest delay that hosts keep: above it, as below 1, timers fire after 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const FIRE_LIMIT = 10_000;

/** How often the event loop turns between two timers: callbacks, and fakes of I/O, take a few turns. */
const TURNS = 5;

/** @type {[types: string, rule: string]} */
const MILLISECONDS = ['number', 'a finite, non-negative number of milliseconds'];
/** @type {[types: string, rule: string]} */
const COUNT = ['number', 'a non-negative integer'];
/** @type {[types: string, rule: string]} */
const DRAW = ['number', 'a number in [0, 1)'];

const DISPOSE = /** @type {any} */ (Symbol).dispose ?? Symbol.for('Symbol.dispose');

/** The ids of timers: above those of hosts, and never used twice. */
let ids = 2 ** 40;

/** @type {VirtualClock | undefined} the clock that is installed */
let current;

/** @param {any} [options] */
export function virtualClock(options) {
  if (current !== undefined) throw failure(Error, 'a virtual clock is installed already. Uninstall it first');
  const given = readOnly(options, ['date', 'blocking']);
  const problems = Object.keys(given).flatMap((name) =>
    isSwitch(given[name]) ? [] : [problemOf(name, given[name], SWITCH)],
  );
  if (problems.length > 0) throw errorOf(problems);
  current = new VirtualClock(given.date === true, given.blocking === true);
  return current;
}

class VirtualClock {
  #timers = new Timers();
  #running = false;
  /** @type {[holder: any, name: string, own: PropertyDescriptor | undefined, replacement: unknown][]} */
  #replaced = [];
  /** @type {() => Promise<void>} */
  #turn;
  /** @type {() => Promise<void>} */
  #pause;

  /**
   * @param {boolean} date
   * @param {boolean} blocking
   */
  constructor(date, blocking) {
    const timers = this.#timers;
    const { AbortSignal, Atomics, Date, clearInterval, clearTimeout, performance, setImmediate, setTimeout } =
      /** @type {any} */ (globalThis);
    // The host's own, looked up before it is replaced: promises settle while real tasks run.
    /** @param {() => void} done */
    const later = (done) => {
      try {
        setImmediate(done);
      } catch {
        // Browsers have no setImmediate, and that of an edge route of Next.js throws.
        setTimeout(done);
      }
    };
    // The fakes of sinon, Vitest and Jest have this. On those nothing would ever settle.
    if ([setImmediate, setTimeout].some((timer) => timer?.clock !== undefined)) {
      throw failure(Error, 'fake timers are installed already. Remove them first, or move time by them alone');
    }
    this.#turn = () => new Promise(later);
    this.#pause = () => new Promise((done) => void setTimeout(done, 1));
    // Integer: sums with a fraction are rounded, and a timer would seem to fire early.
    const startedAt = Math.ceil(performance.now());
    const startedOn = Date.now();

    /** @type {(name: string, repeats: boolean) => (callback: any, ms: any, ...args: any[]) => Timeout} */
    const arming =
      (name, repeats) =>
      (callback, ms, ...args) => {
        if (!isFunction(callback)) throw problemOf(`the callback of ${name}()`, callback, ['', 'a function']);
        return timers.arm(callback, ms, args, repeats);
      };
    /** @type {(host: Function) => (handle: any) => void} */
    const clearing = (host) => (handle) => {
      const timer = timers.find(handle);
      // Timers that were armed before the clock was installed are the host's.
      if (timer === undefined) host(handle);
      else timer.close();
    };
    const fakeTimeout = arming('setTimeout', false);
    const replacements = [
      [
        globalThis,
        'setTimeout',
        Object.assign(fakeTimeout, { [Symbol.for('nodejs.util.promisify.custom')]: timers.sleep.bind(timers) }),
      ],
      [globalThis, 'clearTimeout', clearing(clearTimeout)],
      [globalThis, 'setInterval', arming('setInterval', true)],
      [globalThis, 'clearInterval', clearing(clearInterval)],
      [performance, 'now', () => startedAt + timers.now],
    ];
    if (isFunction(AbortSignal?.timeout))
      replacements.push([AbortSignal, 'timeout', (/** @type {any} */ ms) => timers.timeoutSignal(ms)]);
    if (date) {
      const now = () => Math.floor(startedOn + timers.now);
      /** @type {any} */
      const Moved = new Proxy(Date, {
        apply: () => new Date(now()).toString(),
        construct: (target, args, newTarget) =>
          Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
      });
      replacements.push([Date, 'now', now], [Date.prototype, 'constructor', Moved], [globalThis, 'Date', Moved]);
    }
    if (blocking) {
      const { wait } = Atomics;
      replacements.push([
        Atomics,
        'wait',
        (/** @type {any} */ cell, /** @type {any} */ index, /** @type {any} */ value, /** @type {any} */ ms) => {
          const answer = wait.call(Atomics, cell, index, value, 0);
          // No timer fires during the wait: the thread is blocked.
          if (answer === 'timed-out' && ms > 0) timers.now += ms;
          return answer;
        },
      ]);
    }
    try {
      for (const [holder, name, replacement] of replacements) this.#replace(holder, name, replacement);
    } catch (error) {
      this.uninstall();
      throw error;
    }
  }

  get now() {
    return this.#timers.now;
  }

  get pending() {
    return this.#timers.size;
  }

  /** @param {number} ms */
  async advance(ms) {
    requireMs('the argument of advance()', ms);
    const timers = this.#timers;
    const end = timers.now + ms;
    await this.#run(() => timers.next(end), Infinity);
    timers.now = Math.max(timers.now, end);
  }

  /** @param {number} [limit] */
  async runAll(limit = FIRE_LIMIT) {
    requireCount('the argument of runAll()', limit);
    await this.#run(() => this.#timers.next(Infinity), limit);
  }

  /**
   * @param {any} promise
   * @param {any} [options]
   */
  async runUntil(promise, options) {
    if (!isFunction(promise?.then)) throw problemOf('the argument of runUntil()', promise, ['', 'a promise']);
    const { limit = FIRE_LIMIT, graceMs = 20 } = readOnly(options, ['limit', 'graceMs']);
    requireCount('limit', limit);
    requireCount('graceMs', graceMs);
    const timers = this.#timers;
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
        for (let i = 0; i < graceMs && pending && timers.size > 0; i++) await this.#pause();
        if (!pending) break;
        const timer = timers.next(Infinity);
        if (timer !== undefined) return timer;
        // Only the outside can go on. That takes its own time, which no polling makes shorter.
        await timers.armed();
        await this.#settle();
      }
      return undefined;
    }, limit);
    return outcome;
  }

  uninstall() {
    for (const [holder, name, own, replacement] of this.#replaced.reverse()) {
      // A later replacement by other code stays.
      if (holder[name] !== replacement) continue;
      if (own === undefined) delete holder[name];
      else put(holder, name, own);
    }
    this.#replaced = [];
    this.#timers.end();
    if (current === this) current = undefined;
  }

  [DISPOSE]() {
    this.uninstall();
  }

  /**
   * @param {any} holder
   * @param {string} name
   * @param {unknown} replacement
   */
  #replace(holder, name, replacement) {
    const own = Object.getOwnPropertyDescriptor(holder, name);
    put(holder, name, { value: replacement, writable: true, configurable: true, enumerable: own?.enumerable ?? true });
    this.#replaced.push([holder, name, own, replacement]);
  }

  async #settle() {
    for (let i = 0; i < TURNS; i++) await this.#turn();
  }

  /**
   * Fires timers as long as `next` finds one.
   * @param {() => Timeout | undefined | Promise<Timeout | undefined>} next
   * @param {number} limit
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

/** Armed timers, and the time. */
class Timers {
  now = 0;
  /** Whether the clock is installed. */
  live = true;
  /** @type {Map<number, Timeout>} in the order of arming */
  #armed = new Map();
  /** @type {(value?: any) => void} */
  wake = () => {};

  get size() {
    return this.#armed.size;
  }

  /**
   * @param {Function} callback
   * @param {any} ms
   * @param {any[]} args
   * @param {boolean} [repeats]
   */
  arm(callback, ms, args, repeats = false) {
    const timer = new Timeout(this, callback, ms >= 1 && ms <= MAX_TIMER_MS ? Math.trunc(ms) : 1, args, repeats);
    this.enter(timer);
    return timer;
  }

  /** @param {Timeout} timer that is due after its delay, counted from now */
  enter(timer) {
    this.#armed.delete(timer.id);
    timer.due = this.now + timer.ms;
    this.#armed.set(timer.id, timer);
    this.wake();
  }

  /** @param {Timeout} timer */
  has(timer) {
    return this.#armed.has(timer.id);
  }

  /** @param {Timeout} timer */
  remove(timer) {
    this.#armed.delete(timer.id);
  }

  /**
   * Returns the timer of a handle or a number, unless the host gave it.
   * @param {unknown} handle
   */
  find(handle) {
    return handle instanceof Timeout
      ? handle
      : typeof handle === 'object'
        ? undefined
        : this.#armed.get(Number(handle));
  }

  /**
   * Returns the earliest timer that is due by `end`, and of several the one that was armed first.
   * @param {number} end
   */
  next(end) {
    /** @type {Timeout | undefined} */
    let first;
    for (const timer of this.#armed.values()) {
      if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    }
    return first;
  }

  /** @param {Timeout} timer */
  fire(timer) {
    this.now = Math.max(this.now, timer.due);
    if (!timer.repeats) this.remove(timer);
    try {
      Reflect.apply(timer.callback, timer, timer.args);
    } finally {
      // Hosts arm an interval again after its callback, even if that throws, unless it clears the interval.
      if (timer.repeats && this.has(timer)) this.enter(timer);
    }
  }

  /** Resolves when a timer is armed, or on a call of `wake`. */
  armed() {
    return new Promise((done) => {
      this.wake = done;
    });
  }

  /** Drops the timers, except those that do not keep the process alive, which Node's fetch needs. */
  end() {
    const background = [...this.#armed.values()].filter((timer) => !timer.hasRef());
    this.live = false;
    this.#armed.clear();
    for (const timer of background) timer.refresh();
    this.wake();
  }

  /**
   * AbortSignal.timeout().
   * @param {any} ms
   */
  timeoutSignal(ms) {
    requireMs('the argument of AbortSignal.timeout()', ms);
    const controller = new AbortController();
    // The words of the host.
    this.arm(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms,
      [],
    );
    return controller.signal;
  }

  /**
   * util.promisify(setTimeout).
   * @param {any} ms
   * @param {any} [value]
   * @param {{ signal?: AbortSignal, ref?: boolean }} [options]
   */
  sleep(ms, value, { signal, ref } = {}) {
    return new Promise((resolve, reject) => {
      // The words of the host.
      const stop = () => {
        timer.close();
        reject(
          Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
            name: 'AbortError',
            code: 'ABORT_ERR',
          }),
        );
      };
      const timer = this.arm(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve(value);
        },
        ms,
        [],
      );
      if (ref === false) timer.unref();
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }
}

/** A timer, with the methods of Node's Timeout. As a number it is its id. */
class Timeout {
  id = ++ids;
  due = 0;
  #timers;
  #ref = true;
  #cleared = false;
  /** @type {any} */
  #successor;

  /**
   * @param {Timers} timers
   * @param {Function} callback
   * @param {number} ms
   * @param {any[]} args
   * @param {boolean} repeats
   */
  constructor(timers, callback, ms, args, repeats) {
    this.#timers = timers;
    this.callback = callback;
    this.ms = ms;
    this.args = args;
    this.repeats = repeats;
  }

  /** Starts the delay again, also after the timer has fired. */
  refresh() {
    if (this.#cleared) return this;
    if (this.#timers.live) this.#timers.enter(this);
    else {
      // Node's fetch keeps one timer for all its timeouts as long as the process lives. Without a successor
      // on the timers of now, they would end with the clock under which that one was made.
      globalThis.clearTimeout(this.#successor);
      this.#successor = (this.repeats ? globalThis.setInterval : globalThis.setTimeout)(
        () => Reflect.apply(this.callback, this, this.args),
        this.ms,
      );
      if (!this.#ref) this.#successor.unref?.();
    }
    return this;
  }

  close() {
    this.#cleared = true;
    this.#timers.remove(this);
    if (this.#successor !== undefined) globalThis.clearTimeout(this.#successor);
    return this;
  }

  ref() {
    this.#ref = true;
    return this;
  }

  unref() {
    this.#ref = false;
    return this;
  }

  hasRef() {
    return this.#ref && this.#timers.has(this);
  }

  [Symbol.toPrimitive]() {
    return this.id;
  }

  [DISPOSE]() {
    this.close();
  }
}

/**
 * Defines a property. Edge runtimes forbid that for some of theirs, which can be assigned to.
 * @param {any} holder
 * @param {string} name
 * @param {PropertyDescriptor} descriptor
 */
function put(holder, name, descriptor) {
  if (Object.getOwnPropertyDescriptor(holder, name)?.configurable === false) holder[name] = descriptor.value;
  else Object.defineProperty(holder, name, descriptor);
}

/**
 * @param {string} name
 * @param {any} ms
 */
function requireMs(name, ms) {
  if (typeof ms !== 'number' || !(ms >= 0 && ms < Infinity)) throw problemOf(name, ms, MILLISECONDS);
}

/**
 * @param {string} name
 * @param {any} count
 */
function requireCount(name, count) {
  if (!Number.isInteger(count) || count < 0) throw problemOf(name, count, COUNT);
}

/** @param {any} draws */
export function scriptedRandom(draws) {
  if (!Array.isArray(draws)) throw problemOf('draws', draws, ['', 'an array of numbers in [0, 1)']);
  const script = draws.map((draw, i) => checked(draw, `draws[${i}]`));
  let used = 0;
  const random = () => {
    if (used === script.length) {
      throw failure(
        RangeError,
        `the script of ${used} ${used === 1 ? 'draw' : 'draws'} is exhausted: the operation drew more often than ` +
          'the test expected. Add draws, or limit the attempts',
      );
    }
    return script[used++];
  };
  return Object.defineProperty(random, 'left', { get: () => script.length - used });
}

/** @param {any} r */
export function constantRandom(r) {
  checked(r, 'r');
  return () => r;
}

/**
 * @param {any} draw
 * @param {string} name
 */
function checked(draw, name) {
  if (typeof draw === 'number' && draw >= 0 && draw < 1) return draw;
  throw problemOf(name, draw, DRAW);
}
