// Plays a world with a contender, on virtual time.

import { uniform } from '../lib/random.mjs';
import { Clock } from './clock.mjs';
import { CONTENDERS } from './contenders.mjs';

/** @typedef {import('./worlds.mjs').World} World */
/** @typedef {import('./worlds.mjs').Call} Call */

/** How long an answer takes. */
const USUAL_MS = 20;
const DOWN = /** @type {const} */ ([10_000, 20_000]);
const JOBS = 1000;

/**
 * Returns what the world shows: the share of calls that succeed in per cent, or requests per call and seconds.
 * @param {World} world
 * @param {string} name of the contender
 * @param {number} seed
 * @returns {Promise<number[]>} none if the contender has no answer to such a world
 */
export async function play(world, name, seed) {
  const random = uniform(seed * 7919);
  const { random: own } = Math;
  const clock = new Clock();
  Math.random = uniform(seed * 104_729);
  try {
    const processes = Array.from({ length: world.processes ?? 1 }, () => CONTENDERS[name](Math.random));
    const shown = await (world.window === undefined ? calls : jobs)(world, processes, clock, random);
    for (const { stop } of processes) stop?.();
    return shown;
  } finally {
    Math.random = own;
    clock.uninstall();
  }
}

/**
 * @param {World} world
 * @param {import('./contenders.mjs').Contender[]} processes
 * @param {Clock} clock
 * @param {() => number} random
 */
async function calls(world, processes, clock, random) {
  const { rate, seconds, script, badShare = 0, attempts, counts: [from, to] = [0, Infinity] } = world;
  const end = seconds * 1000;
  const answer = world.stalls ? stalling(clock) : answering(world, clock, random);
  /** @type {Call[]} */
  const list = [];
  let sent = 0;
  const start = (/** @type {Partial<Call>} */ given) => {
    const call = { at: clock.now, bad: random() < badShare, ok: false, ...given };
    list.push(call);
    let attempt = 0;
    const fn = async () => {
      if (clock.now >= DOWN[0] && clock.now < DOWN[1]) sent += 1;
      const [ms, ok] = (call.answer ?? answer)(++attempt, call);
      await clock.sleep(ms);
      if (!ok) throw new Error('failed');
    };
    const one = processes[processes.length === 1 ? 0 : Math.floor(random() * processes.length)];
    one.call(fn, attempts).then(
      () => {
        call.ok = true;
      },
      () => {},
    );
  };
  if (script !== undefined) {
    script((at, call = {}) => clock.at(at, () => start(call)));
  } else {
    const next = () => {
      if (clock.now >= end) return;
      start({});
      clock.at(clock.now - (1000 / /** @type {number} */ (rate)) * Math.log(1 - random()), next);
    };
    clock.at(0, next);
  }
  // Those that began last have their time.
  await clock.run(end + 30_000);
  if (world.stalls) {
    const during = list.filter(({ at }) => at >= DOWN[0] && at < DOWN[1]);
    return [sent / during.length, recovery(list, end)];
  }
  const counted = list.filter(({ at, bad }) => !bad && at >= from * 1000 && at < to * 1000);
  return [(100 * counted.filter(({ ok }) => ok).length) / counted.length];
}

/**
 * @param {World} world
 * @param {Clock} clock
 * @param {() => number} random
 * @returns {(attempt: number, call: Call) => [ms: number, ok: boolean]}
 */
function answering({ fails = () => 0 }, clock, random) {
  return (_, { bad }) => [USUAL_MS, !bad && random() >= fails(clock.now / 1000)];
}

/**
 * One server that works off requests in their order, stale ones too.
 * @param {Clock} clock
 * @returns {() => [ms: number, ok: boolean]}
 */
function stalling(clock) {
  let busyUntil = 0;
  return () => {
    let start = Math.max(busyUntil, clock.now);
    if (start >= DOWN[0] && start < DOWN[1]) start = DOWN[1];
    busyUntil = start + 1000 / 300;
    const ms = busyUntil - clock.now;
    return ms <= 1000 ? [ms, true] : [1000, false];
  };
}

/**
 * Seconds after the outage from which on 95% of the calls of each second succeed; to the end if that never comes.
 * @param {Call[]} list
 * @param {number} end
 */
function recovery(list, end) {
  const last = end / 1000 - 1;
  for (let s = last; s >= DOWN[1] / 1000; s--) {
    const second = list.filter(({ at }) => Math.floor(at / 1000) === s);
    if (second.filter(({ ok }) => ok).length < 0.95 * second.length) return s + 1 - DOWN[1] / 1000;
  }
  return 0;
}

/**
 * Workers take jobs from a queue. Who is rejected at once waits as long as the error says before the next job.
 * @param {World} world
 * @param {import('./contenders.mjs').Contender[]} processes
 * @param {Clock} clock
 * @param {() => number} random
 */
async function jobs({ window = 1 }, [{ limited }], clock, random) {
  if (limited === undefined) return [];
  const windowMs = window * 1000;
  let [windowOf, served, left, done] = [-1, 0, JOBS, 0];
  const send = async () => {
    await clock.sleep(10 + 200 * random());
    const now = Math.floor(clock.now / windowMs);
    if (now !== windowOf) [windowOf, served] = [now, 0];
    if (++served <= 100) return new Response('done');
    const restMs = windowMs - (clock.now % windowMs);
    return new Response('', { status: 429, headers: { 'retry-after': String(Math.ceil(restMs / 1000)) } });
  };
  const work = async () => {
    while (left-- > 0) {
      try {
        if ((await limited(send)).ok) done += 1;
      } catch (error) {
        await clock.sleep(Math.min(/** @type {any} */ (error).retryAfterMs ?? 0, 60_000));
      }
    }
  };
  for (let i = 0; i < 10; i++) work();
  await clock.run(JOBS * windowMs);
  return [(100 * done) / JOBS];
}
