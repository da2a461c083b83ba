// The servers of the worlds. Each is made for one run.

/**
 * How long a reply takes, its status, and the wait that it asks for. Status 0 is an error without one.
 * @typedef {[ms: number, status: number, waitMs?: number]} Reply
 * @typedef {(attempt: number, call: import('./tables.mjs').Call) => Reply | Promise<Reply>} Server
 * @typedef {(clock: import('./clock.mjs').Clock, random: () => number) => Server} MakeServer
 */

const USUAL_MS = 20;
const GOOD = [USUAL_MS, 200];
/** Requests that may wait for each worker, before others get 503: work of 10 s. */
const LONGEST = 500;

/** How long a failure takes that the server has no work with. */
const quick = (random) => 2 + 8 * random();

/**
 * A share from one second to another of a time, or of every so many; it may rise to that from 0.
 * @typedef {{ from?: number, to?: number, every?: number, share?: number, rises?: boolean }} Share
 * @param {Share} given
 */
export function shareAt({ from = 0, to = Infinity, every = Infinity, share = 1, rises = false }, ms) {
  const s = (ms / 1000) % every;
  return s >= from && s < to ? share * (rises ? (s - from) / (to - from) : 1) : 0;
}

/**
 * Fails a share of the attempts, and all those of bad calls. Without `ms` failures are quick.
 * @param {Share} share
 * @param {{ status?: number, ms?: number, waitMs?: number, goodMs?: number, bad?: number }} [more] `bad`: their status
 */
const failing =
  (share, { status = 500, ms, waitMs, goodMs = USUAL_MS, bad = status } = {}) =>
  (clock, random) =>
  (_, call) =>
    !call.bad && random() >= shareAt(share, clock.now)
      ? [goodMs, 200]
      : [ms ?? quick(random), call.bad ? bad : status, waitMs];

/** Answers a status so many times, then 200. */
const first =
  (status, times = 1) =>
  () =>
  (attempt) => [USUAL_MS, attempt <= times ? status : 200];

/** Answers 202 until a call has waited for so many seconds, and 503 in an outage. */
const working = (seconds, outage) => (clock) => (_, call) => {
  if (shareAt(outage, clock.now) > 0) return [5, 503];
  return [USUAL_MS, clock.now - call.at < 1000 * seconds ? 202 : 200];
};

/** Fails all attempts for some seconds, again and again. */
const blips = (gap, length) => (clock, random) => {
  const drawn = (seconds) => seconds * 1000 * (0.6 + 0.8 * random());
  let [from, to] = [0, 0];
  return () => {
    while (clock.now >= to) {
      from = to + drawn(gap);
      to = from + drawn(length);
    }
    return clock.now < from ? GOOD : [quick(random), 502];
  };
};

/**
 * One worker that serves 300 requests a second in their order, and none between two times in seconds. Those that would
 * wait longer than 1 s get another reply, and are served in vain.
 */
const stalling = (still, late) => (clock) => {
  const [from, to] = still.map((s) => 1000 * s);
  let busyUntil = 0;
  return () => {
    let start = Math.max(busyUntil, clock.now);
    if (start >= from && start < to) start = to;
    busyUntil = start + 1000 / 300;
    const ms = busyUntil - clock.now;
    return ms <= 1000 ? [ms, 200] : late;
  };
};

/**
 * Workers that take 20 ms for each request, also for those whose caller has left, and begin none between two times in
 * seconds. Unordered, the next request is any of those that wait.
 */
const queue =
  (workers, { still = [0, 0], unordered = false }) =>
  (clock, random) => {
    const [from, to] = still.map((s) => 1000 * s);
    const waiting = [];
    let free = workers;
    const serve = () => {
      if (clock.now >= from && clock.now < to) return;
      for (; free > 0 && waiting.length > 0; free--) {
        const i = unordered ? Math.floor(random() * waiting.length) : 0;
        [waiting[0], waiting[i]] = [waiting[i], waiting[0]];
        const done = waiting.shift();
        clock.at(clock.now + USUAL_MS, () => {
          free += 1;
          done();
          serve();
        });
      }
    };
    clock.at(to, serve);
    return () => {
      if (waiting.length >= LONGEST * workers) return [quick(random), 503];
      return new Promise((done) => {
        waiting.push(() => done([0, 200]));
        serve();
      });
    };
  };

/**
 * Serves so many requests in each window of some seconds, and asks others to wait for the next window.
 * @param {{ ms?: number, moreMs?: number, route?: boolean }} [more] how long requests take, and up to how much longer;
 *   whether the limit is that of bad calls alone
 */
const limited =
  (limit, seconds, { ms = USUAL_MS, moreMs = 0, route = false } = {}) =>
  (clock, random) => {
    let [window, served] = [-1, 0];
    return async (_, { bad }) => {
      await clock.sleep(moreMs > 0 ? ms + moreMs * random() : ms);
      if (route && !bad) return [0, 200];
      const now = Math.floor(clock.now / 1000 / seconds);
      if (now !== window) [window, served] = [now, 0];
      return ++served <= limit ? [0, 200] : [0, 429, 1000 * seconds - (clock.now % (1000 * seconds))];
    };
  };

/**
 * Serves so many requests in any time of so many seconds, and asks others to wait until one of those is over. From
 * `later[0]` seconds on it serves `later[1]`.
 */
const sliding =
  (limit, seconds, later = [Infinity, limit]) =>
  (clock) => {
    let served = [];
    return async () => {
      await clock.sleep(USUAL_MS);
      served = served.filter((at) => at > clock.now - 1000 * seconds);
      const most = clock.now < 1000 * later[0] ? limit : later[1];
      if (served.length >= most) return [0, 429, served.at(-most) + 1000 * seconds - clock.now];
      served.push(clock.now);
      return [0, 200];
    };
  };

/** Serves so many requests a second, as many at once, and asks others to wait. */
const bucket = (rate, waitMs) => (clock, random) => {
  let [tokens, at] = [rate, 0];
  return () => {
    tokens = Math.min(rate, tokens + ((clock.now - at) / 1000) * rate);
    at = clock.now;
    if (tokens < 1) return [quick(random), 429, waitMs];
    tokens -= 1;
    return GOOD;
  };
};

/** The servers by their names in the rows. @type {Record<string, (...args: any[]) => MakeServer>} */
export const SERVERS = { blips, bucket, failing, first, limited, queue, sliding, stalling, working };
