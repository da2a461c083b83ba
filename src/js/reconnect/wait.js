// A wait, whose end a wake-up may bring forward.

import { drawFor } from '../run/decision.js';
import { now, startTimer } from '../run/timer.js';

/** A wake-up comes to a whole office at once: the attempts that it brings forward are spread over this time. */
const WAKE_MS = 1_000;

/**
 * Returns the phase of a wait. The first wake-up brings its end forward, but not to before `leastAt`, by a draw of the
 * outage. Calls `onEnd` with whether one has.
 * @type {(outage: Parameters<typeof drawFor>[0], ms: number, leastAt: number, onEnd: (isWoken: boolean) => void) =>
 *   import('./keeper.js').Phase}
 */
export function waitOf(outage, ms, leastAt, onEnd) {
  const { unref } = outage.settings;
  const from = now();
  let until = from + ms;
  let isWoken = false;
  let isOver = false;
  const end = () => {
    isOver = true;
    cancel();
    onEnd(isWoken);
  };
  let cancel = startTimer(ms, end, unref, from);
  const wake = () => {
    if (isOver) return false;
    const time = now();
    // The machine slept.
    if (time >= until) end();
    if (isWoken || isOver) return true;
    const at = Math.max(time + drawFor(outage) * WAKE_MS, leastAt);
    // random() may have aborted.
    if (isOver || at >= until) return true;
    isWoken = true;
    until = at;
    cancel();
    cancel = startTimer(at - time, end, unref, time);
    return true;
  };
  return { start() {}, end, wake };
}
