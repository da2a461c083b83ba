// Sends many requests at once to the hostile server, through the package, and compares the two accounts.
// It runs in a process of its own under --unhandled-rejections=strict, and prints what it found as JSON:
//
//   node client.mjs requests seed
//
// No outcome depends on how busy the machine is: an attempt times out when the server has its request and will not
// answer, and never otherwise; undici's own timeouts are off.

import { AsyncLocalStorage } from 'node:async_hooks';
import { argv } from 'node:process';

import { createFetch } from 'rejitter/fetch';
import { retryReport } from 'rejitter';

import { wordsFrom } from '../../lib/words.mjs';
import { ANSWERED, RETRIED, startHostile } from './server.mjs';

const [count, seed] = argv.slice(2).map(Number);

/** Stands for an attempt's timeout: a timer of this length is not armed, but kept until `expire`. */
const HELD_MS = 86_400_123;
/** The request that the running code belongs to. */
const request = new AsyncLocalStorage();
/** Request → its attempt's timer. */
const held = new Map();
const { setTimeout: realTimeout, clearTimeout: realClear } = globalThis;
globalThis.setTimeout = (callback, ms, ...rest) => {
  if (ms !== HELD_MS) return realTimeout(callback, ms, ...rest);
  const timer = { id: request.getStore(), callback };
  held.set(timer.id, timer);
  return timer;
};
globalThis.clearTimeout = (timer) => {
  if (timer?.callback === undefined) realClear(timer);
  else if (held.get(timer.id) === timer) held.delete(timer.id);
};
function expire(id) {
  const timer = held.get(id);
  held.delete(id);
  timer?.callback();
}

// undici makes its dispatcher at the first use of fetch.
await fetch('data:,');
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
const { constructor: Agent } = globalThis[DISPATCHER];
globalThis[DISPATCHER] = new Agent({ connect: { timeout: 0 }, headersTimeout: 0, bodyTimeout: 0 });

const server = await startHostile({ seed, silent: expire });
const { unit: random } = wordsFrom(seed + 1);
const pick = (list) => list[Math.floor(random() * list.length)];
const wrong = [];
const counts = {};
let retries = 0;
const check = (fine, text) => {
  if (!fine && wrong.length < 20) wrong.push(text);
};

const METHODS = ['GET', 'GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'POST', 'PATCH'];
const bodyOf = (text) =>
  pick([
    () => text,
    () => new Blob([text]),
    () => new TextEncoder().encode(text),
    () => new URLSearchParams({ text }),
  ])();

async function one(id) {
  const retried = random() < 0.85;
  const scenario = pick(retried ? RETRIED : ANSWERED);
  const method = scenario.startsWith('redirect') ? 'GET' : pick(METHODS);
  const needsKey = method === 'POST' || method === 'PATCH';
  const keyed = needsKey && random() < 0.7;
  const fail = pick([1, 2, 3]);
  const stream = retried && method === 'PUT' && random() < 0.2;
  // undici answers a HEAD itself where a body breaks the rules.
  const body = ['GET', 'HEAD', 'DELETE'].includes(method)
    ? undefined
    : stream
      ? new Blob(['streamed']).stream()
      : bodyOf(`body of ${id} ${'x'.repeat(random() * 2000)}`);
  const asRequest = !stream && random() < 0.3;
  const events = { attempts: 0, retries: 0 };
  const options = {
    baseMs: 1,
    capMs: 4,
    maxAttempts: 3,
    attemptTimeoutMs: HELD_MS,
    ...(keyed && { idempotencyKey: 'auto' }),
    onAttempt: () => void (events.attempts += 1),
    onRetry: () => void (events.retries += 1),
  };
  const url = `${server.origin}/${scenario}/${id}?fail=${fail}`;
  const init = { method, body, ...(stream && { duplex: 'half' }) };
  const fetch = createFetch(options);
  const sending = asRequest ? fetch(new Request(url, init)) : fetch(url, init);
  const [response, error] = await sending.then(
    (response) => [response],
    (error) => [undefined, error],
  );
  counts[scenario] = (counts[scenario] ?? 0) + 1;
  retries += events.retries;
  const report = retryReport(response ?? error);
  const entry = server.seen.get(String(id)) ?? { attempts: 0, bodies: new Set(), keys: new Set() };
  const label =
    `${scenario} ${method}${keyed ? ' keyed' : ''}${stream ? ' stream' : ''} fail=${fail} → ` +
    `${response?.status ?? error} ${report?.reason}`;

  // The accounts. A redirect is followed inside one attempt.
  if (scenario === 'redirect-loop')
    check(events.attempts === 1 && error !== undefined, `${label}: ${events.attempts} attempts`);
  else
    check(
      entry.attempts === events.attempts,
      `${label}: the server saw ${entry.attempts} attempts, the client made ${events.attempts}`,
    );
  if (report !== undefined) check(report.attempts === events.attempts, `${label}: the report says ${report.attempts}`);
  check(entry.bodies.size === 1, `${label}: bodies differ`);
  check(entry.keys.size === 1, `${label}: keys differ`);
  check(keyed === !entry.keys.has(''), `${label}: key ${[...entry.keys]}`);

  // The outcome that should have come.
  const mayRepeat = !needsKey || keyed;
  const expected = !retried || !mayRepeat || stream ? 1 : Math.min(3, fail + 1);
  check(events.attempts === expected, `${label}: ${events.attempts} attempts instead of ${expected}`);
  check(events.retries === events.attempts - 1, `${label}: ${events.retries} retries`);
  if (retried && expected > fail) check(response?.status === 200, label);
  if (stream) check(report?.reason === 'bodyNotReplayable', label);

  // A caller reads the response, or cancels it.
  const endless = scenario === 'body-stalls-200' || (response?.status === 503 && /stalls|endless/.test(scenario));
  if (endless) return response?.body?.cancel();
  const read = await response?.arrayBuffer().catch((thrown) => thrown);
  if (read instanceof Error && response.status === 200) check(scenario === 'reset-in-body-200', `${label}: ${read}`);
}

let next = 0;
const worker = async () => {
  while (next < count) {
    const id = next++;
    await request.run(String(id), one, id);
  }
};
await Promise.all(Array.from({ length: 64 }, worker));

// Idle connections are the host's to keep; those that are stuck are ours. The end is counted in turns of the event
// loop, which a busy machine does not make fewer.
const busy = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
await globalThis[DISPATCHER].close();
for (let turn = 0; turn < 500 && (server.sockets.size > 0 || busy() > 0); turn += 1)
  await new Promise((go) => {
    setTimeout(go, 20);
  });
const open = [server.sockets.size, busy()];
check(held.size === 0, `${held.size} timers are left`);
await server.close();
console.log(JSON.stringify({ wrong, open, counts, retries, seen: server.seen.size }));
