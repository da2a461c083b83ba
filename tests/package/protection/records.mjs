// The attempts of an operation as the record has them: what its report must say of each, and which signals are aborted.

import { near } from './numbers.mjs';

export class Attempt {
  number = 0;
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
  /** @type {number | undefined} */
  hintMs = undefined;
  /** The end of the cooldown, if its hint set that. @type {number | undefined} */
  until = undefined;
  /** The wait after it. @type {number | undefined} */
  delayMs = undefined;
  /** Whether the parts have heard of its end. */
  heard = false;

  /**
   * @param {object | undefined} pass
   * @param {number | undefined} heldMs
   * @param {true} [hedge]
   */
  constructor(pass, heldMs, hedge) {
    this.pass = pass;
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

  end({ ok, timeout = false, value }, now) {
    const { kind, hintMs, thrown, shown } = timeout ? {} : (value ?? {});
    const permanent = kind === 'permanent';
    Object.assign(this, { ok, timeout, permanent, thrown, shown, endedAt: now });
    if (kind === 'hint') this.hintMs = hintMs;
  }
}

/** The report has a record of each attempt, in the order of their numbers. */
export function compareRecords(following, { records, reason }, { r: now }) {
  const { list } = following;
  const from = following.startedAt;
  const object = (text) => following.object('records', text);
  if (records.length !== list.length) object(`${records.length} records of ${list.length} attempts`);
  for (const [i, attempt] of list.entries()) {
    const record = records[i];
    const wanted = {
      attempt: attempt.number,
      startMs: attempt.from - from,
      durationMs: attempt.durationMs(now),
      delayMs: attempt.delayMs,
      heldMs: attempt.heldMs,
      hedge: attempt.hedge,
      superseded: attempt.supersededAt === undefined ? undefined : true,
    };
    for (const [name, value] of Object.entries(wanted)) {
      const same = typeof value === 'number' ? near(record[name], value) : record[name] === value;
      if (!same) object(`${name} of record ${i + 1} is ${record[name]} instead of ${value}`);
    }
    const name = attempt.ok ? 'result' : 'error';
    if (!Object.hasOwn(record, name)) object(`record ${i + 1} has no ${name}`);
    const { SupersededError, TimeoutError } = following.pkg;
    const kind = attempt.supersededAt !== undefined ? SupersededError : TimeoutError;
    const ended = attempt.endedAt !== undefined && !attempt.timeout;
    if (ended ? record[name] !== attempt.shown : !(record[name] instanceof kind))
      object(`record ${i + 1} has another ${name} (${reason})`);
  }
}

/** The signals of attempts that lost or ran at the end are aborted; that of the winner is not. */
export function compareSignals(following, settled) {
  const { SupersededError, TimeoutError } = following.pkg;
  const object = (text) => following.object('P10', text);
  for (const attempt of following.list) {
    const { signal } = attempt.fn.attempt;
    const { reason } = signal;
    const has = `the signal of attempt ${attempt.number}, `;
    if (attempt.timeout) {
      if (!(reason instanceof TimeoutError)) object(`${has}which timed out, has the reason ${reason?.name}`);
    } else if (attempt === following.winner) {
      // A hook may still abort it for the caller.
      if (signal.aborted && !(following.aborted && reason === following.operation.reason))
        object(`${has}which won, is aborted: ${reason?.name}`);
    } else if (attempt.supersededAt !== undefined) {
      if (!(reason instanceof SupersededError)) object(`${has}which lost, has the reason ${reason?.name}`);
    } else if (attempt.runs) {
      const own = settled.value === following.operation.reason ? settled.value : undefined;
      const same = own === undefined ? reason instanceof TimeoutError : reason === own;
      if (!same) object(`${has}which ran when the operation ended at ${settled.r}, has the reason ${reason?.name}`);
    }
  }
}
