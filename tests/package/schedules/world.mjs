// A world for one schedule: the clock, the timers, the record of everything that happened.
//
// The host functions that the package uses are replaced once per thread; the replacements serve the current world. The
// schedule's own moments (a late settlement, an abort) are kept apart from the package's timers and never
// go through setTimeout, so every timer on record is the package's.

import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';

import { generator } from './random.mjs';

const MAX_TIMER = 2 ** 31 - 1;
/** A year: what waits longer is left waiting. */
const HORIZON_MS = 3.2e10;
/** The most events of one schedule: more are a loop without end. */
const MOST_EVENTS = 50_000;

/** Sums of such times are exact, in whatever order. */
const exact = (ms) => Math.round(ms * 1024) / 1024;

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
  /** How far the clock has jumped, and the time that it shows while it stands still. */
  offset = 0;
  /** @type {number | undefined} */
  stands = undefined;
  wall = 1.7e12;
  /** The number of this macrotask. */
  turn = 0;
  /** The operation whose timer or moment this macrotask is; undefined if it is of none, or of several. */
  root = undefined;
  log = [];
  problems = [];
  /** Timers of the package that are armed, and how many have been. @type {Set<any>} */
  timers = new Set();
  armed = 0;
  moments = [];
  operations = [];
  /** @type {{ object: any, keys: Set<string | undefined> }[]} */
  protections = [];
  /** Names of what the schedule's own code made. @type {Map<any, { name: string, cause: any }>} */
  names = new Map();
  /** @type {any} */
  alone = undefined;

  constructor(schedule, pkg) {
    Object.assign(this, { schedule, pkg, now: schedule.clock.start });
    world = this;
    // Another one in each world: the package remembers one whose timers were too early.
    globalThis.setTimeout = (callback, ms) => this.arm(callback, ms);
  }

  /** Writes down what is seen, which is compared; `more` is not. */
  note(kind, operation, seen, more) {
    const turn = this.limits ? 0 : this.turn;
    const entry = { kind, op: operation?.id ?? -1, t: this.reading, turn, seen, ...more };
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
    if (!this.schedule.single) return context.run(operation, body);
    this.alone = operation;
    return body();
  }

  later(ms, act) {
    this.moments.push({ due: this.now + exact(ms), operation: this.current(), act: this.inContext(act) });
  }

  /** A callback runs in the context in which it was handed over, as in Node. */
  inContext(callback) {
    const operation = this.current();
    return operation === undefined ? callback : () => this.within(operation, callback);
  }

  arm(callback, ms) {
    const operation = this.current();
    const effective = ms >= 1 && ms <= MAX_TIMER ? Math.trunc(ms) : 1;
    const skew = this.limits ? this.lateness(this.now + effective) : this.skew(operation);
    const due = this.now + Math.max(0, effective + skew);
    const seen = { ms, unref: false };
    const handle = {
      ref: () => handle,
      unref: () => {
        seen.unref = true;
        return handle;
      },
      ...{ number: (this.armed += 1), due, operation, act: this.inContext(callback) },
    };
    this.timers.add(handle);
    // Who sets the timer of a queue, and how often, is promised nowhere.
    this.note('arm', operation, this.limits ? undefined : seen, { id: handle.number });
    if (typeof callback !== 'function') this.problem('timers', 'a timer without a callback');
    if (!(Number.isInteger(ms) && ms >= 0 && ms <= MAX_TIMER)) this.problem('timers', `setTimeout(${ms})`);
    const running = this.operations.filter((each) => !each.settled).length;
    const queues = this.limits ? this.protections.reduce((sum, { keys }) => sum + keys.size, 0) : 0;
    if (this.timers.size > 3 * running + queues)
      this.problem('footprint', `${this.timers.size} timers for ${running} operations`);
    return handle;
  }

  /** By how much a timer is late, or early: the nth of an operation always by as much. */
  skew(operation) {
    const { early, late, skew } = this.schedule.clock;
    if (early + late === 0) return 0;
    const nth = operation === undefined ? 0 : (operation.timers = (operation.timers ?? 0) + 1);
    const { chance, unit } = generator(skew ^ (64 * (operation?.id ?? -1)), nth);
    return chance(0.5) ? 0 : exact(unit() * (early + late) - early);
  }

  /** By how much a timer is late that is due then. */
  lateness(due) {
    const { chance, pick } = generator(this.schedule.clock.skew, Math.round(due));
    return chance(this.schedule.clock.late / 100) ? pick([1, 3, 20, 50, 60]) : 0;
  }

  /** Whether operations wait for each other. Then what is seen is compared by its times alone. */
  get limits() {
    return this.schedule.world === 'limits';
  }

  /** Gives a value that the schedule makes a name. */
  call(value, name) {
    if ((Object(value) === value || typeof value === 'symbol') && !this.names.has(value))
      this.names.set(value, { name, cause: Object.getOwnPropertyDescriptor(Object(value), 'cause')?.value });
  }

  /** The time that the package's clock shows. */
  get reading() {
    return this.stands ?? this.now + this.offset;
  }

  /** Writes down the numbers of all states of protection. */
  read() {
    for (const { object, keys } of this.protections)
      for (const key of keys) this.note('status', undefined, (key === undefined ? object : object.for(key)).status());
  }

  /** Blocks the thread, as a long computation does. */
  block(ms) {
    this.now += ms;
  }

  /** What is due first: of several, timers, in the order of their operations. Which armed one first may be open. */
  next() {
    const sooner = (a, b) => a.due < b.due || (a.due === b.due && (a.operation?.id ?? -1) < (b.operation?.id ?? -1));
    const first = (list) => list.reduce((found, each) => (sooner(each, found) ? each : found), list[0]);
    const [timer, moment] = [first([...this.timers]), first(this.moments)];
    return moment !== undefined && (timer === undefined || moment.due < timer.due) ? moment : timer;
  }

  /** Until nothing is left that could happen. */
  async live() {
    await undefined;
    for (let events = 0; ; events += 1) {
      await drained();
      // A macrotask of a single world serves one operation.
      this.alone = undefined;
      if (this.schedule.reads === 'often') this.read();
      if (this.limits && this.timers.size > 0 && this.operations.every(({ settled }) => settled))
        this.problem('leftovers', 'a timer is left while nobody waits');
      const next = this.next();
      if (next === undefined || next.due > this.schedule.clock.start + HORIZON_MS) break;
      if (events > MOST_EVENTS) {
        this.problem('settlement', `more than ${MOST_EVENTS} events`);
        break;
      }
      this.turn += 1;
      this.root = next.operation;
      this.now = Math.max(this.now, next.due);
      if (!this.timers.delete(next)) this.moments.splice(this.moments.indexOf(next), 1);
      else this.note('fire', undefined, undefined, { id: next.number });
      try {
        next.act();
      } catch (error) {
        this.problem('unhandled', `a timer's callback threw ${describe(error)}`);
      }
    }
    await turned();
    if (!this.schedule.single) context.disable();
  }
}

/** A value in words, whatever it is: of a proxy, nothing is read. */
export const describe = (value) => inspect(value, { breakLength: Infinity, depth: 0 });

/** Replaces, for good, what the package uses of its host. For threads that do nothing else. */
export function takeOver() {
  Error.stackTraceLimit = 0;
  globalThis.clearTimeout = (handle) => void world.timers.delete(handle);
  globalThis.performance.now = () => world.reading;
  globalThis.Atomics.wait = (...[, , , ms]) => {
    world.block(ms);
    if (ms > 0) world.note('block', world.current(), {});
    return 'timed-out';
  };
  Date.now = () => world.wall;
  console.error = (error) => void world.note('reported', world.current(), { error });
  console.warn = (text) => {
    if (!String(text).startsWith('rejitter: ')) world.problem('warnings', `a warning says ${text}`);
  };
  // Every schedule has numbers of its own.
  for (const [holder, name] of [
    [Math, 'random'],
    [globalThis.crypto, 'getRandomValues'],
  ]) {
    const taken = holder[name].bind(holder);
    holder[name] = (...args) => {
      world.problem('draws', 'randomness of the host was taken');
      return taken(...args);
    };
  }
  for (const what of ['unhandledRejection', 'uncaughtException'])
    process.on(what, (error) => world.problem('unhandled', `${what}: ${describe(error)}`));
}
