// Plays a world with a contender, on virtual time.

import { uniform } from '../lib/random.mjs';
import { Clock } from './clock.mjs';
import { shareAt } from './servers.mjs';

/** @typedef {import('./tables.mjs').World} World */
/** @typedef {import('./tables.mjs').Call} Call */

const DEFAULTS = {};
const NONE = { share: 0 };
/** How long a worker waits at most that is rejected without a request. */
const PATIENCE_MS = 60_000;

/**
 * What happened: all calls, and the times of all requests in ms.
 * @typedef {{ calls: Call[], sent: number[], world: World }} Run
 */

/** @returns {Promise<Run | undefined>} nothing if the contender has no `fetch` and the world needs one */
export async function play(world, make, seed) {
  const random = uniform(seed * 7919);
  const clock = new Clock();
  const { random: own } = Math;
  const { stackTraceLimit } = Error;
  Math.random = uniform(seed * 104_729);
  // A stack takes longer than the rest of a failure.
  Error.stackTraceLimit = 0;
  try {
    const length = world.processes ?? 1;
    const quota = quotaOf(world, clock);
    const processes = Array.from({ length }, () => make(Math.random, { ...quota, perSecond: quota.all / length }));
    if (world.fetches && !processes[0].fetch) return undefined;
    const run = await started(world, processes, clock, random);
    for (const { stop } of processes) stop?.();
    return run;
  } finally {
    Math.random = own;
    Error.stackTraceLimit = stackTraceLimit;
    clock.uninstall();
  }
}

/**
 * What the server allows, and a limiter that all processes ask, a millisecond away, as a store has it: so many in each
 * second, which begins with the first of them.
 */
function quotaOf({ quota: all = Infinity }, clock) {
  let [endsAt, taken] = [0, 0];
  const acquire = async () => {
    await clock.sleep(1);
    if (clock.now >= endsAt) [endsAt, taken] = [clock.now + 1000, 0];
    return ++taken <= all ? 0 : endsAt - clock.now;
  };
  return { all, acquire };
}

async function started(world, processes, clock, random) {
  const { server, rate, surge = NONE, starts, workers = 0, jobs = 0, badShare = 0, seconds, drain = 30 } = world;
  const { options = DEFAULTS } = world;
  const answer = server(clock, random);
  const run = { calls: [], sent: [], world };
  const start = (given = {}) => {
    const call = { at: clock.now, ok: false, ms: NaN, ...given, bad: given.bad ?? random() < badShare };
    run.calls.push(call);
    let attempt = 0;
    const request = async (/** @type {any} */ told) => {
      run.sent.push(clock.now);
      const reply = (call.answer ?? answer)(++attempt, call);
      const [ms, status, waitMs] = reply instanceof Promise ? await reply : reply;
      if (ms > 0) await clock.sleep(ms);
      // Something came before the end.
      if (world.gains) told.progress();
      return end(world, one, status, waitMs);
    };
    const one = processes[processes.length === 1 ? 0 : (call.process ?? Math.floor(random() * processes.length))];
    const method = world.fetches ? one.fetch : one.call;
    return method(request, options).then(
      (value) => {
        call.ok = value.status === 200 || value.busy === false;
        call.ms = clock.now - call.at;
        return 0;
      },
      (error) => Math.min(error.retryAfterMs ?? 0, PATIENCE_MS),
    );
  };
  if (starts) for (const [at, call] of together(starts, seconds, random)) clock.at(at, () => start(call));
  if (rate !== undefined) {
    const now = () => rate + shareAt(surge, clock.now);
    const next = () => {
      if (clock.now >= seconds * 1000) return;
      start();
      clock.at(clock.now - (1000 / now()) * Math.log(1 - random()), next);
    };
    clock.at(0, next);
  }
  let left = jobs;
  const work = async () => {
    while (left-- > 0) await clock.sleep(await start({ bad: false }));
  };
  for (let i = 0; i < workers; i++) work();
  await clock.run((seconds + drain) * 1000);
  return run;
}

/** The calls that start together: when, and what is known of each. @param {import('./tables.mjs').Starts} starts */
function* together(starts, seconds, random) {
  const { calls, from = 0, to = seconds, every = Infinity, apartMs = 0, processes, bad } = starts;
  for (let s = from; s < to; s += every)
    for (let i = 0; i < calls; i++) {
      const at = s * 1000 + (starts.random ? 1000 * random() : apartMs * i);
      const answer = answerOf(starts, s, i);
      yield [at, { bad, ...(processes && { process: i % processes }), ...(answer && { answer }) }];
    }
}

/** How the server answers such a call, if it is not as usual. */
function answerOf({ failing, failsMs, ms, moreMs = 0, secondFrom }, s, i) {
  if (secondFrom !== undefined) return (attempt) => [20, s >= secondFrom && attempt > 1 ? 200 : 0];
  if (!failing) return undefined;
  const [of, from, to] = failing;
  return i % of >= from && i % of < to ? () => [failsMs, 0] : () => [ms + moreMs * i, 200];
}

/**
 * How an attempt ends: with a result, a response, or an error. Status 0 is an error without one.
 * @param {number} [waitMs] that the server asks for
 */
function end({ fetches, result = good }, { retryAfter }, status, waitMs) {
  if (fetches) {
    const headers = waitMs ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : undefined;
    return new Response('', { status, headers });
  }
  const value = result(status);
  if (value !== undefined) return value;
  const error = status === 0 ? new Error('failed') : Object.assign(new Error('failed'), { status });
  throw waitMs && retryAfter ? retryAfter(waitMs, error) : error;
}

const good = (status) => (status === 200 ? { status } : undefined);
