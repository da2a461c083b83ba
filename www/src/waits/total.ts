/** Sums of the waits of one operation. */
import type { Wait } from './compute';

/** The longest that all waits together can take: no wait starts that would end at or after the deadline. */
export function longestMs(waits: readonly Pick<Wait, 'loMs' | 'hiMs'>[], totalTimeoutMs: number): number {
  let [least, most, longest] = [0, 0, 0];
  for (const { loMs, hiMs } of waits) {
    least += loMs;
    most += hiMs;
    if (least >= totalTimeoutMs) break;
    longest = Math.min(most, totalTimeoutMs);
  }
  return longest;
}
