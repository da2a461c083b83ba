// The programs of the guides on a server that breaks at every step: each request of a run in turn loses its connection
// before, within or after the headers, within the body or after its last byte, or gets another answer. The run has the
// same outcome.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

import { withGlobals } from '../../package/lib/clock.mjs';
import { blocks, documents } from '../../package/lib/readers.mjs';
import { CUTS, INSTEAD, breaking, headOf, wire } from '../lib/breaks.mjs';
import { importPasted, pasted, still } from '../lib/pasted.mjs';
import { javaScript, program } from '../lib/programs.mjs';
import { programOf } from '../reconnect/kept.mjs';

const closers = [];
after(() => Promise.all(closers.map((close) => close())));
async function serving(answer) {
  const server = await breaking(answer);
  closers.push(server.close);
  return server;
}

/** Waits take a hundredth of their time. */
const { setTimeout: real, fetch: send } = globalThis;
const short = (callback, ms, ...args) => real(callback, ms < 5000 ? ms / 100 : ms, ...args);

const JOB = '{"state":"done","name":"Ada"}';
const json = () => ({ body: JOB });
const ada = JSON.parse(JOB);
/** The first token has expired. */
const guarded = ({ method, headers }) => {
  if (method === 'POST') return { body: 'new' };
  return headers.authorization === 'Bearer new' ? json() : { status: 401, body: 'expired' };
};
const [, , ...LATER] = Object.keys(CUTS);

/**
 * Programs that send requests to https://example.com: what the server answers, and how each is used. Over `createFetch`,
 * which is done when the headers have come, what breaks later is an error.
 */
const PROGRAMS = {
  polls: { answer: json, use: ({ finished }) => finished('7') },
  tokens: { answer: guarded, use: ({ load }) => load('/users/7'), requests: 3, unread: [0] },
  charge: { answer: json, use: ({ charge, policy }) => policy.run(() => charge('7')).then(JSON.parse) },
  download: { answer: json, use: ({ archive }) => JSON.parse(Buffer.from(archive)) },
  tanstack: { answer: json, use: ({ client, user }) => client.fetchQuery(user(7)), fails: LATER },
  'axios and ky': { answer: json, use: ({ http }) => http.get('https://example.com/7').json(), fails: LATER },
};
const [{ code: DOWNLOAD }] = blocks(documents.get('docs/guide/cli.md'));
/** Without the variable that other tests set. */
const textOf = (name) =>
  name === 'download' ? `${DOWNLOAD}\nexport { archive };` : program(name).replace('process.env.PAYMENTS ?? ', '');

for (const [name, { answer, use, requests = 1, unread = [], fails = [] }] of Object.entries(PROGRAMS))
  test(`${name}: it survives a break at each of its requests`, async () => {
    const server = await serving(answer);
    const code = await javaScript(textOf(name));
    const fetch = async (input, init) => {
      const request = new Request(input, init);
      return send(new Request(request.url.replace('https://example.com', server.origin), request));
    };
    const outcome = (breaks) => {
      server.reset(breaks);
      const used = async () => use(await importPasted(code));
      return withGlobals({ fetch, setTimeout: short }, () => used().catch(({ name }) => name));
    };
    assert.deepEqual([await outcome([]), server.requests.length], [ada, requests]);
    for (const [how, broken] of [...Object.entries(CUTS), ...Object.entries(INSTEAD)])
      for (let nth = 0; nth < requests; nth += 1) {
        const got = await outcome([...Array(nth), broken]);
        const more = LATER.includes(how) && unread.includes(nth) ? 0 : 1;
        if (fails.includes(how)) assert.equal(typeof got, 'string', how);
        else assert.deepEqual([got, server.requests.length], [ada, requests + more], `${how}, at request ${nth}`);
      }
  });

// Tokens that expire while the operation waits: all that a server may answer, and a model of what follows.

const ANSWERS = [200, 401, 503, 'lost'];
const sequences = (length) =>
  length === 0 ? [[]] : sequences(length - 1).flatMap((sequence) => ANSWERS.map((each) => [...sequence, each]));

/** What is sent, and the end. A 401 is retried with another token, unless the one before was a 401, too. */
function expected(sequence) {
  const sent = [];
  for (const [i, answer] of sequence.entries()) {
    sent.push('GET');
    if (answer === 200) return { sent, end: 'Ada' };
    if (answer !== 401) continue;
    if (sequence[i - 1] === 401) return { sent, end: 401 };
    sent.push('POST');
  }
}

test('tokens: whenever a token expires, one is fetched; only a second 401 in a row ends it', async () => {
  const code = await javaScript(program('tokens'));
  for (const start of sequences(3)) {
    const sequence = [...start, 200];
    const sent = [];
    const rest = [...sequence];
    const fetch = async (_, { method = 'GET' }) => {
      sent.push(method);
      if (method === 'POST') return new Response(`token ${sent.length}`);
      const answer = rest.shift();
      if (answer === 'lost') throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
      return answer === 200 ? Response.json('Ada') : new Response('', { status: answer });
    };
    const load = async () => (await importPasted(code)).load('/users/7').catch(({ status }) => status);
    const end = await withGlobals({ fetch }, () => still(load));
    assert.deepEqual({ sent, end }, expected(sequence), sequence.join());
  }
});

// A stream of events that is cut after each of its bytes.

const RETRY_MS = 3;
const START = `retry: ${RETRY_MS}\n`;
const EVENTS = [
  'id: 1\ndata: one\n\n',
  ': hi\r\nid: 2\r\nevent: news\r\ndata: tw\r\ndata: o\r\n\r\n',
  'data: three\nid: 3\n\n',
];
const HEARD = ['message one', 'news tw\no', 'message three'];
const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
const LOGIN = { headers: { 'content-type': 'text/html' }, body: '<p>log in' };

test('events: wherever the stream breaks, each is heard once, and no connection comes before its time', async () => {
  const keepEvents = await programOf('events');
  const stream = (after) => ({ headers: STREAM, body: START + EVENTS.slice(after).join('') });
  const server = await serving(({ headers }) => {
    const after = Number(headers['last-event-id'] ?? 0);
    return after === EVENTS.length ? { status: 204 } : stream(after);
  });
  const whole = wire(stream(0));
  const asked = whole.indexOf(START) + START.length;
  const between = [LOGIN, ...Object.values(INSTEAD)];
  for (let cut = headOf(whole) - 1; cut < whole.length; cut += 1) {
    server.reset([() => cut, between[cut % between.length]]);
    const [heard, delays] = [[], []];
    const handle = (data, type) => heard.push(`${type} ${data}`);
    const onRetry = ({ delayMs }) => delays.push(delayMs);
    const { reason, connections } = await keepEvents(server.origin, handle, { baseMs: 0, onRetry });
    assert.deepEqual([heard, reason], [HEARD, 'finished'], `cut after ${cut}`);
    if (cut >= asked) assert.ok(delays[0] >= RETRY_MS, `cut after ${cut}: ${delays}`);
    const streams = server.requests.length - 2 - (cut < headOf(whole) ? 1 : 0);
    assert.equal(connections, streams, 'what came between, and 204, is no stream');
  }
});

// The command-line tool, on servers that store files, and answer ranges, in their own ways.

const FILE = Array.from({ length: 3000 }, (_, i) => `line ${i}\n`).join('');
const OTHER = FILE.toUpperCase();
const ONE = { etag: '"1"' };
const TWO = { etag: '"2"' };
const WEAK = { etag: 'W/"1"' };
const GZIP = { ...ONE, 'content-encoding': 'gzip' };
const all = (body, headers) => ({ headers, body });

/** The rest of a body for a request that has the right ETag, or all of it. */
function ranges({ range, 'if-range': version }, body, headers, startOf = (from) => from) {
  if (!range || version !== headers.etag) return all(body, headers);
  const size = Buffer.byteLength(body);
  const from = startOf(Number(/\d+/.exec(range)[0]));
  if (from >= size) return { status: 416, headers: { 'content-range': `bytes */${size}` } };
  const part = { ...headers, 'content-range': `bytes ${from}-${size - 1}/${size}` };
  return { status: 206, headers: part, body: Buffer.from(body).subarray(from) };
}
/** The same, whatever ETag the request has. */
const careless = ({ range }, body, headers) => ranges({ range, 'if-range': headers.etag }, body, headers);

/** What each answers to headers, and at which request. The file that is there at the end was one of its versions. */
const STORES = {
  'answers ranges': (headers) => ranges(headers, FILE, ONE),
  'answers no ranges': () => all(FILE, ONE),
  'has no ETag': (headers) => ranges(headers, FILE, {}),
  'has a weak ETag': (headers) => careless(headers, FILE, WEAK),
  'has it as gzip, with ranges of that': (headers) => ranges(headers, gzipSync(FILE), GZIP),
  'answers ranges from the start of a block': (headers) => ranges(headers, FILE, ONE, (from) => from & ~1023),
  'answers several ranges': ({ range }) =>
    range ? { status: 206, headers: { 'content-type': 'multipart/byteranges; boundary=x', ...ONE } } : all(FILE, ONE),
  'knows no range': ({ range }) => (range ? { status: 416 } : all(FILE, ONE)),
  'gets another version': (headers, nth) => (nth === 0 ? all(OTHER, ONE) : ranges(headers, FILE, TWO)),
  'mixes versions': (headers, nth) => (nth === 0 ? all(OTHER, ONE) : careless(headers, FILE, TWO)),
  'gets a shorter version': (headers, nth) => (nth === 0 ? all(OTHER + OTHER, ONE) : ranges(headers, FILE, TWO)),
};
const VERSIONS = [FILE, OTHER, OTHER + OTHER];
const WITHOUT_RANGES = /ETag|gzip/;

/** Runs the program in this process, where it is quick, and silent. Returns its exit code and what it said. */
async function download(t, code, url) {
  const dir = pasted(code);
  const { argv, exitCode } = process;
  const listeners = process.listeners('SIGINT');
  const write = t.mock.method(process.stderr, 'write', () => true).mock;
  const error = t.mock.method(console, 'error', () => {}).mock;
  Object.assign(process, { argv: [...argv.slice(0, 2), url, join(dir, 'file')], exitCode: undefined });
  await withGlobals({ setTimeout: short }, () => import(pathToFileURL(join(dir, 'main.mjs')).href));
  const said = error.calls.map(({ arguments: [text] }) => text).join('');
  const ended = process.exitCode;
  Object.assign(process, { argv, exitCode });
  for (const mock of [write, error]) mock.restore();
  for (const listener of process.listeners('SIGINT'))
    if (!listeners.includes(listener)) process.removeListener('SIGINT', listener);
  return { dir, ended, said };
}

for (const [store, answer] of Object.entries(STORES))
  test(`command-line tool: the file is whole, from a server that ${store}`, async (t) => {
    const server = await serving(({ headers }, nth) => answer(headers, nth));
    const code = await javaScript(program('cli'));
    let asked = false;
    for (const [how, cut] of Object.entries(CUTS))
      for (const breaks of [[cut], [CUTS['within the body'], cut], [cut, INSTEAD['a 503'], cut]]) {
        server.reset(breaks);
        const { dir, ended, said } = await download(t, code, server.origin);
        assert.deepEqual([ended, existsSync(join(dir, 'file.part'))], [undefined, false], `${how}: ${said}`);
        assert.ok(VERSIONS.includes(readFileSync(join(dir, 'file'), 'utf8')), how);
        assert.ok(server.requests.length <= 1 + 2 * breaks.length, how);
        asked ||= server.requests.some(({ headers }) => headers.range);
      }
    assert.equal(asked, !WITHOUT_RANGES.test(store), 'whether it asks for the rest');
  });

test('command-line tool: attempts that got a part of the file do not count', async (t) => {
  const server = await serving(({ headers }) => ranges(headers, FILE, ONE));
  // Each answer brings one half of what is missing, until nothing is left to halve.
  server.reset(Array(12).fill(CUTS['within the body']));
  const { dir, ended, said } = await download(t, await javaScript(program('cli')), server.origin);
  assert.deepEqual([ended, readFileSync(join(dir, 'file'), 'utf8')], [undefined, FILE], said);
  assert.equal(server.requests.length, 13);
  server.reset(Array(9).fill(CUTS['after the headers']));
  const none = await download(t, await javaScript(program('cli')), server.origin);
  assert.deepEqual([none.ended, server.requests.length], [1, 8]);
});
