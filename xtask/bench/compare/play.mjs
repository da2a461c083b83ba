// Plays a case of docs/comparison.md on a virtual clock, and the bugs that are planted to prove that a case finds them.

import { virtualClock } from 'rejitter/testing';

/** @typedef {import('./contenders.mjs').Contender} Contender */
/** @typedef {import('./contenders.mjs').Fn} Fn */
/** @typedef {import('./contenders.mjs').Options} Options */
/**
 * `from` is the public report that it comes from. `needs` are words of `knows`: a package without one of them has no
 * such option. `fails` is a package that does not do it, or a bug that is planted into one of ours.
 * @typedef {{ from: string, needs?: string, fails: string | Bug, play: (t: Tools) => Promise<boolean> }} Case
 * @typedef {[name: string, plant: (contender: Contender) => Contender]} Bug
 */

/** Rejections that nobody handles. */
const unhandled = [];

export async function played({ play }, contender) {
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => unhandled.push(error));
  unhandled.length = 0;
  const clock = virtualClock({ date: true });
  // What the hooks of the cases throw is printed there.
  const { error } = console;
  console.error = () => {};
  try {
    return await play(new Tools(clock, contender));
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
  /** Bodies of requests. */
  bodies = [];

  get waits() {
    return this.times.slice(1).map((time, i) => Math.round(time - this.times[i]));
  }
}

export const down = () => Promise.reject(new Error('down'));
/** Settles only if a signal that it is given aborts. */
export const hang = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

export class Tools {
  unhandled = unhandled;

  constructor(clock, contender) {
    this.clock = clock;
    this.contender = contender;
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
    const counted = ({ signal }) => {
      run.times.push(this.clock.now);
      return fn({ signal, attempt: run.times.length });
    };
    return this.follow(() => this.contender.call?.(counted, own), run);
  }

  /** Lets it run. */
  async run(options, fn, ms = 5000) {
    const run = this.start(options, fn);
    await this.pass(ms);
    return run;
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

  /** Aborts in the first wait, of 8 s. @param {number} ms how long it has then */
  async abortedInWait(ms) {
    const aborter = new AbortController();
    const run = this.start({ baseMs: 8000, capMs: 8000, signal: aborter.signal });
    await this.pass(50);
    aborter.abort('mine');
    await this.pass(ms);
    return run;
  }

  /**
   * Sends a request to a server that answers the nth one with `answer(n, request)`, for 30 s.
   * @param {any} init or a Request
   * @param {(n: number, request: Request) => any} [answer] 503, then 200 by default
   */
  async send(init, answer = (n) => new Response('', { status: n === 1 ? 503 : 200 }), options = { attempts: 3 }) {
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
            return down();
          }),
        );
        await this.pass(50);
      }
      return requests;
    };
    return {
      call,
      overload,
      through: (fn, signal = undefined) => this.follow(() => call(fn, signal)),
    };
  }

  /** A guard that was overloaded, so long ago. */
  async opened(ms = 0) {
    const guard = this.guard();
    await guard.overload(8);
    await this.pass(ms);
    return guard;
  }

  /** Connections that are opened in a minute. */
  async attempts(serve) {
    const { run } = this.connect(serve);
    await this.pass(60_000);
    return run.times.length;
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
