// The attempts of an operation as the record has them: what its report must say of each, and which signals are aborted.

import { near } from './reading.mjs';

export class Attempt {
  number = 0;
  /** The entry of its call. @type {any} */
  fn = undefined;
  /** When it was called. */
  from = 0;
  /** When it ended, by itself or by its timeout. @type {number | undefined} */
  endedAt = undefined;
  /** When another attempt ended the operation while it ran. @type {number | undefined} */
  supersededAt = undefined;
  ok = false;
  timeout = false;
  permanent = false;
  /** The value that it threw or returned, and the one that others see. @type {any} */
  thrown = undefined;
  /** @type {any} */
  shown = undefined;
  /** Whether the error of its timeout was seen: that is `shown` from then on. */
  known = false;
  /** @type {number | undefined} */
  hintMs = undefined;
  /** The end of the cooldown, if its hint set that. @type {number | undefined} */
  until = undefined;
  /** The end of the cooldown when it was admitted. @type {number | undefined} */
  admittedUntil = undefined;
  /** The wait after it, or its bounds. @type {{ lo: number, hi: number, learns?: boolean } | undefined} */
  wait = undefined;
  /** Whether it is what an inner operation ended with. */
  inner = false;
  /** Whether it returned what it should have thrown. */
  mistake = false;
  /** The macrotask of its end. @type {number | undefined} */
  turn = undefined;
  /** Whether the parts have heard of its end, and how they take it. @type {number | undefined} */
  verdict = undefined;
  /** Whether its end is an answer: no other attempt is then a retry. */
  answered = false;
  /** Whether it asked to come less often. */
  throttled = false;

  /**
   * @param {object | undefined} pass
   * @param {boolean} first whether it follows no failure of its operation
   * @param {number | undefined} heldMs
   * @param {true} [hedge]
   */
  constructor(pass, first, heldMs, hedge) {
    this.pass = pass;
    this.first = first;
    this.heldMs = heldMs;
    this.hedge = hedge;
  }

  get runs() {
    return this.endedAt === undefined && this.supersededAt === undefined;
  }

  /** How long it has taken. */
  durationMs(now) {
    return (this.endedAt ?? this.supersededAt ?? now) - this.from;
  }

  end({ ok, timeout = false, made = {} }, { t, turn }) {
    const { permanent = false, inner = false, afterMs, thrown, shown } = made;
    Object.assign(this, { ok, timeout, permanent, inner, thrown, shown, endedAt: t, turn });
    if (!ok && afterMs >= 0) this.hintMs = afterMs;
  }
}

/** Compares the report of an operation with the record. `at` is the entry where it was first seen. */
export function compareReport(following, report, reason, at) {
  const { attempts } = following;
  const object = (condition, rule, text) => following.require(condition, rule, text);
  object(Object.isFrozen(report) && Object.isFrozen(report.records), 'isolation', 'the report is not frozen');
  object(
    report.attempts === attempts,
    'attempts',
    () => `the report says ${report.attempts} attempts instead of ${attempts}`,
  );
  const elapsed = at.t - following.startedAt;
  object(
    following.sameTime(report.elapsedMs, elapsed),
    'clock',
    () => `elapsedMs is ${report.elapsedMs}, not ${elapsed}`,
  );
  const { hintMs } = following;
  if (reason === 'hint')
    object(report.hintMs === hintMs, 'hints', () => `hintMs is ${report.hintMs} instead of ${hintMs}`);
  const { records, dropped } = report;
  object(records.length + dropped === attempts, 'identity', () => `${records.length} records of ${attempts} attempts`);
  const most = records.length <= 10 && (dropped === 0 || records.length === 10);
  object(most, 'memory', () => `${records.length} records are kept`);
  for (const [i, record] of records.entries()) {
    const number = i === 0 ? 1 : i + 1 + dropped;
    compareRecord(following, record, following.list[number - 1], at);
  }
}

function compareRecord(following, record, attempt, { t: now }) {
  const { number, wait } = attempt;
  const object = (condition, rule, text) => following.require(condition, rule, () => `record ${number}: ${text()}`);
  const is = (name, value, rule) =>
    object(
      typeof value === 'number' ? following.sameTime(record[name], value) : record[name] === value,
      rule,
      () => `${name} is ${record[name]} instead of ${value}`,
    );
  object(record.attempt === number, 'numbers', () => `attempt is ${record.attempt}`);
  is('startMs', attempt.from - following.startedAt, 'clock');
  is('durationMs', attempt.durationMs(now), 'clock');
  is('heldMs', attempt.heldMs, 'records');
  is('hedge', attempt.hedge, 'records');
  is('superseded', attempt.supersededAt === undefined ? undefined : true, 'records');
  if (wait === undefined) is('delayMs', undefined, 'waits');
  else if (!following.aborted || record.delayMs !== undefined)
    object(
      near(Math.min(Math.max(record.delayMs, wait.lo), wait.hi), record.delayMs),
      'waits',
      () => `delayMs is ${record.delayMs} instead of ${wait.lo} to ${wait.hi}`,
    );
  compareOutcome(following, record, attempt, object);
}

function compareOutcome(following, record, attempt, object) {
  const { SupersededError } = following.pkg;
  const reason = () => following.isReason(record.error);
  const ended = attempt.endedAt !== undefined;
  // An abort in the macrotask of its end: the driver may not have heard of that.
  const silent = following.aborted?.turn === attempt.turn && attempt === following.list.at(-1) && reason();
  if (attempt.mistake || silent) return;
  object(
    'result' in record === (ended && attempt.ok),
    'identity',
    () => 'a result instead of an error, or the reverse',
  );
  object(
    'error' in record === !(ended && attempt.ok),
    'identity',
    () => 'an error instead of a result, or the reverse',
  );
  if (attempt.ok) object(Object.is(record.result, attempt.shown), 'identity', () => 'another result');
  else if (ended) following.sees(attempt, record.error, `the error of record ${attempt.number}`);
  else if (attempt.supersededAt !== undefined)
    object(record.error instanceof SupersededError, 'records', () => 'another error than that of an attempt that lost');
  else if (following.aborted) object(reason(), 'identity', () => 'the error is not the reason of the abort');
  else object(following.isOurs(record.error), 'identity', () => 'the error is not that of the deadline');
}

/** The signals of attempts that lost or ran at the end are aborted; those of others are not. */
export function compareSignals(following, settled) {
  const { SupersededError } = following.pkg;
  for (const attempt of following.list) {
    const hedged = following.state.hedge !== undefined;
    // Those that nobody has read are made when they are read here: that is done for hedges only.
    const { signal } = hedged ? attempt.fn.attempt : following.operation.received[attempt.number - 1];
    if (signal === undefined) continue;
    const { aborted, reason } = signal;
    const require = (condition, rule, text) =>
      following.require(condition, rule, () => `attempt ${attempt.number}, ${text}: its signal's reason is another`);
    if (attempt.timeout)
      require(attempt.known ? reason === attempt.shown : following.isOurs(reason), 'signals', 'a timeout');
    else if (attempt === following.winner) {
      // A hook may still abort it for the caller.
      require(!aborted || following.isReason(reason), 'signals', 'which won');
    } else if (attempt.supersededAt !== undefined) require(reason instanceof SupersededError, 'signals', 'which lost');
    else if (!attempt.runs) {
      // The end of the operation aborts the signal of the last attempt, though that has ended.
      const late =
        following.isReason(reason) ||
        (following.deadline < Infinity && following.isOurs(reason)) ||
        (hedged && reason instanceof SupersededError);
      require(!aborted || (late && (hedged || attempt === following.list.at(-1))), 'signals', 'which ended by itself');
    } else if (following.aborted) {
      require(aborted, 'abort', 'which ran when the operation was aborted');
      require(Object.is(reason, settled.value), 'signals', 'which ran when the operation was aborted');
    } else require(following.isOurs(reason), 'signals', 'which ran at the deadline');
  }
}
