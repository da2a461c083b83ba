// One opinion about a failure: isTransientError, isProgrammingError, and both createFetch whose inner fetch fails so.
// tests/vectors/failures.json has the rows, and codes; failures/write.mjs makes the rows of real clients.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';
import { importEntry, importPackage, repo, vectors } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';
import { operate } from '../lib/operate.mjs';
import { caught, tableIn } from '../lib/readers.mjs';
import { compare } from './failures/fetches.mjs';
import { errorsOf, misjudged, sendsAgain } from './failures/rows.mjs';
import { startFailures } from './failures/servers.mjs';

const { isProgrammingError, isTransientError, permanent, retry, retryAfter } = await importPackage();
const { createFetch } = await importFetch();
const { createFetch: light } = await importEntry('light/fetch');
const deciders = { createFetch, light, isTransientError, isProgrammingError };
const { real, made, codes } = vectors('failures');

/** What no package has: failures/fetches.mjs makes them. */
const HOST = 'the host';
/** The packages of clients whose name is another one; Prisma's needs a database of its own. */
const CLIENTS = {
  ...Object.fromEntries(['`fetch`', 'sockets', 'streams', 'DNS', 'HTTP/2'].map((name) => [name, HOST])),
  'the AWS SDK': '@aws-sdk/client-dynamodb',
  'AWS SDK': '@aws-sdk/client-sqs',
  Anthropic: '@anthropic-ai/sdk',
  Octokit: '@octokit/core',
  Elasticsearch: '@elastic/transport',
  gRPC: '@grpc/grpc-js',
  ConnectRPC: '@connectrpc/connect',
  Slack: '@slack/web-api',
  Discord: '@discordjs/rest',
  Prisma: 'Prisma',
  redis: '@redis/client',
};

/** An error of a row of codes: `$` in a text, and the number 0, stand for the code. */
const coded = (shape, code) =>
  JSON.parse(JSON.stringify(shape), (_, value) => (value === 0 ? Number(code) : (value.replace?.('$', code) ?? value)));

/** Checks what is said of each, bare and as the cause of another error. */
function classify(errors, expected, label = '') {
  for (const error of errors)
    for (const each of [error, new Error('load', { cause: error })])
      assert.equal(isTransientError(each), expected, `${label} ${error.code ?? error.name}: ${error.message}`);
}

for (const { client, shape, passing, lasting } of codes)
  test(`codes of ${client}`, () => {
    const made = (codes) => codes.map((code) => Object.assign(new Error('x'), coded(shape, code)));
    classify(made(passing), true, client);
    classify(made(lasting), false, client);
  });

const lost = Object.assign(new Error('x'), { code: 'ECONNRESET' });

test("the package's own errors: timeouts, wrapped errors and marks", async () => {
  const ending = (fn, options) => retry(fn, { maxAttempts: 1, ...options }).catch((error) => error);
  const hang = () => new Promise(() => {});
  const wrapped = await ending(fails(lost), { finalError: 'wrap' });
  classify([await ending(hang, { attemptTimeoutMs: 1 }), wrapped, retryAfter(5, new Error('x'))], true);
  classify([permanent(lost), await ending(() => undefined.x)], false);
});

for (const [name, rows] of Object.entries({ 'real clients': real, 'rows by hand': made }))
  test(`classifies failures of ${name}, bare and as a cause`, async () => {
    assert.deepEqual(await misjudged(deciders, rows), []);
  });

test('who classifies by the errors of real clients waits as their servers ask', async () => {
  const asking = real.filter(({ waitMs }) => waitMs !== undefined);
  assert.ok(asking.length >= 15);
  for (const { client, what, error: data, waitMs = 1 } of real.filter(({ transient }) => transient))
    for (const error of errorsOf(data)) {
      const options = { retryIf: isTransientError, jitter: 'none', baseMs: 1, random: () => 0, maxAttempts: 2 };
      assert.deepEqual((await operate(fails(error), options)).delays, [waitMs], `${client}, ${what}`);
    }
});

test('there are failures of every client that a page says to know', () => {
  const rows = new Set([...real, ...codes].map(({ client }) => client.split(' ')[0]));
  const pages = ['what-to-retry', 'databases'].map((name) => readFileSync(join(repo, `docs/guide/${name}.md`), 'utf8'));
  const [, list] = /knows the errors of ([^:]*), with their causes/s.exec(pages[0]) ?? [];
  const named = list.split(/,\s|\sand\s/).map((name) => name.trim().replace(/^Node's /, ''));
  const rowsOf = tableIn(pages[1], 'client').map(([cell]) => cell.replace(/ \(.*/, ''));
  assert.ok(named.length >= 20 && rowsOf.length >= 6);
  for (const name of [...named, ...rowsOf]) {
    const wanted = CLIENTS[name] ?? name.toLowerCase();
    assert.ok(wanted === HOST || rows.has(wanted), `${name}: no row of ${wanted} in failures.json`);
  }
});

test('what is transient, createFetch sends again, but for answers, which it does not get as errors', () => {
  const hasStatus = ({ status, statusCode, response, $metadata, responseCode, code }) =>
    status ?? statusCode ?? response ?? $metadata ?? responseCode ?? Number.isInteger(code);
  const less = [...real, ...made].filter(
    ({ transient, fetch, error }) => transient && fetch === false && !hasStatus(error),
  );
  assert.deepEqual(less, []);
});

test('real failures of fetch: all four are right, and a POST is sent once', async (t) => {
  const { failures, take, close } = await startFailures();
  t.after(close);
  const everywhere = failures.filter(({ world }) => !world);
  const { wrong, cells, said } = await compare(deciders, { failures: everywhere, take });
  if (process.env.SHOW) console.log(said.join('\n'));
  assert.deepEqual(wrong, []);
  assert.ok(Object.keys(cells).length >= 45);
});

const OUTERMOST = /^(fetch failed|terminated)$/;

test("V05 failures of the network are known by each engine's words, bare and as a cause; mistakes and bugs are none", async () => {
  for (const { engine, code, syscall, message, is } of vectors('network-failures')) {
    // Of Node, most are the causes of its TypeErrors.
    const isCause = engine === 'workerd' || (engine === 'Node' && is !== 'unknown' && !OUTERMOST.test(message));
    const made = isCause ? new Error(message) : new TypeError(message);
    const error = Object.assign(made, code && { code }, syscall && { syscall });
    const passes = is === 'network' || is === 'unprocessed';
    classify([error], passes);
    for (const each of [error, Object.assign(new TypeError('x'), { cause: error })])
      assert.equal(await sendsAgain(createFetch, each), passes, `${code} ${syscall} ${message}`);
  }
});

test('other values, endless chains, and objects that throw are not transient', () => {
  const circle = new Error('x');
  circle.cause = circle;
  const wide = new AggregateError([]);
  wide.errors = Array(1000).fill(wide);
  const chain = (n) => (n === 0 ? lost : new Error('x', { cause: chain(n - 1) }));
  const throwing = new Proxy({}, { get: () => assert.fail('read') });
  for (const value of [
    ...[undefined, null, 0, '', 'ECONNRESET', Symbol('x'), {}, [], circle, wide, chain(10), throwing],
    ...[new ReferenceError('x', { cause: lost }), new DOMException('x', 'NotFoundError')],
    ...[Object.assign(new Error('x'), { code: Symbol('x') }), new Error('x', { cause: throwing })],
  ])
    assert.equal(isTransientError(value), false, typeof value);
  // No engine words it so, but a TypeError by itself may be a failed fetch.
  assert.equal(isTransientError(new TypeError('x', { cause: lost })), true);
  assert.equal(isTransientError(chain(9)), true);
});

test('programming errors: TypeErrors but for failed fetches, and ReferenceErrors, of any realm', () => {
  const foreign = ['undefined.foo', 'foo'].map((code) => caught(() => runInNewContext(code)));
  const own = new (class extends TypeError {})('mine');
  for (const error of [new TypeError('x is not a function'), new ReferenceError('x'), ...foreign, own])
    assert.equal(isProgrammingError(error), true, String(error));
  const unreadable = Object.defineProperty({}, 'name', { get: fails(new Error('read')) });
  for (const error of [
    ...['fetch failed', 'Failed to fetch', 'Load failed'].map((text) => new TypeError(text)),
    ...[new Error('x'), new RangeError('x'), new DOMException('x', 'TimeoutError')],
    ...['TypeError', undefined, null, 5, unreadable, permanent(new Error('x')), retryAfter(5)],
  ])
    assert.equal(isProgrammingError(error), false, String(error?.message));
});
