// One connection, from the call of the session to its end, whatever ends it.

import { readMarks } from '../marks.js';
import { failure } from '../options/messages.js';
import { read } from '../options/reader.js';
import { FUNCTION, LIMIT } from '../options/rules.js';
import { tell } from '../run/hooks.js';
import { TimeoutError } from '../run/report.js';
import { elapsed, now, startTimer } from '../run/timer.js';

/** Parts of the time for an answer to a ping: a timer that is late, as after a sleep, counts for one of them. */
const PARTS = 4;

/** @typedef {(connection: any) => unknown} Session */
/** @typedef {{ error?: unknown, openMs: number, finished?: boolean, value?: unknown, late?: true }} End */
/** @typedef {(ms: number, done: (late?: true) => void) => void} Arm sets the one timer of a session */

/**
 * Returns the phase of one connection. Its session gets the facts, and `counts` of the report follow. Calls `onOpen`
 * when it is open, and `onEnd` at its end.
 * @type {(settings: import('./options.js').ReconnectSettings, counts: { connections: number, openMs: number },
 *   session: Session, facts: object, onOpen: () => void, onEnd: (end: End) => void) => import('./keeper.js').Phase}
 */
export function sessionOf({ connectTimeoutMs, unref }, counts, session, facts, onOpen, onEnd) {
  const controller = new AbortController();
  let isOver = false;
  let openedAt = NaN;
  let listener = /** @type {ReturnType<typeof listen> | undefined} */ (undefined);
  let cancel = () => {};
  /** @type {Arm} */
  const arm = (ms, done) => {
    cancel();
    if (ms < Infinity && !isOver) cancel = startTimer(ms, done, unref, now());
  };
  /** @param {unknown} error @param {object} [more] */
  const end = (error, more) => {
    if (isOver) return;
    isOver = true;
    listener = undefined;
    cancel();
    const openMs = elapsed(openedAt);
    counts.openMs += openMs || 0;
    onEnd({ error, openMs, ...more });
    // One listener cleans up, whatever ended it. Some hosts let the errors of listeners out.
    tell(() => controller.abort(error), {});
  };
  /** @type {(what: string, late?: true) => void} */
  const expire = (what, late) => end(new TimeoutError(`rejitter: ${what}`), { late });
  const opened = (/** @type {any} */ liveness) => {
    if (isOver || listener) return;
    const { silenceMs = Infinity, ping } = read(liveness, { silenceMs: LIMIT, ping: FUNCTION });
    counts.connections++;
    openedAt = now();
    listener = listen(silenceMs, ping, arm, expire);
    onOpen();
  };
  const finish = (/** @type {unknown} */ value) => end(undefined, { finished: true, value });
  const start = () => {
    arm(connectTimeoutMs, (late) => expire(`not opened() within ${connectTimeoutMs} ms (connectTimeoutMs)`, late));
    call(session, { ...facts, signal: controller.signal, opened, alive: () => listener?.hear(), finish }, end);
  };
  return { start, end, wake: () => listener?.doubt() };
}

/**
 * Calls a session, and `end` with why it has ended.
 * @type {(session: Session, connection: object, end: (error: unknown) => void) => void}
 */
function call(session, connection, end) {
  new Promise((resolve) => resolve(session(Object.freeze(connection)))).then((value) => {
    const { afterMs } = readMarks(value);
    // A mark that was returned counts as thrown.
    end(afterMs !== undefined ? value : failure(Error, 'the session ended'));
  }, end);
}

/**
 * Listens to an open connection: pings it after half of the silence, and ends it after as long again.
 * @type {(silenceMs: number, ping: (() => unknown) | undefined, arm: Arm, expire: (what: string) => void) =>
 *   { hear: () => void, doubt: () => boolean }}
 */
function listen(silenceMs, ping, arm, expire) {
  let heardAt = now();
  /** Parts that are left for an answer; 0 if none is awaited. */
  let left = 0;
  const rest = () => {
    const restMs = heardAt + silenceMs / 2 - now();
    if (restMs > 0) arm(restMs, rest);
    else doubt();
  };
  const expect = () => {
    if (--left > 0) arm(silenceMs / 2 / PARTS, expect);
    else expire(`nothing was heard for ${silenceMs} ms (silenceMs)`);
  };
  const doubt = () => {
    if (left > 0 || silenceMs === Infinity) return true;
    left = PARTS + 1;
    expect();
    // Only what is heard counts.
    Promise.resolve()
      .then(ping)
      .catch(() => {});
    return true;
  };
  const hear = () => {
    heardAt = now();
    if (left === 0) return;
    left = 0;
    rest();
  };
  arm(silenceMs / 2, rest);
  return { hear, doubt };
}
