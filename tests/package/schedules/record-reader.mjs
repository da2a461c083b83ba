// The record of one operation, read step by step: what came next, and whether an abort cut it off.

import { BARE } from './perform.mjs';
import { resolved } from './waits.mjs';

export const same = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

/** Thrown when the walk has come to the operation's end. */
export const END = Symbol('end');

/** Thrown where the package broke a rule: the number of the invariant in the design. */
export class Objection extends Error {
  constructor(rule, text) {
    super(text);
    this.rule = rule;
  }
}

/** Whether this is the error that stands for a signal without a reason of its own. */
function isAbortError(value) {
  try {
    return value instanceof Error && value.name === 'AbortError' && value.code === 20;
  } catch {
    return false;
  }
}

const VISIBLE = new Set(['fn', 'retryIf', 'retryOnResult', 'beforeRetry', 'hook', 'random', 'curve', 'settle']);
const LOST = new Set(['trap', 'denied']);

export class RecordReader {
  constructor(world, operation, pkg) {
    const { schedule } = world;
    this.world = world;
    this.operation = operation;
    this.pkg = pkg;
    this.uses = schedule.uses;
    this.options = { ...schedule.implied, ...schedule.options };
    this.parameters = resolved(this.options, schedule.preset);
    this.maxAttempts = this.options.maxAttempts ?? 6;
    this.attemptTimeout = this.options.attemptTimeoutMs ?? Infinity;
    this.startedAt = operation.call.t;
    this.deadline = this.startedAt + (this.options.totalTimeoutMs ?? Infinity);
    /** How much later than meant a timer's consequence may come. */
    this.slack = 2 * world.late + 3 + world.busy;
    this.entries = world.log.filter((entry) => entry.op === operation.id);
    this.visible = this.entries.filter((entry) => VISIBLE.has(entry.kind));
    this.at = 0;
    this.last = operation.call;
    this.n = 0;
    this.records = [];
    const abort = operation.signals
      .map((signal) => signal.at)
      .filter((entry) => entry !== undefined && entry.i > operation.call.i)
      .sort((a, b) => a.i - b.i)[0];
    this.abort = abort;
    this.waits = [];
  }

  object(rule, text) {
    throw new Objection(rule, typeof text === 'function' ? text() : text);
  }

  /** `text` as a function where it takes time to write. */
  require(condition, rule, text) {
    if (!condition) this.object(rule, text);
  }

  /** Nothing more came: right only where a wait is longer than anybody watches. */
  nothing(text) {
    if (this.world.leftWaiting) throw END;
    this.object(13, text);
  }

  /** A callback that blocks the thread makes it a matter of taste when something happened. */
  sameTime(a, b) {
    return a === b || same(a, b) || Math.abs(a - b) <= this.world.busy;
  }

  peek() {
    return this.visible[this.at];
  }

  /** Whether an abort came before the next visible thing, and was not too late to matter. */
  get cut() {
    const next = this.peek();
    if (this.abort === undefined || (next !== undefined && this.abort.i > next.i)) return false;
    // A last outcome and an abort in one macrotask: either may be first, but an abort by the
    // callback itself, before its outcome, is.
    const decided = this.ended;
    if (
      next?.kind === 'settle' &&
      next.turn === this.abort.turn &&
      decided !== undefined &&
      decided.i < this.abort.i &&
      !this.wasAborted(next)
    )
      return false;
    return true;
  }

  wasAborted(settle) {
    return (
      !settle.ok &&
      this.operation.signals.some(
        (signal) =>
          signal.aborted &&
          (Object.is(signal.reason, settle.value) || (signal.reason === BARE && isAbortError(settle.value))),
      )
    );
  }

  /** The next visible thing, which must be of this kind. */
  take(kind, name) {
    if (this.cut) this.aborted();
    const next = this.peek();
    const wanted = name ?? kind;
    if (next === undefined) this.nothing(`${wanted} should have come, but nothing did`);
    const found = next.kind === 'hook' ? next.name : next.kind;
    this.require(
      found === wanted,
      kind === 'hook' || next.kind === 'hook' ? 18 : kind === 'settle' || next.kind === 'settle' ? 13 : 19,
      () => `${wanted} should have come, but ${found} did`,
    );
    this.at += 1;
    this.last = next;
    return next;
  }

  hook(name, n, extra) {
    if (!this.uses.hooks.includes(name)) return undefined;
    const entry = this.take('hook', name);
    this.checkEvent(entry, name, n, extra);
    return entry;
  }

  checkEvent(entry, name, n, extra) {
    const { event } = entry;
    const expected = { attempt: n, attemptsLeft: this.maxAttempts - n, ...extra };
    this.require(entry.frozen, 20, () => `the event of ${name} is not frozen`);
    this.require(
      this.sameTime(event.elapsedMs, entry.t - this.startedAt),
      9,
      () => `${name} says elapsedMs ${event.elapsedMs} at ${entry.t - this.startedAt}`,
    );
    this.require(event.name === this.options.name, 20, () => `${name} says that the operation is called ${event.name}`);
    for (const key of ['attempt', 'attemptsLeft', 'error', 'result', 'reason']) {
      this.require(key in event === key in expected, 18, () => `${name} ${key in event ? 'has' : 'lacks'} ${key}`);
      this.require(
        Object.is(event[key], expected[key]),
        key.startsWith('attempt') ? 3 : 14,
        () => `${name} has another ${key}`,
      );
    }
  }

  /** The time when the package acted last before what comes next: it acts at once. */
  get time() {
    return this.last.exitT === undefined ? this.last.t : Math.max(this.last.exitT, this.ended?.t ?? 0);
  }

  /** Whether the package says next that the operation ended for this reason. */
  claim(reason) {
    const next = this.peek();
    if (next === undefined) return false;
    if (next.kind === 'hook') return next.name === 'onGiveUp' && next.event.reason === reason;
    if (next.kind !== 'settle') return false;
    if (next.report !== undefined) return next.report.reason === reason;
    // A primitive has no report, so any reason that allows one may be meant.
    return reason === 'deadline' || (reason === 'timeout' && next.ok && this.outcome?.failed === false);
  }

  /** Returns the failure of the core in the decision about the attempt that `entry` began. */
  lost(entry) {
    if (this.world.schedule.core === undefined) return undefined;
    const until = this.peek()?.i ?? Infinity;
    return this.entries.find((each) => LOST.has(each.kind) && each.i > entry.i && each.i < until);
  }

  /** Returns this attempt's error where the package first shows it. */
  shown() {
    for (let i = this.at; i < this.visible.length; i += 1) {
      const entry = this.visible[i];
      if (entry.kind === 'hook') {
        if (
          'error' in entry.event &&
          entry.event.attempt === this.n &&
          !(entry.name === 'onGiveUp' && ['aborted', 'callback', 'timeout'].includes(entry.event.reason))
        )
          return { entry, value: entry.event.error };
        if (entry.name === 'onAttempt' || entry.name === 'onSuccess') continue;
      } else if (entry.kind === 'retryIf' || entry.kind === 'beforeRetry') return { entry, value: entry.outcome };
      else if (entry.kind === 'fn')
        return entry.attempt === undefined ? undefined : { entry, value: entry.previousError };
      else if (entry.kind === 'settle') {
        // The reason of an abort tells nothing.
        if (this.wasAborted(entry)) return undefined;
        const record = entry.report?.records.find((each) => each.attempt === this.n);
        return record === undefined ? { entry, value: entry.value } : { entry, value: record.error };
      }
    }
    return undefined;
  }

  isOurs(value) {
    try {
      return value instanceof this.pkg.TimeoutError && !this.world.own.has(value);
    } catch {
      return false;
    }
  }
}
