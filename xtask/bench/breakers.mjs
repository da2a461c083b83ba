// @ts-check
// Five scenes that breakers get wrong, played with rejitter, cockatiel and opossum on a virtual clock. Prints what each
// does: `node xtask/bench/breakers.mjs`, after `cargo xtask bench` has installed the tarball and the peers here.

import { ConsecutiveBreaker, ExponentialBackoff, circuitBreaker, handleAll, retry, wrap } from 'cockatiel';
import CircuitBreaker from 'opossum';
import { RetryPolicy } from 'rejitter';
import { breaker, protect } from 'rejitter/protection';
import { virtualClock } from 'rejitter/testing';

import { versions } from './lib/machine.mjs';

const OPEN_MS = 1000;
const FAILURES = 3;

/**
 * A breaker that opens after three failures in a row, for one second.
 * @typedef {object} Contender
 * @property {(fn: () => unknown, signal?: AbortSignal) => Promise<unknown>} call
 * @property {(fn: () => unknown) => Promise<unknown>} retrying up to five attempts, 100 ms apart
 * @property {() => string} state
 */

/** @type {Record<string, () => Contender>} */
const CONTENDERS = {
  rejitter() {
    const protection = protect(breaker({ consecutiveFailures: FAILURES, minimumCalls: Infinity, openMs: OPEN_MS }));
    const once = new RetryPolicy({ maxAttempts: 1, protection, random: () => 0.999 });
    const often = once.with({ maxAttempts: 5, backoff: 'fixed', baseMs: 100, jitter: 'none' });
    return {
      call: (fn, signal) => once.run(fn, { signal }),
      retrying: (fn) => often.run(fn),
      state: () => protection.status().breaker?.state ?? '',
    };
  },
  cockatiel() {
    const circuit = circuitBreaker(handleAll, { halfOpenAfter: OPEN_MS, breaker: new ConsecutiveBreaker(FAILURES) });
    const backoff = new ExponentialBackoff({ initialDelay: 100, maxDelay: 100 });
    const both = wrap(retry(handleAll, { maxAttempts: 4, backoff }), circuit);
    const states = ['closed', 'open', 'half-open', 'isolated'];
    return {
      call: (fn, signal) => circuit.execute(() => Promise.resolve(fn()), signal),
      retrying: (fn) => both.execute(async () => fn()),
      state: () => states[circuit.state] ?? '',
    };
  },
  opossum() {
    /** @type {any} */
    const circuit = new CircuitBreaker(async (/** @type {() => unknown} */ fn) => fn(), {
      timeout: false,
      resetTimeout: OPEN_MS,
      volumeThreshold: FAILURES,
      errorThresholdPercentage: 50,
    });
    return {
      call: (fn) => circuit.fire(fn),
      // It has no retry of its own: the loop that its users write around it.
      async retrying(fn) {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await circuit.fire(fn);
          } catch (error) {
            if (attempt === 5) throw error;
            await new Promise((resolve) => {
              setTimeout(resolve, 100);
            });
          }
        }
      },
      state: () => (circuit.halfOpen ? 'half-open' : circuit.opened ? 'open' : 'closed'),
    };
  },
};

const failure = new Error('down');
const fail = async () => {
  throw failure;
};

/** @typedef {{ clock: import('rejitter/testing').VirtualClock, one: Contender }} Scene */

/** How a call ends, as far as it has after some time. @param {Promise<unknown>} call @param {Scene} scene @param {number} [ms] */
async function outcome(call, { clock }, ms = 0) {
  let text = 'never settles';
  call.then(
    (value) => {
      text = `resolves with ${value}`;
    },
    (error) => {
      text = error === failure ? 'rejects with the real error' : `rejects with "${error?.message ?? error}"`;
    },
  );
  await clock.advance(ms);
  return text;
}

/** @param {Scene} scene */
async function opened({ clock, one }) {
  for (let i = 0; i < FAILURES; i += 1) one.call(fail).catch(() => {});
  await clock.advance(0);
}

/** @type {[string, (scene: Scene) => Promise<string>][]} */
const SCENES = [
  [
    'the probe never settles; a call 10 s later',
    async (scene) => {
      const { clock, one } = scene;
      await opened(scene);
      await clock.advance(OPEN_MS + 1);
      one.call(() => new Promise(() => {})).catch(() => {});
      await clock.advance(10 * OPEN_MS);
      return outcome(
        one.call(() => 'answer'),
        scene,
        60_000,
      );
    },
  ],
  [
    'a call from before the opening succeeds while the probe runs',
    async (scene) => {
      const { clock, one } = scene;
      /** @type {(value: string) => void} */
      let answer = () => {};
      const slow = new Promise((resolve) => {
        answer = resolve;
      });
      one.call(() => slow).catch(() => {});
      await opened(scene);
      await clock.advance(OPEN_MS + 1);
      one.call(() => new Promise(() => {})).catch(() => {});
      const before = one.state();
      answer('late');
      await clock.advance(1);
      return `${before}, then ${one.state()}`;
    },
  ],
  [
    'the wall clock is set back by an hour while the circuit is open; a call 10 s later',
    async (scene) => {
      const { clock, one } = scene;
      await opened(scene);
      const now = Date.now;
      Date.now = () => now() - 3_600_000;
      await clock.advance(10 * OPEN_MS);
      return outcome(
        one.call(() => 'answer'),
        scene,
      );
    },
  ],
  [
    'the caller aborts three calls',
    async (scene) => {
      const { clock, one } = scene;
      for (let i = 0; i < FAILURES; i += 1) {
        const aborter = new AbortController();
        const aborted = () =>
          new Promise((_, reject) => {
            aborter.signal.addEventListener('abort', () => reject(aborter.signal.reason));
          });
        one.call(aborted, aborter.signal).catch(() => {});
        aborter.abort();
        await clock.advance(0);
      }
      return one.state();
    },
  ],
  [
    'five attempts around a circuit that opens at the third',
    async (scene) => {
      let calls = 0;
      const started = scene.clock.now;
      let ended = NaN;
      const call = scene.one.retrying(() => {
        calls += 1;
        return fail();
      });
      call.then(
        () => {},
        () => {
          ended = scene.clock.now;
        },
      );
      const text = await outcome(call, scene, 5000);
      return `${text} after ${calls} calls and ${ended - started} ms`;
    },
  ],
];

const known = versions();
for (const [title, play] of SCENES) {
  console.log(`\n${title}`);
  for (const [name, make] of Object.entries(CONTENDERS)) {
    const clock = virtualClock({ date: true });
    const { now } = Date;
    try {
      const said = await play({ clock, one: make() });
      console.log(`  ${`${name} ${known[name] ?? ''}`.padEnd(18)} ${said}`);
    } finally {
      Date.now = now;
      clock.uninstall();
    }
  }
}
process.exit(0);
