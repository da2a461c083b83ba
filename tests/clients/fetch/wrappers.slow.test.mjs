// A global fetch that is ours, or leads to ours, under what other packages lay over it: each request is sent once, and
// one of all the fetches retries it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { installed, printed } from '../../package/lib/consumer.mjs';

const name = (name) => `await import(${JSON.stringify(import.meta.resolve(name))})`;
const file = (path) => `await import(${JSON.stringify(`${pathToFileURL(join(installed, path)).href}?copy`)})`;

/** Code that lays a wrapper over `ours`, once that is the global fetch. */
const WRAPPERS = {
  'a function that passes its arguments on': 'globalThis.fetch = (...args) => ours.apply(globalThis, args);',
  'an async function that makes a Request of them': `globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    await null;
    request.headers.set('authorization', 'token');
    return ours(request);
  };`,
  'a Proxy, as of dd-trace': `globalThis.fetch = new Proxy(ours, {
    apply: (target, self, args) => Reflect.apply(target, self, args) });`,
  'the patch of Next.js': `globalThis.fetch = async (input, init) => {
    await null;
    if (typeof input === 'object' && 'method' in input) input = new Request(input.url, { headers: input.headers });
    else if (init) { const { body, signal, ...rest } = init; init = { ...rest, body, signal }; }
    return ours(input, { ...init, next: { ...init?.next, fetchType: 'origin', fetchIdx: 1 } });
  };`,
  'the instrumentation of OpenTelemetry': `globalThis.fetch = (...args) => {
    const options = args[0] instanceof Request ? new Request(args[0], args[1]) : args[1] || {};
    return new Promise((resolve, reject) => {
      ours(...(options instanceof Request ? [options] : [args[0], options])).then(resolve, reject);
    });
  };`,
  '@sentry/core': `(${name('@sentry/core')}).addFetchInstrumentationHandler(() => {});`,
  '@datadog/browser-core': `(${name('@datadog/browser-core')}).initFetchObservable().subscribe(() => {});`,
  '@vitest/spy': `spied = (${name('@vitest/spy')}).spyOn(globalThis, 'fetch');`,
  'fetch-intercept': `(${name('fetch-intercept')}).default.register({ request: async (...args) => args });`,
  msw: `(${name('msw/node')}).setupServer().listen({ onUnhandledRequest: 'bypass' });`,
  'another copy of the package': `globalThis.fetch = (${file('fetch.node.js')}).createFetch(options);`,
  'the form of other hosts': `globalThis.fetch = (${file('fetch.js')}).createFetch(options);`,
};

/** Global fetches that lead to one of ours, which was never the global fetch itself. */
const INSTEAD = {
  'a function over one that is not installed': 'globalThis.fetch = (...args) => ours(...args);',
  'an async function over one that is not installed':
    'globalThis.fetch = async (...args) => (await null, ours(...args));',
  'a function over fetchWithRetry': `globalThis.fetch = (input, init) =>
    fetchWithRetry(input, { ...init, retry: options });`,
};

/** Counts what the host's fetch gets of one request that succeeds, of one that fails, and of many. */
async function requestsOf(lay, many = 0, setUp = '') {
  const stdout = await printed(
    `const sent = { '/once': 0, '/503': 0, '/many': 0 };
    const host = globalThis.fetch = async (input, init) => {
      const { pathname } = new URL(new Request(input, init).url);
      sent[pathname]++;
      return new Response('x', { status: pathname === '/503' ? 503 : 200 });
    };
    ${setUp}
    const { createFetch, fetchWithRetry } = await import('rejitter/fetch');
    const options = { baseMs: 0, maxAttempts: 3 };
    const ours = createFetch(options);
    let spied;
    ${lay}
    if (globalThis.fetch === ours || globalThis.fetch === host) console.log('nothing lies over it');
    const statuses = [];
    for (const path of ['/once', '/503']) statuses.push((await fetch('http://x' + path)).status);
    if (spied) statuses.push(spied.mock.calls.length);
    // Another one of ours, that knows nothing yet.
    statuses.push((await createFetch(options)(new Request('http://x/503'))).status);
    const heap = [];
    for (let i = 1; i <= ${many}; i++) {
      await (await fetch('http://x/many')).text();
      spied?.mockClear();
      if (i % 200 === 0) { await new Promise(setImmediate); gc(); heap.push(process.memoryUsage().heapUsed); }
    }
    if (heap[1] - heap[0] > 1e6) console.log('heap', heap);
    console.log(JSON.stringify([statuses.join(), ...Object.values(sent)]));
    process.exit();`,
    { flags: ['--expose-gc', '--max-old-space-size=200'] },
  );
  return JSON.parse(stdout);
}

/**
 * Code that makes `ours` and lays something over it, and which functions a request by ours goes through, the first and
 * the second: inner.js decides. `via` makes a function that leads to the next one, or answers.
 */
const DECISIONS = [
  ["ours = createFetch({}, via('given')); globalThis.fetch = via('mock');", 'given'],
  ['ours = createFetch();', 'real'],
  ["ours = createFetch(); globalThis.fetch = via('mock');", 'mock'],
  ['globalThis.fetch = ours = createFetch();', 'real'],
  ['globalThis.fetch = createFetch(); ours = createFetch();', 'real'],
  ['ours = createFetch(); globalThis.fetch = createFetch();', 'real'],
  ["globalThis.fetch = ours = createFetch(); await null; globalThis.fetch = via('wrapper', ours);", 'real'],
  [
    "globalThis.fetch = ours = createFetch(); await null; ours = globalThis.fetch = via('wrapper', ours);",
    'wrapper real',
  ],
  // It learns that the wrapper leads to it.
  ["ours = createFetch(); globalThis.fetch = via('wrapper', ours);", 'wrapper real', 'real'],
];
for (const [entry, rows] of [
  ['fetch', DECISIONS],
  // It does not learn.
  ['light/fetch', DECISIONS.slice(0, -1)],
])
  test(`which fetch sends a request of rejitter/${entry}`, async () => {
    const stdout = await printed(`
    import { createFetch } from 'rejitter/${entry}';
    let log = [];
    const via = (name, next = () => new Response()) => async (...args) => (log.push(name), next(...args));
    const real = via('real');
    const seen = [];
    for (const make of [${rows.map(([make]) => `async (ours) => { ${make} return ours; }`)}]) {
      globalThis.fetch = real;
      const ours = await make();
      const sent = [];
      for (const path of ['1', '2']) {
        log = [];
        await ours('http://x/' + path);
        sent.push(log.join(' '));
      }
      seen.push(sent);
    }
    console.log(JSON.stringify(seen));`);
    const found = JSON.parse(stdout);
    for (const [i, [make, first, second = first]] of rows.entries()) assert.deepEqual(found[i], [first, second], make);
  });

for (const [wrapper, lay] of Object.entries(WRAPPERS)) {
  test(`the global fetch is ours, under ${wrapper}`, async () => {
    const later = `globalThis.fetch = ours;\nawait null;\n${lay}`;
    const spied = wrapper === '@vitest/spy' ? '200,503,2,503' : '200,503,503';
    assert.deepEqual(await requestsOf(later, 400), [spied, 1, 6, 400]);
    // Laid before anything could see that ours was the global one: the wrapper is called twice, once.
    const atOnce = `globalThis.fetch = ours;\n${lay}`;
    assert.deepEqual((await requestsOf(atOnce)).slice(1), [1, 6, 0]);
  });
}

for (const [wrapper, lay] of Object.entries(INSTEAD)) {
  test(`the global fetch is ${wrapper}`, async () => {
    assert.deepEqual(await requestsOf(lay, 400), ['200,503,503', 1, 6, 400]);
  });
}

test('where the host does not follow asynchronous calls, a request is sent once, too', async () => {
  const lay = INSTEAD['an async function over one that is not installed'];
  const setUp = 'process.getBuiltinModule = undefined;';
  assert.deepEqual((await requestsOf(lay, 0, setUp)).slice(0, 2), ['200,503,503', 1]);
});
