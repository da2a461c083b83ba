// The blocks of docs/recipes.md, and those of the guide for pages: run with the packages that they need, against
// servers that fail twice. And the types of all programs.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { after, test } from 'node:test';

import { until } from '../../package/lib/until.mjs';
import { withGlobals } from '../../package/lib/clock.mjs';
import { repo } from '../../package/lib/consumer.mjs';
import { documents } from '../../package/lib/readers.mjs';
import { GROUPS } from '../hosts/groups/all.mjs';
import { clients, packaged } from '../lib/packages.mjs';
import { importPasted, still, underClock } from '../lib/pasted.mjs';
import { checkFiles, javaScript, program, serve } from '../lib/programs.mjs';

const PAGES = ['recipes', 'guide/page'].map((name) => documents.get(`docs/${name}.md`)).join('\n');
/** The recipes that rows of the table of hosts run and type-check. */
const IN_HOSTS = GROUPS.flatMap(({ rows }) => rows).map(({ recipe }) => recipe);
const MARKS = ['react', 'tokens', ...Array.from(PAGES.matchAll(/^```tsx? (.+)$/gm), ([, name]) => name)];
const NAMES = MARKS.filter((name) => !IN_HOSTS.includes(name));
const ran = new Set();

/**
 * Runs a recipe while global names are replaced. `use` gets its exports and the virtual clock. The clock runs until
 * `use` is done, or `use` moves it.
 */
const using = (name, globals, use, time = still) =>
  withGlobals(globals, async () => {
    ran.add(name);
    const code = await javaScript(program(name), 'tsx');
    return time(async (clock) => use(await importPasted(code), clock));
  });

/** For what has sockets or timers of its own. */
const inRealTime = (body) => body();

/**
 * A fetch that answers 503 twice, then this, and so on, and to `/404` what that says. `sent` returns the requests: each
 * was sent three times, with one key if it has one.
 */
function twice() {
  const seen = [];
  const fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.url.endsWith('/404')) return new Response('none', { status: 404 });
    const key = request.headers.get('idempotency-key');
    seen.push({ line: `${request.method} ${request.url}`, key, body: await request.text() });
    return seen.length % 3 === 0
      ? Response.json({ name: 'Ada', data: { user: 'Ada' } })
      : new Response('later', { status: 503, headers: { 'retry-after': '3' } });
  };
  const sent = () => {
    const each = seen.filter((_, i) => i % 3 === 0);
    for (const [i, request] of seen.entries()) assert.deepEqual(request, each[Math.floor(i / 3)]);
    for (const { key } of each) if (key !== null) assert.match(key, /^[\da-f-]{36}$/);
    return each.map(({ line, key }) => `${line}${key === null ? '' : ', with a key'}`);
  };
  return { fetch, seen, sent };
}

const ORIGIN = 'https://example.com';

/** Recipes whose requests fail twice: how each is used. Returns what it sends. */
const SENDING = {
  async tanstack({ client, user }) {
    assert.equal((await client.fetchQuery(user(7))).name, 'Ada');
    client.clear();
    return [`GET ${ORIGIN}/users/7`];
  },
  /** A POST is repeated by our fetch, and not by theirs. */
  async ai({ openai, anthropic }) {
    const request = { model: 'x', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };
    assert.equal((await openai.chat.completions.create(request)).name, 'Ada');
    assert.equal((await anthropic.messages.create(request)).name, 'Ada');
    return ['POST https://api.openai.com/v1/chat/completions', 'POST https://api.anthropic.com/v1/messages'];
  },
  /** Retried below, once, with one key; their errors stay theirs. */
  async 'axios and ky'({ api, http }, seen) {
    assert.equal((await api.post(`${ORIGIN}/axios`, { item: 7 })).data.name, 'Ada');
    assert.equal((await http.post(`${ORIGIN}/ky`, { json: { item: 8 } }).json()).name, 'Ada');
    await assert.rejects(api.get(`${ORIGIN}/404`), { name: 'AxiosError' });
    await assert.rejects(http.get(`${ORIGIN}/404`), { name: 'HTTPError' });
    assert.deepEqual([seen[0].body, seen[3].body], ['{"item":7}', '{"item":8}']);
    return [`POST ${ORIGIN}/axios, with a key`, `POST ${ORIGIN}/ky, with a key`];
  },
  async graphql({ queries, mutations }) {
    assert.equal((await queries.request('{ user }')).user, 'Ada');
    assert.equal((await mutations.request('mutation { user }')).user, 'Ada');
    queries.requestConfig.method = 'GET';
    assert.equal((await queries.request('{ user }')).user, 'Ada');
    const byGet = `GET ${ORIGIN}/graphql?query=%7B+user+%7D`;
    return [`POST ${ORIGIN}/graphql`, `POST ${ORIGIN}/graphql, with a key`, byGet];
  },
  /** Requests to the API are answered, others left alone. */
  async 'service worker'() {
    const ask = (url) => {
      let answer;
      listeners.fetch({ request: new Request(url), respondWith: (promise) => (answer = promise) });
      return answer;
    };
    assert.equal(ask(`${ORIGIN}/logo.svg`), undefined);
    assert.equal((await ask(`${ORIGIN}/api/users/7`)).status, 200);
    return [`GET ${ORIGIN}/api/users/7`];
  },
};
const listeners = {};
const self = { addEventListener: (type, listener) => (listeners[type] = listener) };

for (const [name, use] of Object.entries(SENDING))
  test(`${name}: each request is sent three times, and answered`, async () => {
    Object.assign(process.env, { OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x' });
    const { fetch, seen, sent } = twice();
    await using(name, { fetch, self }, async (exports) => assert.deepEqual(await use(exports, seen), sent()));
  });

test('TanStack Query: the waits are those of the policy', async () => {
  await using('tanstack delays', {}, async ({ client }, clock) => {
    const times = [];
    const queryFn = async () => {
      times.push(clock.now);
      throw new Error('down');
    };
    await assert.rejects(client.fetchQuery({ queryKey: ['x'], queryFn }), /down/);
    assert.equal(times.length, 4);
    for (const [i, most] of [1000, 2000, 4000].entries()) assert.ok(times[i + 1] - times[i] <= most, times.join());
    client.clear();
  });
});

test('React: the component shows when the next attempt is due, and stops when it is unmounted', async () => {
  const { fetch, seen } = twice();
  const { act, createElement } = await import('react');
  const { create } = await import('react-test-renderer');
  // react-test-renderer calls itself deprecated; nothing else renders without a DOM.
  const own = console.error;
  const error = (text, ...rest) => /deprecated/.test(text) || own(text, ...rest);
  const use = async ({ User }, clock) => {
    let root;
    const mount = () => act(async () => (root = create(createElement(User, { id: 7 }))));
    const unmount = () => act(async () => root.unmount());
    await mount();
    const shown = [];
    for (let i = 0; i < 100 && shown.at(-1) !== 'Ada'; i += 1) {
      const text = [root.toJSON()].flat().join('');
      if (text !== shown.at(-1)) shown.push(text);
      await act(() => clock.advance(250));
    }
    // A wait is 3 to 4.5 s: what the server asks for, spread upwards. It is shown up to 250 ms late.
    const countdown = '(loading,)?(retrying in [54] s,)*retrying in 3 s,retrying in 2 s,retrying in 1 s,';
    assert.match(shown.join(), new RegExp(`^(${countdown}){2}(loading,)?Ada$`));
    assert.equal(seen.length, 3);
    await unmount();
    await mount();
    assert.equal(seen.length, 4);
    await unmount();
    await act(() => clock.advance(60_000));
    assert.equal(seen.length, 4, 'an unmounted component goes on');
    assert.equal(clock.pending, 0);
  };
  const globals = { fetch, IS_REACT_ACT_ENVIRONMENT: true, console: { ...console, error } };
  await using('react', globals, use, underClock);
});

test('quota: an exhausted account is not asked again, a rate limit is', async () => {
  for (const [code, calls] of Object.entries({ insufficient_quota: 1, rate_limit_exceeded: 6 })) {
    let sent = 0;
    const fetch = async () => {
      sent += 1;
      return Response.json({ error: { code } }, { status: 429 });
    };
    await using('quota', { fetch }, async ({ retried: send }) => {
      const response = await send(`${ORIGIN}/answers`, { method: 'POST', body: 'x' });
      assert.equal((await response.json()).error.code, code);
    });
    assert.equal(sent, calls);
  }
});

test('Polls: more jobs than the budget has tokens are asked for until they are done, or the time is up', async () => {
  const asked = new Map();
  const fetch = async (url) => {
    const times = (asked.get(url) ?? 0) + 1;
    asked.set(url, times);
    return Response.json({ state: times > 4 && !url.endsWith('/never') ? 'done' : 'pending' });
  };
  await using('polls', { fetch }, async ({ finished }, clock) => {
    const ids = Array.from({ length: 100 }, (_, i) => `${i}`);
    for (const { state } of await Promise.all(ids.map(finished))) assert.equal(state, 'done');
    assert.deepEqual([...asked.values()], Array(100).fill(5));
    assert.ok(clock.now >= 4 * 500 && clock.now <= 4 * 1000, `${clock.now} ms`);
    await assert.rejects(finished('never'), ({ name, reason, result }) => {
      assert.deepEqual([name, reason, result], ['RetryError', 'deadline', { state: 'pending' }]);
      return true;
    });
  });
  const times = asked.get('https://example.com/jobs/never');
  assert.ok(times >= 60 && times <= 120, `${times} times`);
});

test('Polls: a server that fails is asked less', async () => {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    return new Response('', { status: 503 });
  };
  await using('polls', { fetch }, async ({ finished }) => {
    const ends = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => finished(`${i}`)));
    for (const { status, reason } of ends) assert.deepEqual([status, reason.status], ['rejected', 503]);
  });
  assert.ok(requests <= 150, `${requests} requests`);
});

test('Tokens: one refresh for all calls that met the expired token; a second 401 is not retried', async () => {
  const seen = [];
  const fetch = async (url, { method = 'GET', headers }) => {
    seen.push(`${method} ${new URL(url).pathname} ${headers?.authorization ?? ''}`.trim());
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (method === 'POST') return new Response('new');
    const expired = headers.authorization !== 'Bearer new' || url.endsWith('/secret');
    return expired ? new Response('', { status: 401 }) : Response.json('Ada');
  };
  await using('tokens', { fetch }, async ({ load }) => {
    const names = await Promise.all(Array.from({ length: 100 }, (_, i) => load(`/users/${i}`)));
    assert.deepEqual(names, Array(100).fill('Ada'));
    assert.equal(seen.length, 201);
    assert.equal(seen.filter((line) => line === 'POST /token').length, 1);
    await assert.rejects(load('/secret'), { status: 401 });
  });
  assert.deepEqual(seen.slice(201), ['GET /secret Bearer new', 'POST /token', 'GET /secret Bearer new']);
});

test('undici: a dispatcher with a connect timeout', async () => {
  const seen = [];
  const server = await serve(({ url }) => ({ status: seen.push(url) < 3 ? 503 : 200, text: '{"name":"Ada"}' }));
  after(server.close);
  const code = program('undici').replace('https://example.com', server.url);
  const { response, dispatcher } = await still(() => importPasted(`${code}\nexport { response, dispatcher };`));
  assert.deepEqual([response.status, await response.json()], [200, { name: 'Ada' }]);
  assert.deepEqual(seen, Array(3).fill('/data.json'));
  await dispatcher.close();
});

test('AWS SDK: server errors are retried, errors of the caller are not', async () => {
  const seen = [];
  const s3 = await serve(({ url }) => {
    seen.push(url.split('?')[0]);
    return { status: url.includes('none') ? 404 : [429, 503, 200][seen.length - 1], headers: { etag: 'x' }, text: '' };
  });
  after(s3.close);
  const key = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  Object.assign(process.env, { AWS_ENDPOINT_URL: s3.url, AWS_REGION: 'x', ...key });
  const use = async ({ load }) => {
    assert.equal((await load('7.jpg')).ETag, 'x');
    await assert.rejects(load('none'), ({ $metadata }) => $metadata.httpStatusCode === 404);
  };
  await using('aws', {}, use, inRealTime);
  assert.deepEqual(seen, [...Array(3).fill('/photos/7.jpg'), '/photos/none']);
});

/** Each framework's service, which answers requests that may be aborted. */
const SERVICES = {
  hono: async ({ app }) => ({ ask: (signal) => app.request('/users/7', { signal }), end() {} }),
  fastify: async ({ app }) => {
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    return { ask: (signal) => fetch(`${address}/users/7`, { signal }), end: () => app.close() };
  },
  nest: async ({ App }) => {
    await import('reflect-metadata');
    const { NestFactory } = await import('@nestjs/core');
    const app = await NestFactory.create(App, { logger: false });
    await app.listen(0, '127.0.0.1');
    const address = await app.getUrl();
    return { ask: (signal) => fetch(`${address}/users/7`, { signal }), end: () => app.close() };
  },
};

for (const [name, start] of Object.entries(SERVICES))
  test(`${name}: a service retries, answers while its circuit is open, and ends what its client gives up`, async () => {
    const seen = [];
    let answer = () => ({ status: seen.length < 3 ? 503 : 200, text: '{"name":"Ada"}' });
    const upstream = await serve((request) => {
      seen.push(request.url);
      return answer(request);
    });
    after(upstream.close);
    process.env.API = upstream.url;
    await using(
      name,
      {},
      async (exports) => {
        const { ask, end } = await start(exports);
        assert.deepEqual(await (await ask()).json(), { name: 'Ada' });
        assert.deepEqual(seen, Array(3).fill('/users/7'));

        // Nest's signals are not those of its requests.
        if (name !== 'nest') {
          let hungUp;
          answer = ({ socket }) => new Promise((done) => (hungUp = new Promise((gone) => socket.once('close', gone))));
          const aborter = new AbortController();
          const asked = assert.rejects(async () => {
            const response = await ask(aborter.signal);
            // Hono answers whatever its handler throws.
            if (response.status === 502) throw new Error('aborted');
          });
          await until('a request', () => hungUp !== undefined);
          aborter.abort();
          await Promise.all([asked, hungUp]);
        }

        answer = () => ({ status: 503 });
        await until('an open circuit', async () => {
          const before = seen.length;
          const { status } = await ask();
          return status === 503 && seen.length === before;
        });
        await end();
      },
      inRealTime,
    );
  });

test('every recipe ran', () => {
  for (const name of NAMES) assert.ok(ran.has(name), name);
});

// The types of all recipes, and of the programs that other tests run, in strict projects.

/** The settings of the demo page, a project of Vite. */
const VITE = { ...JSON.parse(readFileSync(join(repo, 'www/tsconfig.json'), 'utf8')).compilerOptions, jsx: 'react-jsx' };
const STRICT = { exactOptionalPropertyTypes: true, noImplicitOverride: true };
const typeRoots = [packaged('@types'), packaged('@cloudflare')];
const PROJECTS = [
  ['service worker', { ...VITE, lib: ['ES2023', 'WebWorker'], types: [] }],
  [
    NAMES.filter((name) => name !== 'service worker').join(),
    { ...VITE, types: ['node'], experimentalDecorators: true },
  ],
  ['pino,prom-client,cli,service,opentelemetry,bullmq,pg-boss,postgres,websocket,events', {}],
  ['redis-subscriber,postgres-listen,mqtt,grpc-stream', {}],
  ['answer,answer-by-fetch,background,agent,purse,pings,claude', STRICT],
  ['last-event-id,upload,batch,batches', STRICT],
  ['fleet,fleet of ten', STRICT],
  ['charge,inngest,lambda,sqs,temporal-activities,temporal-workflow', STRICT],
  // The package `workflow` hands on what this one has, and its tools for bundlers.
  ['charge,vercel', { ...STRICT, paths: { workflow: [packaged('@workflow/core/dist/index.d.ts')] } }],
  [
    'charge,cloudflare-workflow,cloudflare-queue,fleet-object',
    { ...STRICT, lib: ['es2022'], types: ['node', 'workers-types'], typeRoots },
  ],
];

for (const [names, options] of PROJECTS)
  test(`types in a strict project: ${names}`, () => {
    const type = options.jsx ? 'tsx' : 'mts';
    const files = names.split(',').map((name) => [`${name.replaceAll(' ', '-')}.${type}`, program(name)]);
    return checkFiles(Object.fromEntries(files), files.map(([, text]) => text).join('\n'), options);
  });

const DASHBOARD = readFileSync(join(repo, 'docs/grafana.json'), 'utf8');

test('the dashboard follows the schema of Grafana', () => {
  // JSON has the texts of its enumerations.
  const text = `import type { Dashboard } from '@grafana/schema';
    type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
    export const dashboard = ${DASHBOARD.trim()} satisfies Plain<Dashboard>;`;
  return checkFiles({ 'dashboard.mts': text }, "import {} from '@grafana/schema'; import {} from 'node';");
});

test('the dashboard queries what the program of the page counts', () => {
  const counted = new Set(program('prom-client').match(/rejitter_\w+/g));
  const queried = new Set(DASHBOARD.match(/rejitter_\w+/g));
  assert.deepEqual([...queried].sort(), [...counted].sort());
});

test('each program is in a project', () => {
  const checked = PROJECTS.flatMap(([names]) => names.split(','));
  for (const file of readdirSync(join(clients, 'programs'))) assert.ok(checked.includes(parse(file).name), file);
});
