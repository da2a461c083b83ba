// For the tests of programs that retry: time that moves by hand, and draws that are known.

/** The longest delay that hosts keep: above it, as below 1, timers fire after 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Above the ids that hosts give. */
const FIRST_ID = 2 ** 40;

/** The clock that is installed, if one is. */
let current;

export function virtualClock(options = {}) {
  if (current !== undefined) throw new Error('a virtual clock is installed already: uninstall it first');
  const { date = false, blocking = false } = read(options);
  current = new VirtualClock(date, blocking);
  return current;
}

function read(options) {
  if (options === null || typeof options !== 'object') throw new TypeError('options must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (name !== 'date' && name !== 'blocking') throw new TypeError(`${JSON.stringify(name)} is not an option. Options are: date, blocking`);
    if (typeof value !== 'boolean' && value !== undefined) throw new TypeError(`${name} must be true or false`);
  }
  return options;
}

class VirtualClock {
  #now = 0;
  /** Armed timers in the order of arming. */
  #timers = new Map();
  #ids = FIRST_ID;
  #running = false;
  /** What was replaced: [holder, name, its own descriptor or undefined, the replacement]. */
  #replaced = [];
  #turn;

  constructor(date, blocking) {
    // The host's own, taken before it is replaced: promises settle while a real task passes.
    const later = globalThis.setImmediate ?? globalThis.setTimeout;
    // Those of sinon, Vitest and Jest have this; nothing would ever settle.
    if (later.clock !== undefined) throw new Error('fake timers are installed already: remove them first, or move time by them alone');
    this.#turn = () => new Promise((done) => { later(done); });
    // Whole: sums with a fraction are rounded, and a timer would seem to fire early.
    const startedAt = Math.ceil(globalThis.performance.now());
    const startedOn = Date.now();
    const setTimeout = (callback, ms, ...args) => this.#arm(callback, ms, args);
    // For util.promisify, as Node's own has it.
    setTimeout[Symbol.for('nodejs.util.promisify.custom')] = (ms, value) => new Promise((done) => { this.#arm(done, ms, [value]); });
    this.#replace(globalThis, 'setTimeout', setTimeout);
    const { clearTimeout } = globalThis;
    this.#replace(globalThis, 'clearTimeout', (handle) => {
      const id = Number(handle);
      if (id > FIRST_ID) this.#timers.delete(id);
      // Armed before the clock was installed.
      else clearTimeout(handle);
    });
    this.#replace(globalThis.performance, 'now', () => startedAt + this.#now);
    if (date) this.#replace(Date, 'now', () => Math.floor(startedOn + this.#now));
    if (blocking) {
      const wait = Atomics.wait;
      this.#replace(Atomics, 'wait', (cell, index, value, ms) => {
        const answer = wait.call(Atomics, cell, index, value, 0);
        // Nothing fires meanwhile, as nothing does in a thread that is blocked.
        if (answer === 'timed-out' && ms > 0) this.#now += ms;
        return answer;
      });
    }
  }

  get now() {
    return this.#now;
  }

  get pending() {
    return this.#timers.size;
  }

  async advance(ms) {
    if (typeof ms !== 'number' || !(ms >= 0 && ms < Infinity)) throw new RangeError('advance() takes a number of milliseconds from 0');
    const end = this.#now + ms;
    await this.#run(() => this.#next(end), Infinity);
    this.#now = Math.max(this.#now, end);
  }

  async runAll(limit = 10_000) {
    if (!Number.isInteger(limit) || limit < 0) throw new RangeError('runAll() takes a whole number of timers from 0');
    await this.#run(() => this.#next(Infinity), limit);
  }

  uninstall() {
    for (const [holder, name, own, replacement] of this.#replaced.reverse()) {
      // Somebody else's replacement stays.
      if (holder[name] !== replacement) continue;
      if (own === undefined) delete holder[name];
      else Object.defineProperty(holder, name, own);
    }
    this.#replaced = [];
    this.#timers.clear();
    if (current === this) current = undefined;
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.uninstall();
  }

  #replace(holder, name, replacement) {
    this.#replaced.push([holder, name, Object.getOwnPropertyDescriptor(holder, name), replacement]);
    Object.defineProperty(holder, name, { value: replacement, writable: true, configurable: true, enumerable: true });
  }

  #arm(callback, ms, args) {
    if (typeof callback !== 'function') throw new TypeError('setTimeout() takes a function');
    const id = ++this.#ids;
    const delay = ms >= 1 && ms <= MAX_TIMER_MS ? Math.trunc(ms) : 1;
    this.#timers.set(id, { id, due: this.#now + delay, callback, args });
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => this.#timers.has(id), [Symbol.toPrimitive]: () => id };
    return handle;
  }

  /** The earliest timer that is due by `end`; of several the one that was armed first. */
  #next(end) {
    let first;
    for (const timer of this.#timers.values()) {
      if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    }
    return first;
  }

  async #run(next, limit) {
    if (this.#running) throw new Error('the clock is being moved already: await each advance() and runAll()');
    this.#running = true;
    try {
      await this.#turn();
      let fired = 0;
      for (let timer = next(); timer !== undefined; timer = next()) {
        if (fired++ >= limit) throw new Error(`${limit} timers have fired and more are armed: an endless retry?`);
        this.#timers.delete(timer.id);
        this.#now = Math.max(this.#now, timer.due);
        timer.callback(...timer.args);
        await this.#turn();
      }
    } finally {
      this.#running = false;
    }
  }
}

export function scriptedRandom(draws) {
  if (!Array.isArray(draws)) throw new TypeError('scriptedRandom() takes a list of numbers from 0 to below 1');
  const script = draws.map((draw, i) => checked(draw, `draw ${i + 1}`));
  let used = 0;
  const random = () => {
    if (used === script.length) {
      throw new RangeError(`the script of ${script.length} ${script.length === 1 ? 'draw' : 'draws'} has run out: there are more waits than it was written for`);
    }
    return script[used++];
  };
  return Object.defineProperty(random, 'left', { get: () => script.length - used });
}

export function constantRandom(r) {
  checked(r, 'the draw');
  return () => r;
}

function checked(draw, name) {
  if (typeof draw === 'number' && draw >= 0 && draw < 1) return draw;
  throw new (typeof draw === 'number' ? RangeError : TypeError)(`${name} must be a number from 0 to below 1`);
}
