// The rows of docs/comparison.md: what a package should do, the public report that this comes from, and who or what
// does not do it.

import { getEventListeners } from 'node:events';

import { down, hang } from './play.mjs';

/** Calls ours in another way. */
const called = (bug, change) => [
  bug,
  ({ call, ...rest }) => ({ ...rest, call: async (fn, options) => call?.(...change(fn, options)) }),
];
/** Calls ours with other options. */
const options = (bug, more) => called(bug, (fn, given) => [fn, { ...given, ...more }]);
/** Calls another function by ours. */
const functions = (bug, change) => called(bug, (fn, given) => [change(fn), given]);
/** Puts something between ours and the server. */
const fetches = (bug, change) => [
  bug,
  ({ client, ...rest }) => ({ ...rest, client: (fetch, given) => client?.(change(fetch), given) ?? (async () => {}) }),
];
/** Changes responses. */
const responses = (bug, change) =>
  fetches(
    bug,
    (fetch) =>
      async (...args) =>
        change(await fetch(...args)),
  );

const first =
  (status, headers = {}) =>
  (n) =>
    n === 1 ? new Response('no', { status, headers }) : new Response('ok');

const ATTEMPTS = {
  'the last error is what you get when the attempts run out': {
    from: 'tim-kos/node-retry#91',
    fails: 'async-retry',
    async play(t) {
      const errors = ['down', 'down', 'refused'].map((text) => new Error(text));
      const { error } = await t.run({}, ({ attempt = 1 }) => Promise.reject(errors[attempt - 1]));
      return error === errors[2];
    },
  },
  'what is thrown and is no `Error` is retried, too, and is what you get': {
    from: 'sindresorhus/p-retry#14',
    fails: 'p-retry',
    async play(t) {
      const text = await t.run({}, () => Promise.reject('down'));
      const nothing = await t.run({}, () => Promise.reject(undefined));
      return text.error === 'down' && [text, nothing].every(({ times, at }) => times.length === 3 && at > 0);
    },
  },
  'a function that throws at once is retried like one that rejects': {
    from: 'AlonMiz/poll-until-promise#9',
    fails: '@lifeomic/attempt',
    async play(t) {
      const { times } = await t.run({}, () => {
        throw new Error('down');
      });
      return times.length === 3;
    },
  },
  'retries without a wait let timers and I/O run': {
    from: 'nodejs/promise-use-cases#25',
    fails: 'p-retry',
    async play(t) {
      const { times } = t.start({ attempts: 500, baseMs: 0, capMs: 1 });
      await new Promise(setImmediate);
      return times.length < 500;
    },
  },
};

const WAITS = {
  'the first wait is the base, and each is twice the one before, up to the cap': {
    from: 'mickhansen/retry-as-promised#12',
    fails: options('factor 3', { factor: 3 }),
    async play(t) {
      const { waits } = await t.run({ attempts: 7, jitter: false });
      return waits.join() === '100,200,400,800,1000,1000';
    },
  },
  'waits at the cap differ, so that clients do not come back together': {
    from: 'App-vNext/Polly#530',
    fails: 'p-retry',
    async play(t) {
      const late = (await t.run({ attempts: 30 }, down, 40_000)).waits.slice(15);
      return late.length > 5 && Math.max(...late) - Math.min(...late) > 150;
    },
  },
  'a wait longer than a timer can be is not cut to 1 ms': {
    from: 'fluent/fluent-logger-forward-node#44',
    fails: 'exponential-backoff',
    play: async (t) => (await t.run({ baseMs: 3e9, capMs: 3e9, jitter: false })).times.length === 1,
  },
  'the 1,100th wait is as long as the 20th': {
    from: 'connor4312/cockatiel#86',
    fails: options('waits of 1 ms', { backoff: undefined, factor: 1, baseMs: 1 }),
    async play(t) {
      const { waits } = await t.run({ attempts: 1150, jitter: false }, down, 1_149_000);
      return waits.length > 1100 && waits.slice(20).every((wait) => wait >= 1000);
    },
  },
  'an option that is `undefined` is one that is left out': {
    from: 'tim-kos/node-retry#90',
    needs: 'options',
    fails: 'async-retry',
    async play(t) {
      const names = Object.keys(t.inOwnWords({ attempts: 1, baseMs: 7, capMs: 7, jitter: true }));
      const unset = Object.fromEntries(names.map((name) => [name, undefined]));
      return (await t.callsWith(unset)) === (await t.callsWith({}));
    },
  },
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

const LIMITS = {
  'with a signal that has aborted, nothing is called': {
    from: 'lmstudio-ai/lmstudio-js#337',
    needs: 'signal',
    fails: 'cockatiel',
    play: async (t) => (await t.run({ signal: AbortSignal.abort() })).times.length === 0,
  },
  'an abort ends a wait at once': {
    from: 'browserbase/sdk-node#205',
    needs: 'signal',
    fails: 'cockatiel',
    play: async (t) => (await t.abortedInWait(50)).at <= 100,
  },
  'after an abort you get its reason': {
    from: 'connor4312/cockatiel#101',
    needs: 'signal',
    fails: 'cockatiel',
    play: async (t) => (await t.abortedInWait(20_000)).error === 'mine',
  },
  'an abort reaches the running attempt and ends all': {
    from: 'sindresorhus/p-retry#97',
    needs: 'signal passed',
    fails: called('no signal', (fn, { signal, ...rest }) => [() => fn({}), rest]),
    async play(t) {
      const run = t.start({ signal: AbortSignal.timeout(50) }, hang);
      await t.pass(5000);
      return run.at === 50 && run.times.length === 1;
    },
  },
  'nothing stays on the signal of an operation that has ended': {
    from: 'sindresorhus/p-retry#71',
    needs: 'signal',
    fails: called('a listener stays', (fn, given) => {
      hang(given);
      return [fn, given];
    }),
    async play(t) {
      const { signal } = new AbortController();
      await t.run({ signal });
      return getEventListeners(signal, 'abort').length === 0;
    },
  },
  'an attempt that hangs is given up and retried': {
    from: 'sindresorhus/ky#279',
    needs: 'attemptMs',
    fails: options('a timeout ends all', { retryIf: () => false }),
    async play(t) {
      const run = await t.run({ attemptMs: 300 }, (it) => (it.attempt === 1 ? hang(it) : 'ok'));
      return run.value === 'ok' && run.times.length === 2;
    },
  },
  'an attempt that rejects after it was given up is not an unhandled rejection': {
    from: 'ChainSafe/lodestar#5627',
    needs: 'attemptMs',
    fails: functions('the loser is forgotten', (fn) => async (it) => {
      const result = Promise.resolve(fn(it));
      result.then(() => {});
      return result;
    }),
    async play(t) {
      await t.run({ attemptMs: 300 }, () => new Promise((_, reject) => setTimeout(reject, 900, new Error('late'))));
      return t.unhandled.length === 0;
    },
  },
  'a deadline covers all attempts and waits': {
    from: 'softonic/axios-retry#14',
    needs: 'totalMs',
    fails: options('no deadline', { totalTimeoutMs: undefined }),
    play: async (t) => (await t.run({ attempts: 30, baseMs: 400, capMs: 400, totalMs: 1500 })).at <= 1700,
  },
  'a deadline ends an attempt that hangs': {
    from: 'sindresorhus/got#1341',
    needs: 'totalMs interrupts',
    fails: 'async-retry',
    play: async (t) => (await t.run({ totalMs: 1500 }, hang)).at <= 1700,
  },
  'no wait begins that would end after the deadline': {
    from: 'cenkalti/backoff#53',
    needs: 'totalMs',
    fails: 'p-retry',
    play: async (t) => (await t.run({ baseMs: 4000, capMs: 4000, totalMs: 1500, jitter: false })).at <= 100,
  },
  'at the deadline you get the error of your function, or it is the cause': {
    from: 'tim-kos/node-retry#70',
    needs: 'totalMs',
    fails: 'cockatiel',
    async play(t) {
      const { error } = await t.run({ attempts: 30, baseMs: 400, capMs: 400, totalMs: 1500 });
      return [error?.message, error?.cause?.message].includes('down');
    },
  },
  'a wall clock that is set back does not move the deadline': {
    from: 'CrossPaste/crosspaste-desktop#4547',
    needs: 'totalMs',
    fails: 'async-retry',
    async play(t) {
      const run = t.start({ attempts: 30, baseMs: 400, capMs: 400, totalMs: 1500 });
      const back = setBack();
      await t.pass(20_000);
      back();
      return run.at <= 1700;
    },
  },
};

const ERRORS = {
  'you get the error that your function threw, itself and unchanged': {
    from: 'sindresorhus/p-retry#25',
    fails: functions('it is wrapped', (fn) => async (it) => {
      const fail = (cause) => Promise.reject(new Error('failed', { cause }));
      return Promise.resolve(fn(it)).catch(fail);
    }),
    async play(t) {
      const mine = Object.freeze(new Error('mine'));
      const { times, error } = await t.run({}, () => Promise.reject(mine));
      return times.length === 3 && error === mine;
    },
  },
  'an error that is not to be retried ends it, and nothing goes on behind it': {
    from: 'vercel/async-retry#69',
    needs: 'retryIf',
    fails: options('it is retried', { retryIf: () => true }),
    async play(t) {
      const { times, error } = await t.run({ retryIf: () => false }, down, 600_000);
      return times.length === 1 && error.message === 'down';
    },
  },
  'a hook that rejects is not an unhandled rejection': {
    from: 'JustinBeckwith/retry-axios#119',
    needs: 'onRetry',
    fails: 'cockatiel',
    async play(t) {
      const { at } = await t.run({ onRetry: () => Promise.reject(new Error('in the hook')) });
      return at >= 0 && t.unhandled.length === 0;
    },
  },
  'options are not read from `Object.prototype`': {
    from: 'axios/axios#10752',
    needs: 'options',
    fails: 'async-retry',
    async play(t) {
      const expected = await t.callsWith({});
      const all = Object.entries(t.inOwnWords({ attempts: 1, baseMs: 7, capMs: 7, jitter: true }));
      const evil = all.filter(([, value]) => /number|boolean/.test(typeof value));
      for (const [name, value] of evil) Object.defineProperty(Object.prototype, name, { value, configurable: true });
      const calls = await t.callsWith({});
      for (const [name] of evil) Reflect.deleteProperty(Object.prototype, name);
      return calls === expected;
    },
  },
};

/** Sends the body of the first request only. */
const spent = (fetch) => {
  let sent = false;
  return (...args) => {
    if (sent) return fetch('http://x.test/');
    sent = true;
    return fetch(...args);
  };
};
const USED_UP = fetches('the body is used up', spent);

const REQUESTS = {
  'a POST is not sent again after a 503': {
    from: 'softonic/axios-retry#17',
    fails: 'fetch-retry',
    play: async (t) => (await t.send({ method: 'POST', body: 'x' }, first(503), {})).times.length === 1,
  },
  'a 404 is not sent again, a 503 is': {
    from: 'octokit/plugin-retry.js#576',
    fails: responses('each is a 503', (response) => (response.ok ? response : new Response('', { status: 503 }))),
    play: async (t) => (await t.send({}, first(404))).times.length + (await t.send({}, first(503))).times.length === 3,
  },
  'a mistake in the program is not taken for a failure of the network': {
    from: 'sindresorhus/p-retry#42',
    fails: 'fetch-retry',
    play: async (t) => (await t.send({}, () => Reflect.get({}, 'nothing').name)).times.length === 1,
  },
  '`Retry-After: 5` is obeyed, and so is a date': {
    from: 'softonic/axios-retry#72',
    needs: 'retryAfter',
    fails: responses('the headers are lost', ({ body, status }) => new Response(body, { status })),
    async play(t) {
      const seconds = await t.send({}, first(503, { 'retry-after': '5' }));
      const date = new Date(Date.now() + 5000).toUTCString();
      const both = [seconds, await t.send({}, first(503, { 'retry-after': date }))];
      return both.every(({ waits }) => waits[0] >= 4000 && waits[0] < 9000);
    },
  },
  'a Retry-After of `-3` or `1.5y` is not read as a year': {
    from: 'mastra-ai/mastra#23778',
    needs: 'retryAfter',
    fails: responses(
      'a year',
      ({ body, status }) => new Response(body, { status, headers: { 'retry-after': '31536000' } }),
    ),
    async play(t) {
      const both = [first(503, { 'retry-after': '-3' }), first(503, { 'retry-after': '1.5y' })];
      const runs = [await t.send({}, both[0]), await t.send({}, both[1])];
      return runs.every(({ waits }) => waits[0] < 5000);
    },
  },
  'a Retry-After of 100 days is not cut to a request at once': {
    from: 'hashicorp/go-retryablehttp#247',
    needs: 'retryAfter',
    fails: 'axios-retry',
    play: async (t) => (await t.send({}, first(503, { 'retry-after': '8640000' }))).times.length === 1,
  },
  'a text as body is sent again': {
    from: 'nodejs/undici#3294',
    fails: USED_UP,
    play: async (t) => (await t.send({ method: 'PUT', body: 'all' })).bodies.join() === 'all,all',
  },
  'the body of a `Request` is sent again': {
    from: 'jonbern/fetch-retry#99',
    needs: 'request',
    fails: 'ofetch',
    async play(t) {
      const { bodies } = await t.send(new Request('http://x.test/', { method: 'PUT', body: 'all' }));
      return bodies.join() === 'all,all';
    },
  },
  'a stream as body is sent again': {
    from: 'nodejs/undici#3389',
    needs: 'streams',
    fails: USED_UP,
    async play(t) {
      const { bodies } = await t.send({ method: 'PUT', body: new Blob(['all']).stream(), duplex: 'half' });
      return bodies.join() === 'all,all';
    },
  },
  'the body of a response that is not used is cancelled or read': {
    from: 'browserbase/sdk-node#204',
    fails: 'fetch-retry',
    async play(t) {
      const ended = [];
      const pull = (body) => void ended.push(body.close());
      const body = new ReadableStream({ pull, cancel: (reason) => void ended.push(reason) }, { highWaterMark: 0 });
      await t.send({}, (n) => (n === 1 ? new Response(body, { status: 503 }) : new Response('ok')));
      return ended.length > 0;
    },
  },
  'an abort ends a wait between requests': {
    from: 'sindresorhus/ky#390',
    fails: 'fetch-retry',
    play: async (t) =>
      (await t.send({ signal: AbortSignal.timeout(50) }, () => new Response('', { status: 503 }))).at <= 200,
  },
  'the request after a timeout has time of its own': {
    from: 'unjs/ofetch#621',
    needs: 'attemptMs',
    fails: 'ofetch',
    async play(t) {
      const answer = (n, { signal }) => (n === 1 ? hang({ signal }) : new Response('ok'));
      const run = await t.send({}, answer, { attempts: 3, attemptMs: 300 });
      return run.times.length === 2 && run.error === undefined;
    },
  },
};

/** Four attempts and no protection. */
const UNPROTECTED = [
  'no protection',
  (it) => ({
    ...it,
    guard: () => async (fn) => {
      for (let left = 3; left > 0; left--)
        try {
          return await fn();
        } catch {}
      return fn();
    },
  }),
];

const PROTECTION = {
  'while a server fails, retries become rare: 400 operations send less than 800 requests': {
    from: 'aws/aws-sdk-go-v2#3550',
    needs: 'budget',
    fails: UNPROTECTED,
    play: async (t) => (await t.guard().overload(400)) < 800,
  },
  'an open circuit calls nobody': {
    from: 'nodeshift/opossum#288',
    needs: 'circuit',
    fails: UNPROTECTED,
    play: async (t) => (await (await t.opened()).overload(3)) === 0,
  },
  'after its time, of 100 calls at once one is let through': {
    from: 'nodeshift/opossum#119',
    needs: 'circuit',
    fails: UNPROTECTED,
    async play(t) {
      const { through } = await t.opened(1500);
      const requests = [];
      for (let i = 0; i < 100; i++) through(async () => hang({ attempt: requests.push(i) }));
      await t.pass(100);
      return requests.length === 1;
    },
  },
  'a probe that never ends does not keep the circuit from closing': {
    from: 'diegosouzapw/OmniRoute#13836',
    needs: 'circuit',
    fails: 'cockatiel',
    async play(t) {
      const { through } = await t.opened(1500);
      through(async () => hang({}));
      await t.pass(60_000);
      const run = through(async () => 'ok');
      await t.pass(1000);
      return run.value === 'ok';
    },
  },
  'calls that their callers abort do not open it': {
    from: 'rubyist/circuitbreaker#42',
    needs: 'circuit signal',
    fails: 'cockatiel',
    async play(t) {
      const { through } = t.guard();
      const signal = AbortSignal.timeout(10);
      for (let i = 0; i < 20; i++) through(async () => hang({ signal }), signal);
      await t.pass(200);
      const run = through(async () => 'ok');
      await t.pass(200);
      return run.value === 'ok';
    },
  },
  'an operation during which the circuit opens ends with its own error': {
    from: 'connor4312/cockatiel#107',
    needs: 'circuit',
    fails: 'cockatiel',
    async play(t) {
      const { through } = t.guard();
      const runs = Array.from({ length: 8 }, () => through(down));
      await t.pass(500);
      return runs.every(({ error }) => error?.message === 'down');
    },
  },
};

/** Opens after 10 ms, and closes after so many. */
const opens = (ms, code) => (socket) => {
  setTimeout(() => socket.open(), 10);
  setTimeout(() => socket.close(code), 10 + ms);
};

/** Reconnects 0.5 s after each close, whatever happens. */
const HASTY = [
  'always 0.5 s',
  (it) => ({
    ...it,
    connect: (Socket) => {
      const again = () => new Socket().addEventListener('close', () => setTimeout(again, 500));
      return again() ?? (() => {});
    },
  }),
];

const CONNECTIONS = {
  'a server that accepts and closes is asked less and less often': {
    from: 'pladaria/reconnecting-websocket#200',
    fails: HASTY,
    async play(t) {
      const attempts = await t.attempts(opens(100, 1011));
      return attempts > 2 && attempts <= 15;
    },
  },
  '500 clients that lose their server at once do not all come back in the same second': {
    from: 'mqttjs/MQTT.js#561',
    fails: HASTY,
    async play(t) {
      const all = Array.from({ length: 500 }, () => t.connect(opens(100)));
      await t.pass(8000);
      const seconds = all.map(({ run }) => Math.floor(run.times[1] / 1000));
      return [0, 1, 2, 3, 4, 5, 6, 7].every((s) => seconds.filter((second) => second === s).length < 250);
    },
  },
  'a handshake that hangs is given up': {
    from: 'pladaria/reconnecting-websocket#183',
    fails: HASTY,
    play: async (t) => (await t.attempts(() => {})) > 1,
  },
  'closing it ends the wait for the next connection': {
    from: 'pladaria/reconnecting-websocket#14',
    fails: HASTY,
    async play(t) {
      const { run, close } = t.connect(opens(100));
      await t.pass(200);
      close?.();
      await t.pass(60_000);
      return run.times.length === 1;
    },
  },
  'close code 4401, not authorised, ends it': {
    from: 'AntaresSimulatorTeam/AntaREST#604',
    needs: 'codes',
    fails: HASTY,
    play: async (t) => (await t.attempts(opens(100, 4401))) === 1,
  },
  'a connection that has become silent is replaced': {
    from: 'joewalnes/reconnecting-websocket#67',
    needs: 'silence',
    fails: HASTY,
    play: async (t) => (await t.attempts(opens(1e9))) > 1,
  },
};

/** The tables: their heads, whose cases they have, and these. */
export const TABLES = [
  ['attempts', 'functions', ATTEMPTS],
  ['waits', 'functions', WAITS],
  ['aborts and deadlines', 'functions', LIMITS],
  ['errors and callbacks', 'functions', ERRORS],
  ['requests', 'fetch', REQUESTS],
  ['protection', 'protection', PROTECTION],
  ['connections', 'connections', CONNECTIONS],
];
