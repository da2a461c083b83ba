// A process that was stopped, as by SIGSTOP, a container's pause, a thaw or a debugger, finds its answers in the
// sockets and its timers expired, and so does one that has blocked its event loop. Its own lateness is no failure of
// the server: in Node, Deno and Bun all answers count, what times out after all tells the breaker nothing, and a part
// of an answer breaks the silence of its attempt: the rest comes later.
//
// The server stops the process once all requests have come, and lets it go on once all answers are in its sockets. No
// time that passes meanwhile is too long.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { until } from '../../package/lib/until.mjs';
import { project, repo } from '../../package/lib/consumer.mjs';
import { listen } from '../../package/lib/fetching.mjs';
import { BUN_PROGRAM, denoIn, nodes } from './groups/programs.mjs';

/** Time limit of the requests: more than they need on open connections, on the busiest machine. */
const LIMIT_MS = 5000;
/** Four of each sender. */
const REQUESTS = 20;

/** Prints how all requests ended, how one more of each sender did, and what the breakers have heard. */
const PROGRAM = `
import { existsSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { retry } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { createFetch as light } from 'rejitter/light/fetch';
import { breaker, protect } from 'rejitter/protection';

const { ORIGIN, BLOCKED, ANSWERED } = process.env;
const circuit = () => protect(breaker({ minimumCalls: 2 }));
const protections = [circuit(), circuit(), circuit(), circuit()];
const [attempt, total, calls, silence] = protections;
const read = async ({ signal, watch }, url) => {
  const response = await fetch(url, { signal });
  for await (const _ of watch(response.body));
  return response;
};
const senders = {
  attemptTimeoutMs: createFetch({ attemptTimeoutMs: ${LIMIT_MS}, maxAttempts: 1, protection: attempt }),
  totalTimeoutMs: createFetch({ totalTimeoutMs: ${LIMIT_MS}, protection: total }),
  retry: (url) => retry(({ signal }) => fetch(url, { signal }),
    { attemptTimeoutMs: ${LIMIT_MS}, maxAttempts: 1, protection: calls }),
  parts: (url) => retry((attempt) => read(attempt, url),
    { idleTimeoutMs: ${LIMIT_MS}, maxAttempts: 1, protection: silence }),
  light: light({ attemptTimeoutMs: ${LIMIT_MS}, maxAttempts: 1 }),
};
const ask = (send, path) => send(ORIGIN + path).then(({ status }) => status, ({ name }) => name);
// Opens the connections.
await Promise.all(Array.from({ length: ${REQUESTS} }, () => fetch(ORIGIN + '/more').then((answer) => answer.text())));
const cell = new Int32Array(new SharedArrayBuffer(4));
if (BLOCKED)
  fetch(ORIGIN + '/all').then(() => {
    const due = performance.now() + ${LIMIT_MS + 500};
    writeFileSync(BLOCKED, '');
    while (!existsSync(ANSWERED) || performance.now() < due) Atomics.wait(cell, 0, 0, 20);
  });
const results = await Promise.all(Object.entries(senders).map(async ([name, send]) => {
  const ends = await Promise.all(['/1', '/2', '/3', '/hangs'].map((path) => ask(send, '/' + name + path)));
  return [name, [...ends, await ask(send, '/more')]];
}));
const heard = protections.map((each) => each.status().breaker).map(({ state, failures }) => [state, failures]);
console.log(JSON.stringify({ ...Object.fromEntries(results), heard }));
process.exit(0);
`;
const ENDS = [200, 200, 200, 'TimeoutError', 200];
const EXPECTED = {
  ...{ attemptTimeoutMs: ENDS, totalTimeoutMs: ENDS, retry: ENDS, parts: ENDS, light: ENDS },
  heard: Array(4).fill(['closed', 0]),
};
/** The rest of an answer comes later than what the host is given to read. */
const REST_MS = 200;

const out = join(process.env.REJITTER_TARGET_DIR || join(repo, 'target'), 'hosts');
const HOSTS = {
  'Node 20': async () => [await nodes(out)(20)],
  'Node 26': async () => [await nodes(out)(26)],
  Deno: async () => [await denoIn(out), 'run', '--allow-all', '--no-prompt'],
  Bun: async () => [BUN_PROGRAM],
};

const running = new Set();
after(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Stops the process by a signal, until the answers are in its sockets. */
const stops = () => ({
  async around(child, answer) {
    child.kill('SIGSTOP');
    // At least as long as the limits, which began before.
    await new Promise((done) => setTimeout(done, LIMIT_MS + 500));
    await answer();
    child.kill('SIGCONT');
  },
});

/** Has the process block its event loop. */
function blocks(dir) {
  const [BLOCKED, ANSWERED] = ['blocked', 'answered'].map((name) => join(dir, name));
  return {
    env: { BLOCKED, ANSWERED },
    async around(_, answer, all) {
      all.end();
      await until('the process blocks', () => existsSync(BLOCKED));
      await answer();
      writeFileSync(ANSWERED, '');
    },
  };
}

// They wait most of the time.
describe('all hosts', { concurrency: true }, async () => {
  for (const [host, commandOf] of Object.entries(HOSTS)) {
    const [command, ...args] = await commandOf();
    for (const [way, wayOf] of Object.entries({ 'was stopped': stops, 'has blocked': blocks }))
      test(`${host}: answers that came while the process ${way} count, and its timeouts tell nothing`, async () => {
        const dir = project('stopped', { 'main.mjs': PROGRAM });
        const { env, around } = wayOf(dir);
        const held = [];
        let all;
        let child;
        const { origin, close } = await listen((request, response) => {
          if (request.url.endsWith('/more')) return response.end('more');
          if (request.url === '/all') all = response;
          else held.push({ url: request.url, response });
          if (held.length < REQUESTS || (env && !all)) return undefined;
          const answered = held.filter(({ url }) => !url.endsWith('/hangs'));
          const parts = answered.filter(({ url }) => url.startsWith('/parts'));
          const answer = ({ url, response }) =>
            url.startsWith('/parts')
              ? new Promise((done) => void response.write('part', done))
              : once(response.end('answer'), 'finish');
          const rest = () => {
            for (const { response } of parts) response.end();
          };
          return around(child, () => Promise.all(answered.map(answer)), all).then(() => setTimeout(rest, REST_MS));
        });
        child = spawn(command, [...args, join(dir, 'main.mjs')], {
          env: { ...process.env, ORIGIN: origin, NODE_OPTIONS: undefined, ...env },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        running.add(child);
        let printed = '';
        child.stdout.setEncoding('utf8').on('data', (text) => {
          printed += text;
        });
        await once(child, 'close');
        running.delete(child);
        close();
        assert.deepEqual(JSON.parse(printed), EXPECTED);
      });
  }
});
