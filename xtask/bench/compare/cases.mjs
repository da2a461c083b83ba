// Of the cases of docs/comparison.md (tests/vectors/comparison.json): the bugs that prove that a case can fail, and the
// cases that need a program.

import { down, hang, opens } from './play.mjs';

/** @typedef {import('./contenders.mjs').Contender} Contender */

/** Calls ours in another way. */
const called =
  (change) =>
  ({ call, ...rest }) => ({ ...rest, call: async (fn, options) => call?.(...change(fn, options)) });
/** Calls ours with other options. */
const withOptions = (more) => called((fn, options) => [fn, { ...options, ...more }]);
/** Puts something between ours and the server. */
const fetches =
  (change) =>
  ({ client, ...rest }) => ({ ...rest, client: (fetch, options) => client?.(change(fetch), options) ?? (() => {}) });
/** Changes responses. */
const responses = (change) =>
  fetches(
    (fetch) =>
      async (...args) =>
        change(await fetch(...args)),
  );

/** Sets other limits for ours. */
const withLimits =
  (more) =>
  ({ limit, ...rest }) => ({ ...rest, limit: (limits) => limit({ ...limits, ...more }) });
/** Makes calls through ours in another way. */
const through =
  (change) =>
  ({ limit, ...rest }) => ({ ...rest, limit: (limits) => change(limit(limits)) });

/** Bugs that are planted into one of ours. @type {Record<string, (contender: Contender) => Contender>} */
export const BUGS = {
  'no word is heard': called((fn, options) => [({ signal }) => fn({ signal }), options]),
  'factor 3': withOptions({ factor: 3 }),
  'waits of 1 ms': withOptions({ factor: 1, baseMs: 1 }),
  'a timeout ends all': withOptions({ retryIf: () => false }),
  'no deadline': withOptions({ totalTimeoutMs: undefined }),
  'it is retried': withOptions({ retryIf: () => true }),
  'no signal': called((fn, { signal, ...rest }) => [() => fn({}), rest]),
  'a listener stays': called((fn, options) => {
    hang(options);
    return [fn, options];
  }),
  'the loser is forgotten': called((fn, options) => [
    async (it) => {
      const result = Promise.resolve(fn(it));
      result.then(() => {});
      return result;
    },
    options,
  ]),
  'it is wrapped': called((fn, options) => [
    async (it) => Promise.resolve(fn(it)).catch((cause) => Promise.reject(new Error('failed', { cause }))),
    options,
  ]),
  'each is a 503': responses((response) => (response.ok ? response : new Response('', { status: 503 }))),
  'the headers are lost': responses(({ body, status }) => new Response(body, { status })),
  'a year': responses(({ body, status }) => new Response(body, { status, headers: { 'retry-after': '31536000' } })),
  'the body is used up': fetches((fetch) => {
    let sent = false;
    return (...args) => {
      if (sent) return fetch('http://x.test/');
      sent = true;
      return fetch(...args);
    };
  }),
  'no protection': (it) => ({
    ...it,
    guard: () => async (fn) => {
      for (let left = 3; left > 0; left--)
        try {
          return await fn();
        } catch {}
      return fn();
    },
  }),
  'a limit of 9': withLimits({ limit: 9 }),
  'a limit of 1': withLimits({ limit: 1 }),
  'no burst': withLimits({ burst: 1 }),
  'two at a time': withLimits({ concurrency: 2 }),
  'a queue without an end': withLimits({ maxQueue: Infinity }),
  'the signal is not passed': through((call) => (fn) => call(fn)),
  'a failure never ends': through(
    (call) => (fn, signal) =>
      call(async (it) => {
        try {
          return await fn(it);
        } catch {
          return hang({});
        }
      }, signal),
  ),
  'the newest first': through((call) => {
    const come = [];
    return (fn) =>
      new Promise((done, failed) => {
        come.unshift(() => call(fn).then(done, failed));
        queueMicrotask(() => {
          for (const start of come.splice(0)) start();
        });
      });
  }),
  'always 0.5 s': (it) => ({
    ...it,
    connect: (Socket) => {
      const again = () => new Socket().addEventListener('close', () => setTimeout(again, 500));
      return again() ?? (() => {});
    },
  }),
};

/** Sets the wall clock back by an hour. Returns what puts it right. */
function setBack() {
  const { Date } = globalThis;
  const now = () => Date.now() - 3_600_000;
  const Early = function () {
    return new Date(now());
  };
  globalThis.Date = Object.assign(Early, { now, prototype: Date.prototype });
  return () => {
    globalThis.Date = Date;
  };
}

/** The cases that are programs. @type {Record<string, (stage: import('./play.mjs').Stage) => Promise<boolean>>} */
export const PLAYS = {
  async 'retries without a wait let timers and I/O run'(t) {
    const { times } = t.start({ attempts: 500, baseMs: 0, capMs: 1 });
    await new Promise(setImmediate);
    return times.length < 500;
  },
  async 'an option that is `undefined` is one that is left out'(t) {
    const names = Object.keys(t.inOwnWords({ attempts: 1, baseMs: 7, capMs: 7, jitter: true }));
    const unset = Object.fromEntries(names.map((name) => [name, undefined]));
    return (await t.callsWith(unset)) === (await t.callsWith({}));
  },
  async 'a wall clock that is set back does not move the deadline'(t) {
    const run = t.start({ attempts: 30, baseMs: 400, capMs: 400, totalMs: 1500 });
    const back = setBack();
    await t.pass(20_000);
    back();
    return run.at <= 1700;
  },
  async 'options are not read from `Object.prototype`'(t) {
    const expected = await t.callsWith({});
    const all = Object.entries(t.inOwnWords({ attempts: 1, baseMs: 7, capMs: 7, jitter: true }));
    const evil = all.filter(([, value]) => /number|boolean/.test(typeof value));
    for (const [name, value] of evil) Object.defineProperty(Object.prototype, name, { value, configurable: true });
    const calls = await t.callsWith({});
    for (const [name] of evil) Reflect.deleteProperty(Object.prototype, name);
    return calls === expected;
  },
  async 'the body of a response that is not used is cancelled or read'(t) {
    const ended = [];
    const pull = (body) => void ended.push(body.close());
    const body = new ReadableStream({ pull, cancel: (reason) => void ended.push(reason) }, { highWaterMark: 0 });
    await t.send({}, (n) => (n === 1 ? new Response(body, { status: 503 }) : new Response('ok')));
    return ended.length > 0;
  },
  'while a server fails, retries become rare: 400 operations send less than 800 requests': async (t) =>
    (await t.guard().overload(400)) < 800,
  'an open circuit calls nobody': async (t) => (await (await t.opened()).overload(3)) === 0,
  async 'after its time, of 100 calls at once one is let through'(t) {
    const { through } = await t.opened(1500);
    const requests = [];
    for (let i = 0; i < 100; i++) through(async () => hang({ attempt: requests.push(i) }));
    await t.pass(100);
    return requests.length === 1;
  },
  async 'a probe that never ends does not keep the circuit from closing'(t) {
    const { through } = await t.opened(1500);
    through(async () => hang({}));
    await t.pass(60_000);
    const run = through(async () => 'ok');
    await t.pass(1000);
    return run.value === 'ok';
  },
  async 'calls that their callers abort do not open it'(t) {
    const { through } = t.guard();
    const signal = AbortSignal.timeout(10);
    for (let i = 0; i < 20; i++) through(async () => hang({ signal }), signal);
    await t.pass(200);
    const run = through(async () => 'ok');
    await t.pass(200);
    return run.value === 'ok';
  },
  async 'an operation during which the circuit opens ends with its own error'(t) {
    const { through } = t.guard();
    const runs = Array.from({ length: 8 }, () => through(down));
    await t.pass(500);
    return runs.every(({ error }) => error?.message === 'down');
  },
  async '500 clients that lose their server at once do not all come back in the same second'(t) {
    const all = Array.from({ length: 500 }, () => t.connect(opens(100)));
    await t.pass(8000);
    const seconds = all.map(({ run }) => Math.floor(run.times[1] / 1000));
    return [0, 1, 2, 3, 4, 5, 6, 7].every((s) => seconds.filter((second) => second === s).length < 250);
  },
};
