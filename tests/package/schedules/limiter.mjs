// The limiter of the reference: a list of all starts, a list of those who run, and a list of those who wait.

import { now, timer } from './timer.mjs';

/** A timer that is late by at most this, in ms, keeps the grid of starts. */
const LATE = 50;

export class Limiter {
  constructor({ limit, perMs = 1000, burst = 1, concurrency = Infinity, maxQueue = 1000 }) {
    Object.assign(this, { unitMs: limit === undefined ? 0 : perMs / limit, burst, concurrency, maxQueue });
  }

  /** All starts: when, of how many units, and whether the timer of the queue brought them. @type {any[]} */
  starts = [];
  /** Until when servers asked everyone to wait. @type {number[]} */
  words = [];
  /** Attempts that have a place. @type {Set<any>} */
  running = new Set();
  /** Operations that wait, the first to come in front. @type {any[]} */
  waiting = [];
  arrivals = 0;
  rejected = 0;
  /** The failure that came with the last word. */
  said = undefined;
  drained = false;
  /** Whether the timer of the queue has brought the starts of this turn. */
  timed = false;
  /** Cancels the timer of the queue, while there is one. @type {(() => void) | undefined} */
  cancel = undefined;

  /** Why everyone waits, if a server asked for that. */
  get cause() {
    return Math.max(...this.words) > now() ? this.said : undefined;
  }

  /** How much earlier than at even distances so many units may start. */
  slack(weight) {
    return Math.max(0, this.burst - weight) * this.unitMs;
  }

  /** When the next unit is due at even distances, after these starts. */
  due(starts) {
    let due = -Infinity;
    for (const { at, weight, timed } of starts) {
      const keeps = timed && at - (due - this.slack(weight)) <= LATE;
      due = (keeps ? due : Math.max(due, at)) + weight * this.unitMs;
    }
    return due;
  }

  /** The earliest start of a weight after others that start as early as they may. */
  earliest(time, weight, ahead = []) {
    let at = Math.max(time, ...this.words);
    const starts = [...this.starts];
    for (const each of [...ahead, weight]) {
      at = Math.max(at, this.due(starts) - this.slack(each));
      starts.push({ at, weight: each });
    }
    return at;
  }

  /** How long an operation waits, as far as is known. */
  wait(op, time) {
    if (this.drained) return Infinity;
    const ahead = this.waiting.filter(({ arrival }) => arrival < op.arrival);
    return (
      this.earliest(
        time,
        op.weight(),
        ahead.map((each) => each.weight()),
      ) - time
    );
  }

  /** Whether an attempt may start at once. */
  isFree(time, weight) {
    return !this.drained && this.running.size < this.concurrency && this.earliest(time, weight) <= time;
  }

  start(attempt, weight) {
    this.starts.push({ at: now(), weight, timed: this.timed });
    this.running.add(attempt);
  }

  /** An attempt has ended for its caller. While the rate has all wait, the first waits for its timer. */
  release(attempt) {
    if (this.running.delete(attempt) && this.cancel === undefined) this.next();
  }

  queue(op) {
    this.waiting.push(op);
    this.waiting.sort((a, b) => a.arrival - b.arrival);
  }

  /** Returns whether it has waited. */
  leave(op) {
    const place = this.waiting.indexOf(op);
    this.waiting = this.waiting.filter((each) => each !== op);
    if (place !== 0) return place > 0;
    this.cancel?.();
    this.cancel = undefined;
    this.next();
    return true;
  }

  /** The first asks again. */
  next() {
    const [first] = this.waiting;
    if (first) first.wake();
    else this.timed = false;
  }

  /** The first waits until it is due, or for a place. */
  arm(op) {
    this.cancel?.();
    this.cancel = undefined;
    this.timed = false;
    const time = now();
    const ms = this.earliest(time, op.weight()) - time;
    if (ms <= 0 || this.running.size >= this.concurrency) return;
    this.cancel = timer(ms, op.options.unref, () => {
      this.cancel = undefined;
      this.timed = true;
      op.wake();
    });
  }

  /** A server asks everyone to wait. */
  pause(until, cause, isTooLate) {
    if (until <= Math.max(-Infinity, ...this.words)) return;
    this.words.push(until);
    this.said = cause;
    for (const op of this.waiting.filter(isTooLate)) op.wake();
  }

  drain() {
    this.drained = true;
    for (const op of this.waiting) op.wake();
  }

  status(time) {
    const next = this.earliest(time, this.waiting[0]?.weight() ?? 1);
    const { running, waiting, rejected } = this;
    return { running: running.size, queued: waiting.length, nextMs: next - time, rejected };
  }
}
