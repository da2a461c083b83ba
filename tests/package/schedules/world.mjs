// A world for one schedule: the clock, the timers, the record of everything that happened.
//
// The host functions that the package uses are replaced once per thread; the replacements serve the current world. The
// schedule's own moments (a late settlement, an abort) are kept apart from the package's timers and never
// go through setTimeout, so every timer on record is the package's.

import { AsyncLocalStorage } from 'node:async_hooks';

import { generator } from './random.mjs';

const MAX_TIMER = 2 ** 31 - 1;
/** A year: what waits longer is left waiting. */
const HORIZON_MS = 3.2e10;
/** The most events of one schedule: more are a loop without end. */
const MOST_EVENTS = 50_000;

const realImmediate = globalThis.setImmediate;
/**
 * Waits until all promise callbacks that can run have run, without a turn of the event loop. Must be called by one of
 * them.
 */
const drained = () => new Promise((done) => void process.nextTick(done));
/** One turn of the real event loop: by then Node has reported unhandled rejections. */
const turned = () => new Promise((done) => void realImmediate(done));

/** The operation whose callback runs. One that is alone is asked for by `alone`, which costs nothing. */
const context = new AsyncLocalStorage();

/** @type {World} */
let world;
export const current = () => world;

export class World {
  constructor(schedule, pkg) {
    const { start, early, late } = schedule.clock;
    this.schedule = schedule;
    this.pkg = pkg;
    this.now = start;
    /** How far the clock has jumped, and the time that it shows while it stands still. */
    this.offset = 0;
    /** @type {number | undefined} */
    this.stands = undefined;
    this.wall = 1.7e12;
    this.early = early;
    this.late = late;
    /** The number of this macrotask. */
    this.turn = 0;
    this.log = [];
    /** @type {Map<number, object>} timers of the package that are armed */
    this.timers = new Map();
    this.armed = 0;
    this.moments = [];
    this.operations = [];
    /** @type {any[]} */
    this.policies = [];
    /** @type {{ object: any, keys: Set<string | undefined> }[]} */
    this.protections = [];
    /** Names of what the schedule's own code made. @type {Map<object, string>} */
    this.names = new Map();
    /** @type {any} */
    this.alone = undefined;
    this.problems = [];
    this.leftWaiting = false;
    world = this;
  }

  note(kind, operation, what) {
    const entry = { kind, op: operation?.id ?? -1, t: this.reading, turn: this.turn, i: this.log.length, ...what };
    this.log.push(entry);
    return entry;
  }

  /** Something that is wrong by itself, whatever the rest of the record says. */
  problem(rule, text) {
    this.problems.push({ rule, text });
  }

  /** The operation whose callback runs now. */
  current() {
    return this.alone ?? context.getStore();
  }

  within(operation, body) {
    if (this.schedule.single) {
      this.alone = operation;
      return body();
    }
    return context.run(operation, body);
  }

  later(ms, act) {
    this.moments.push({ due: this.now + ms, operation: this.current(), act: this.inContext(act) });
  }

  /** A callback runs in the context in which it was handed over, as in Node. */
  inContext(callback) {
    const operation = this.current();
    return operation === undefined ? callback : () => this.within(operation, callback);
  }

  arm(callback, ms) {
    const id = (this.armed += 1);
    const operation = this.current();
    const effective = ms >= 1 && ms <= MAX_TIMER ? Math.trunc(ms) : 1;
    const skew = this.skew(operation);
    const due = this.now + Math.max(0, effective + skew);
    const timer = { id, due, callback: this.inContext(callback), operation, unref: false };
    this.timers.set(id, timer);
    const entry = this.note('arm', operation, { id, ms });
    if (typeof callback !== 'function') this.problem('timers', 'a timer without a callback');
    if (!(Number.isInteger(ms) && ms >= 0 && ms <= MAX_TIMER)) this.problem('timers', `setTimeout(${ms})`);
    const settled = this.operations.filter((each) => each.settled !== undefined).length;
    if (this.timers.size > 3 * (this.operations.length - settled))
      this.problem('footprint', `${this.timers.size} timers for ${this.operations.length - settled} operations`);
    const handle = {
      id,
      ref: () => handle,
      unref: () => {
        entry.unref = true;
        return handle;
      },
    };
    return handle;
  }

  /** By how much a timer is late, or early: the nth of an operation always by as much. */
  skew(operation) {
    if (this.early + this.late === 0) return 0;
    const nth = operation === undefined ? 0 : (operation.timers = (operation.timers ?? 0) + 1);
    const { chance, unit } = generator(this.schedule.clock.skew ^ (64 * (operation?.id ?? -1)), nth);
    return chance(0.5) ? 0 : unit() * (this.early + this.late) - this.early;
  }

  /** Gives a value that the schedule makes a name. */
  call(value, name) {
    if ((Object(value) === value || typeof value === 'symbol') && !this.names.has(value))
      this.names.set(value, { name, cause: Object.getOwnPropertyDescriptor(Object(value), 'cause')?.value });
  }

  disarm(handle) {
    if (handle === undefined || handle === null) return;
    this.timers.delete(handle.id);
  }

  /** The time that the package's clock shows. */
  get reading() {
    return this.stands ?? this.now + this.offset;
  }

  /** All that could run in this macrotask has run. */
  afterTurn() {
    // A macrotask of a single world serves one operation.
    this.alone = undefined;
    if (this.schedule.reads === 'often') this.read();
  }

  /** Writes down the numbers of all states of protection. */
  read() {
    for (const { object, keys } of this.protections)
      for (const key of keys) {
        const numbers = (key === undefined ? object : object.for(key)).status();
        if (!Object.isFrozen(numbers)) this.problem('status', 'the numbers are not frozen');
        this.note('status', undefined, { numbers });
      }
  }

  /** Blocks the thread, as a long computation does. */
  block(ms) {
    this.now += ms;
  }

  /** What is due first: of several, timers, in the order of their operations. Which armed one first may be open. */
  next() {
    let first;
    const sooner = (a, b) => a.due < b.due || (a.due === b.due && (a.operation?.id ?? -1) < (b.operation?.id ?? -1));
    for (const timer of this.timers.values()) if (first === undefined || sooner(timer, first)) first = timer;
    let moment = this.moments[0];
    for (const each of this.moments) if (sooner(each, moment)) moment = each;
    return moment !== undefined && (first === undefined || moment.due < first.due) ? moment : first;
  }

  /** Until nothing is left that could happen. */
  async live() {
    await undefined;
    for (let events = 0; ; events += 1) {
      await drained();
      this.afterTurn();
      const next = this.next();
      if (next === undefined) break;
      if (next.due > this.schedule.clock.start + HORIZON_MS) {
        this.leftWaiting = true;
        break;
      }
      if (events > MOST_EVENTS) {
        this.problem('settlement', `more than ${MOST_EVENTS} events`);
        break;
      }
      this.turn += 1;
      this.now = Math.max(this.now, next.due);
      if (next.act === undefined) {
        this.timers.delete(next.id);
        this.note('fire', undefined, { id: next.id });
        try {
          next.callback();
        } catch (error) {
          this.problem('unhandled', `a timer's callback threw ${describe(error)}`);
        }
      } else {
        this.moments.splice(this.moments.indexOf(next), 1);
        next.act();
      }
    }
    await turned();
    if (!this.schedule.single) context.disable();
  }
}

/** A value in words, whatever it is. */
export function describe(value) {
  try {
    if (typeof value === 'object' && value !== null)
      return Object.prototype.toString.call(value) === '[object Error]'
        ? `${value.name}: ${value.message}`
        : 'an object';
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  } catch {
    return 'an object that throws when read';
  }
}

/** Replaces, for good, what the package uses of its host. For threads that do nothing else. */
export function takeOver() {
  Error.stackTraceLimit = 0;
  globalThis.setTimeout = (callback, ms) => world.arm(callback, ms);
  globalThis.clearTimeout = (handle) => world.disarm(handle);
  globalThis.performance.now = () => world.reading;
  globalThis.Atomics.wait = (...wait) => {
    const [, , , ms] = wait;
    world.block(ms);
    if (ms > 0) world.note('block', world.current(), {});
    return 'timed-out';
  };
  Date.now = () => world.wall;
  console.error = (error) => {
    world.note('reported', world.current(), { error });
  };
  console.warn = (text) => {
    if (!String(text).startsWith('rejitter: ')) world.problem('warnings', `a warning says ${text}`);
  };
  // Every schedule has numbers of its own.
  const drawn = () => world.problem('draws', 'randomness of the host was taken');
  const { random } = Math;
  Math.random = () => {
    drawn();
    return random();
  };
  const { crypto } = globalThis;
  const fill = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (array) => {
    drawn();
    return fill(array);
  };
  process.on('unhandledRejection', (error) => world.problem('unhandled', `unhandled rejection: ${describe(error)}`));
  process.on('uncaughtException', (error) => world.problem('unhandled', `uncaught exception: ${describe(error)}`));
}
