// The rows of docs/comparison.md: a case, and what a package does in it, on a virtual clock.

import { virtualClock } from 'rejitter/testing';

/** @typedef {import('./contenders.mjs').Contender} Contender */
/** @typedef {import('rejitter/testing').VirtualClock} VirtualClock */
/**
 * @typedef {object} Case
 * @property {string} title
 * @property {'signal' | 'attemptMs' | 'totalMs' | 'client'} [needs]
 * @property {(contender: Contender, clock: VirtualClock) => Promise<string>} play
 */

const down = () => Promise.reject(new Error('down'));
const hung = () => new Promise(() => {});

/**
 * Plays a case on a clock that stands still until the case advances it.
 * @param {Case} it
 * @param {Contender} contender
 */
export async function played({ play }, contender) {
  const clock = virtualClock({ date: true });
  try {
    return await play(contender, clock);
  } finally {
    clock.uninstall();
  }
}

/**
 * Follows a promise: what it is settled with, and at which time.
 * @param {Promise<unknown>} promise
 * @param {{ now: number }} clock
 */
function follow(promise, clock) {
  const seen = { at: NaN, error: /** @type {any} */ (undefined), value: /** @type {unknown} */ (undefined) };
  promise.then(
    (value) => Object.assign(seen, { at: clock.now, value }),
    (error) => Object.assign(seen, { at: clock.now, error }),
  );
  return seen;
}

/** Advances in small steps: some packages need many turns of the event loop for one timer. */
async function pass(/** @type {VirtualClock} */ clock, /** @type {number} */ ms, step = 50) {
  for (let t = 0; t < ms; t += step) await clock.advance(step);
}

/**
 * Times at which a client sends, and what becomes of its call.
 * @param {Contender} contender
 * @param {VirtualClock} clock
 * @param {any} init
 * @param {(n: number) => Response} answer
 */
async function requests({ client }, clock, init, answer) {
  /** @type {number[]} */
  const times = [];
  /** @type {string[]} */
  const bodies = [];
  const fetch = async (/** @type {any} */ input, /** @type {any} */ given) => {
    times.push(clock.now);
    const request = new Request(input, given && { ...given, ...(given.body && { duplex: 'half' }) });
    bodies.push(await request.text());
    return answer(times.length);
  };
  const seen = follow(/** @type {NonNullable<typeof client>} */ (client)(fetch)(init), clock);
  await pass(clock, 20_000, 100);
  return { times, bodies, seen };
}

const answers =
  (/** @type {number} */ status, headers = {}) =>
  (/** @type {number} */ n) =>
    n === 1 ? new Response('', { status, headers }) : new Response('ok');

/** @type {(title: string, fn: () => Promise<unknown>, attempts: number) => Case} */
const ended = (title, fn, attempts) => ({
  title,
  needs: 'totalMs',
  play: async ({ run }, clock) => {
    const seen = follow(run(fn, { attempts, baseMs: 400, capMs: 400, totalMs: 1500 }), clock);
    await pass(clock, 20_000);
    return seen.at <= 1700 ? 'yes' : 'no';
  },
});

/** @type {(what: string, make: () => unknown) => Case} */
const sentAgain = (what, make) => ({
  title: `${what} as body is sent again`,
  needs: 'client',
  play: async (contender, clock) => {
    const init = { method: 'PUT', body: make(), duplex: 'half' };
    const { bodies } = await requests(contender, clock, init, answers(503));
    return bodies.length === 2 && bodies[1] === 'first, second' ? 'yes' : 'no';
  },
});

/** @type {Case[]} */
export const CASES = [
  {
    title: 'waits at the cap are spread out',
    play: async ({ run }, clock) => {
      /** @type {number[]} */
      const times = [];
      const fn = () => {
        times.push(clock.now);
        return down();
      };
      run(fn, { attempts: 30, baseMs: 100, capMs: 1000 }).catch(() => {});
      await pass(clock, 40_000, 20);
      const waits = times.slice(15).map((time, i) => time - times[14 + i]);
      if (waits.length < 10) return `no cap`;
      const [least, most] = [Math.min(...waits), Math.max(...waits)];
      return most - least > 600 ? 'yes' : most - least > 100 ? 'a little' : 'no';
    },
  },
  {
    title: 'an abort ends a wait at once, with your reason',
    needs: 'signal',
    play: async ({ run }, clock) => {
      const aborter = new AbortController();
      const reason = new Error('mine');
      const { signal } = aborter;
      const seen = follow(run(down, { attempts: 3, baseMs: 8000, capMs: 8000, signal }), clock);
      await clock.advance(5);
      aborter.abort(reason);
      await clock.advance(5);
      const early = !Number.isNaN(seen.at);
      await pass(clock, 40_000, 500);
      if (early) return seen.error === reason ? 'yes' : 'at once, with another error';
      return seen.error === reason || seen.at < 20_000 ? 'after the wait' : 'no';
    },
  },
  {
    title: 'an attempt that hangs is given up and retried',
    needs: 'attemptMs',
    play: async ({ run }, clock) => {
      let calls = 0;
      const fn = () => (++calls === 1 ? hung() : Promise.resolve('ok'));
      const seen = follow(run(fn, { attempts: 3, baseMs: 100, capMs: 1000, attemptMs: 300 }), clock);
      await pass(clock, 5000);
      return calls === 2 && seen.error === undefined && seen.at > 0 ? 'yes' : 'no';
    },
  },
  ended('a deadline for all attempts together', down, 30),
  ended('a deadline ends an attempt that hangs', hung, 3),
  {
    title: 'you get the error that your function threw',
    play: async ({ run }, clock) => {
      const mine = new Error('mine');
      const seen = follow(
        run(() => Promise.reject(mine), { attempts: 2, baseMs: 10, capMs: 10 }),
        clock,
      );
      await pass(clock, 1000);
      return seen.error === mine ? 'yes' : seen.error?.cause === mine ? 'as the cause' : 'no';
    },
  },
  {
    title: '`Retry-After: 5` after a 503 is obeyed',
    needs: 'client',
    play: async (contender, clock) => {
      const { times } = await requests(contender, clock, { method: 'GET' }, answers(503, { 'retry-after': '5' }));
      if (times.length < 2) return 'no';
      return times[1] >= 5000 && times[1] < 8000 ? 'yes' : 'no';
    },
  },
  {
    title: 'a POST is not repeated after a 503',
    needs: 'client',
    play: async (contender, clock) => {
      const { times } = await requests(contender, clock, { method: 'POST', body: 'x' }, answers(503));
      return times.length === 1 ? 'yes' : 'no';
    },
  },
  sentAgain('a text', () => 'first, second'),
  sentAgain('a stream', () => new Blob(['first, second']).stream()),
];
