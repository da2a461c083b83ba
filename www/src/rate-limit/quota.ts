/** The server's quota, and what one of several processes may ask for. */

export const LIMIT = 100;
export const WINDOW_MS = 10_000;

/** The limit of one process, so that all together keep the quota. */
export function shareOf(processes: number): number {
  return Math.floor(LIMIT / processes);
}
