// Plays a case of docs/comparison.md with a package, on a virtual clock.

import { getEventListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { virtualClock } from 'rejitter/testing';

/** @typedef {import('./contenders.mjs').Contender} Contender */
/** @typedef {import('./contenders.mjs').Fn} Fn */
/**
 * A row of tests/vectors/comparison.json: an operation, requests or connections, or several of them one after the
 * other, and what must hold; or what is played by a program.
 * @typedef {{ run?: any, callback?: string, ms?: number, send?: any, answers?: any[], options?: any, socket?: any,
 *   closedAtMs?: number, limits?: import('./limiters.mjs').Limits, calls?: Call[], is?: Record<string, any>,
 *   all?: Play[], program?: (stage: Stage) => Promise<boolean> }} Play
 *
 * A call through limits, or `count` of them: made at `atMs`, or when the call of that number ends (`after`); each of
 * its attempts runs for `runsMs`, or hangs until its signal aborts. The first one may fail, which may be a 429
 * with Retry-After, or throw. One signal aborts them at `abortMs`.
 * @typedef {{ count?: number, atMs?: number, after?: number, runsMs?: number | 'hangs', first?: 'fails' | 'throws',
 *   retryAfterMs?: number, abortMs?: number }} Call
 */

/** Rejections that nobody handles. */
const unhandled = [];

/** Returns whether a package does as the case says. @param {Play} row @param {Contender} contender */
export async function played(row, contender) {
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => unhandled.push(error));
  unhandled.length = 0;
  const clock = virtualClock({ date: true });
  // What the hooks of the cases throw is printed there.
  const { error } = console;
  console.error = () => {};
  try {
    const stage = new Stage(clock, contender);
    if (row.program) return await row.program(stage);
    for (const play of row.all ?? [row]) if (!meets(await stage.play(play), play.is)) return false;
    return true;
  } finally {
    console.error = error;
    clock.uninstall();
  }
}

/** What became of an operation: the times of its calls, and when and how it ended. */
class Run {
  times = [];
  at = NaN;
  error;
  value;
  /** What the callback threw last. */
  thrown;
  /** Bodies of requests. */
  bodies = [];
  /** Numbers of the calls through limits: by start, those that run, those that were rejected. */
  order = [];
  running = new Set();
  rejected = [];
  mostAtOnce = 0;

  get waits() {
    return this.times.slice(1).map((time, i) => Math.round(time - this.times[i]));
  }
}

/** What rows say of a run. */
const FACTS = {
  at: ({ at }) => at,
  calls: ({ times }) => times.length,
  waits: ({ waits }) => waits,
  wait: ({ waits }) => waits[0],
  leastAtCap: ({ waits }) => Math.min(...waits.slice(20)),
  spreadAtCap: ({ waits }) => Math.max(...waits.slice(15)) - Math.min(...waits.slice(15)),
  value: ({ value }) => value,
  error: ({ error }) => (error instanceof Error ? error.message : error),
  blames: ({ error }) => error?.cause?.message ?? error?.message,
  failed: ({ error }) => error !== undefined,
  isLastThrown: ({ error, thrown }) => error === thrown,
  bodies: ({ bodies }) => bodies,
  // Some packages take a few ms to start a call.
  starts: ({ times }) => times.map((time) => Math.floor(time / 10) * 10),
  order: ({ order }) => order,
  mostAtOnce: ({ mostAtOnce }) => mostAtOnce,
  mostInASecond: ({ times }) =>
    Math.max(...times.map((first) => times.filter((time) => time >= first && time < first + 999).length)),
  rejected: ({ rejected }) => rejected,
  listeners: ({ signal }) => getEventListeners(signal, 'abort').length,
  unhandled: () => unhandled.length,
};

function meets(run, wanted) {
  return Object.entries(wanted).every(([name, expected]) => {
    const found = FACTS[name](run);
    if (!('from' in Object(expected) || 'to' in Object(expected))) return isDeepStrictEqual(found, expected);
    return found >= (expected.from ?? -Infinity) && found <= (expected.to ?? Infinity);
  });
}

/** Settles only if a signal that it is given aborts. */
export const hang = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

const reject = (error) => Promise.reject(error);
const FROZEN = Object.freeze(new Error('mine'));

/** @type {Record<string, Fn>} */
const CALLBACKS = {
  fails: () => reject(new Error('down')),
  throws: () => {
    throw new Error('down');
  },
  'two messages': ({ attempt = 1 }) => reject(new Error(attempt < 3 ? 'down' : 'refused')),
  text: () => reject('down'),
  nothing: () => reject(undefined),
  frozen: () => reject(FROZEN),
  hangs: hang,
  'hangs once': (it) => (it.attempt === 1 ? hang(it) : 'ok'),
  'rejects late': () => new Promise((_, reject) => setTimeout(reject, 900, new Error('late'))),
  'gains, five times': ({ attempt = 1, progress }) => {
    progress?.();
    return attempt > 5 ? 'ok' : reject(new Error('down'));
  },
  'gains at the third': ({ attempt, progress }) => {
    if (attempt === 3) progress?.();
    return reject(new Error('down'));
  },
  'gains in vain': async ({ progress }) => {
    await new Promise((done) => setTimeout(done, 20));
    progress?.();
    throw new Error('down');
  },
  'lives in vain': ({ alive }) => {
    alive?.();
    return reject(new Error('down'));
  },
  'falls silent once': async ({ attempt, signal, alive }) => {
    for (let i = 0; i < 5; i++) {
      if (attempt === 1 && i === 2) await hang({ signal });
      await new Promise((done) => setTimeout(done, 200));
      alive?.();
    }
    return 'ok';
  },
  shows: ({ commit }) => {
    commit?.();
    return reject(FROZEN);
  },
};
export const down = CALLBACKS.fails;

/** A signal: one that has aborted, one that does not, or one that aborts after so many ms. */
function signalOf(when) {
  const aborter = new AbortController();
  if (when === 'aborted') aborter.abort();
  if (typeof when === 'number') setTimeout(() => aborter.abort('mine'), when);
  return aborter.signal;
}

/** How a server answers: with a status and perhaps Retry-After, or not. */
function answerOf(answer = 200, signal = undefined) {
  if (answer === 'hangs') return hang({ signal });
  if (answer === 'mistake') return Reflect.get({}, 'nothing').name;
  const [status, asks] = [answer].flat();
  const after = asks === 'date' ? new Date(Date.now() + 5000).toUTCString() : asks;
  return new Response('', { status, headers: after && { 'retry-after': after } });
}

export class Stage {
  constructor(clock, contender) {
    this.clock = clock;
    this.contender = contender;
  }

  /** @param {Play} play */
  async play({
    run,
    callback = 'fails',
    ms = 5000,
    send,
    answers = [503],
    options,
    socket,
    closedAtMs,
    limits,
    calls,
  }) {
    if (limits) {
      const limited = this.limited(limits, calls ?? []);
      await this.pass(ms, 10);
      return limited;
    }
    if (run) {
      const { signal, retryIf, onRetry, ...rest } = run;
      const more = {
        ...(signal !== undefined && { signal: signalOf(signal) }),
        ...(retryIf === false && { retryIf: () => false }),
        ...(onRetry && { onRetry: () => reject(new Error('in the hook')) }),
      };
      const started = this.start({ ...rest, ...more }, CALLBACKS[callback]);
      await this.pass(ms);
      return Object.assign(started, more.signal && { signal: more.signal });
    }
    if (send) {
      const { as, signal, ...init } = send;
      if (signal) init.signal = signalOf(signal);
      if (as === 'stream') Object.assign(init, { body: new Blob([init.body]).stream(), duplex: 'half' });
      const input = as === 'Request' ? new Request('http://x.test/', init) : init;
      return this.send(input, (n, request) => answerOf(answers[n - 1], request.signal), options);
    }
    const { run: connected, close } = this.connect(socket.never ? () => {} : opens(socket.closesMs, socket.code));
    if (closedAtMs) await this.pass(closedAtMs).then(() => close?.());
    await this.pass(60_000);
    return connected;
  }

  /** Advances in small steps: some packages need many turns of the event loop for one timer. */
  async pass(ms, step = Math.max(10, ms / 100)) {
    for (let t = 0; t < ms; t += step) await this.clock.advance(step);
  }

  /** Follows what an operation does. */
  follow(operation, run = new Run()) {
    const end = (how) => Object.assign(run, { at: this.clock.now }, how);
    (async () => operation())().then(
      (value) => end({ value }),
      (error) => end({ error }),
    );
    return run;
  }

  /** Options in the package's own words. */
  inOwnWords(options) {
    return this.contender.options?.(options) ?? {};
  }

  /** Starts an operation. @param {Fn} [fn] fails by default */
  start(options, fn = down, own = this.inOwnWords({ attempts: 3, baseMs: 100, capMs: 1000, ...options })) {
    const run = new Run();
    const noted = (error) => {
      run.thrown = error;
      throw error;
    };
    const counted = ({ signal, alive, progress, commit }) => {
      run.times.push(this.clock.now);
      const result = fn({ signal, attempt: run.times.length, alive, progress, commit });
      return result instanceof Promise ? result.catch(noted) : result;
    };
    return this.follow(() => this.contender.call?.(counted, own), run);
  }

  /** The calls in 20 s, with options in the package's own words. */
  async callsWith(own) {
    const { random } = Math;
    Math.random = () => 0.5;
    const run = this.start({}, down, own);
    await this.pass(20_000);
    Math.random = random;
    return run.times.length;
  }

  /**
   * Sends a request to a server that answers the nth one with `answer(n, request)`, for 30 s.
   * @param {any} init or a Request
   * @param {(n: number, request: Request) => any} answer
   */
  async send(init, answer, options = { attempts: 3 }) {
    const run = new Run();
    const fetch = async (input, given) => {
      run.times.push(this.clock.now);
      const request = new Request(input, given && { ...given, ...(given.body && { duplex: 'half' }) });
      request.signal.throwIfAborted();
      run.bodies.push(await request.text());
      return answer(run.times.length, request);
    };
    const client = this.contender.client?.(fetch, options);
    this.follow(() => (init instanceof Request ? client?.(init) : client?.('http://x.test/', init)), run);
    await this.pass(30_000, 100);
    return run;
  }

  /** A guard, how to send through it, and how to overload it: with operations that fail, one each 50 ms. */
  guard() {
    const call = this.contender.guard();
    const overload = async (count) => {
      let requests = 0;
      for (let i = 0; i < count; i++) {
        this.follow(() =>
          call(() => {
            requests += 1;
            return down({});
          }),
        );
        await this.pass(50);
      }
      return requests;
    };
    return { overload, through: (fn, signal = undefined) => this.follow(() => call(fn, signal)) };
  }

  /** A guard that was overloaded, so long ago. */
  async opened(ms = 0) {
    const guard = this.guard();
    await guard.overload(8);
    await this.pass(ms);
    return guard;
  }

  /** Makes calls through limits. @param {import('./limiters.mjs').Limits} limits @param {Call[]} calls */
  limited(limits, calls) {
    const run = new Run();
    const through = this.contender.limit(limits);
    const all = calls.flatMap(({ count = 1, abortMs, ...call }) => {
      const signal = abortMs === undefined ? undefined : signalOf(abortMs);
      return Array.from({ length: count }, () => ({ ...call, signal }));
    });
    const make = (call, i) => {
      const ended = (async () => through(attempts(run, i, call, this.clock), call.signal))();
      const next = () => {
        for (const [j, { after }] of all.entries()) if (after === i) make(all[j], j);
      };
      ended.then(next, () => {
        run.rejected.push(i);
        next();
      });
    };
    all.forEach((call, i) => {
      if (call.atMs) setTimeout(make, call.atMs, call, i);
      else if (call.after === undefined) make(call, i);
    });
    return run;
  }

  /** Opens a connection to a server that does as `serve` says with each socket. */
  connect(serve) {
    const run = new Run();
    const { clock } = this;
    class Socket extends EventTarget {
      static CONNECTING = 0;
      static OPEN = 1;
      static CLOSING = 2;
      static CLOSED = 3;
      readyState = 0;
      constructor() {
        super();
        run.times.push(clock.now);
        serve(this);
      }
      open() {
        this.readyState = 1;
        this.dispatchEvent(new Event('open'));
      }
      close(code = 1006) {
        if (this.readyState === 3) return;
        this.readyState = 3;
        this.dispatchEvent(Object.assign(new Event('close'), { code, reason: '' }));
      }
    }
    return { run, close: this.contender.connect?.(Socket) };
  }
}

/** The function of a call through limits. @param {Run} run @param {Call} call */
function attempts(run, i, { runsMs = 0, first, retryAfterMs }, clock) {
  let count = 0;
  return ({ signal }) => {
    run.times.push(clock.now);
    run.order.push(i);
    count += 1;
    const error = Object.assign(new Error('down'), retryAfterMs && { status: 429, retryAfterMs });
    if (count === 1 && first === 'throws') throw error;
    const key = `${i} ${count}`;
    run.mostAtOnce = Math.max(run.mostAtOnce, run.running.add(key).size);
    const end = runsMs === 'hangs' ? hang({ signal }) : new Promise((done) => setTimeout(done, runsMs));
    return end
      .finally(() => run.running.delete(key))
      .then(() => (count === 1 && first === 'fails' ? Promise.reject(error) : 'ok'));
  };
}

/** A server that accepts a connection after 10 ms, and closes it after so many. */
export const opens = (ms, code) => (socket) => {
  setTimeout(() => socket.open(), 10);
  setTimeout(() => socket.close(code), 10 + ms);
};
