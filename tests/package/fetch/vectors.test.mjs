// Scripted requests (tests/vectors/fetch.json): what createFetch sends again, how long it waits, and how it ends. Each row
// is run with the request as a text, a URL and a Request, and with the options of the function and of the call. The
// createFetch of rejitter/light/fetch runs the rows whose options it has.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { OBSERVERS, fails } from '../lib/callbacks.mjs';
import { underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, vectors } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';

const large = await importFetch();
const light = await importEntry('light/fetch');
const { HttpStatusError } = large;
const { RetryError, retryReport } = await importPackage();
const groups = vectors('fetch');

/** Ways to send a request with either entry, by what calls the inner fetch. */
const FORMS = {
  text: ({ createFetch }, inner, options, url, init) => createFetch(options, inner)(url, init),
  URL: ({ createFetch }, inner, options, url, init) => createFetch(options, inner)(new URL(url), init),
  // A Request does not show the source of its body: with one, nothing proves that it was not sent.
  Request: ({ createFetch }, inner, options, url, { body, ...init }) =>
    createFetch(options, inner)(new Request(url, init)),
  'options of the call': ({ createFetch }, inner, retry, url, init) => createFetch({}, inner)(url, { ...init, retry }),
  async fetchWithRetry({ fetchWithRetry }, inner, retry, url, init) {
    const { fetch } = globalThis;
    globalThis.fetch = inner;
    try {
      return await fetchWithRetry(url, { ...init, retry });
    } finally {
      globalThis.fetch = fetch;
    }
  },
};

/** Bodies by their names; the last two are made by a function that fails. */
const BODIES = {
  stream: () => new Blob(['x']).stream(),
  throws: () => fails(new TypeError('fetch failed')),
  rejects: () => () => Promise.reject(new TypeError('fetch failed')),
};

const failureOf = ({ message = 'x', all, ...fields }) =>
  all
    ? Object.assign(new AggregateError(all.map(failureOf)), { code: all[0].code })
    : Object.assign(new Error(message), fields);

/** A status, a response with headers, or a failure: the cause of `fetch failed`, or bare, as of Deno and Bun. */
function answerOf(answer) {
  if (answer === 'hangs') return answer;
  const { status, bare, ...rest } = typeof answer === 'number' ? { status: answer } : answer;
  if (status !== undefined) return new Response([204, 304].includes(status) ? null : 'x', { status, headers: rest });
  return bare
    ? Object.assign(new TypeError(bare), rest)
    : Object.assign(new TypeError('fetch failed'), { cause: failureOf(rest) });
}

/** The rows of a row: each of its statuses with each of its methods. */
const expanded = ({ each, with: headers, methods = ['GET'], ...row }) =>
  methods.flatMap((method) =>
    each === undefined
      ? [{ ...row, method }]
      : each.map((status) => ({ ends: status, ...row, method, answers: [{ status, ...headers }, 200] })),
  );

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** An inner fetch that plays the answers of a row, and keeps the calls that it got. */
function innerOf(row, form) {
  const calls = [];
  const inner = (input, init) => {
    const answer = answerOf(row.answers[Math.min(calls.length, row.answers.length - 1)]);
    const signal = init?.signal ?? input.signal;
    calls.push({ answer, headers: new Headers(init?.headers ?? input.headers), signal, begunAborted: signal?.aborted });
    if (answer === 'hangs')
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (!(answer instanceof Error)) return Promise.resolve(answer);
    // An inner fetch may throw as well as reject.
    if (form === 'URL') throw answer;
    return Promise.reject(answer);
  };
  return { inner, calls };
}

async function check(entry, form, row) {
  const { url = 'http://192.0.2.1/', method, redirect = 'follow', mode, headers, random, hint, retryOn } = row;
  const { inner, calls } = innerOf(row, form);
  const events = [];
  const note = (name) => (event) => {
    assert.ok(Object.isFrozen(event));
    const { status, hintMs } = event;
    events.push([name, status, hintMs].filter((each) => each !== undefined).join(' '));
    return Promise.resolve();
  };
  const options = {
    ...row.options,
    ...(row.options?.maxRetryAfterMs && { maxRetryAfterMs: Number(row.options.maxRetryAfterMs) }),
    ...(random !== undefined && { random: () => random }),
    ...(hint !== undefined && { hint: () => hint }),
    ...(retryOn !== undefined && { retryOn: () => retryOn }),
    ...(row.hooks && Object.fromEntries(OBSERVERS.map((name) => [name, note(name)]))),
  };
  const body = BODIES[row.body]?.() ?? (/^(?:get|head)$/i.test(method) ? undefined : 'x');
  const duplex = row.body && 'half';
  const { value, error, clock } = await underClock(() =>
    FORMS[form](entry, inner, options, url, { method, redirect, mode, headers, body, duplex }),
  );
  const about = `${entry === light ? 'light, ' : ''}${form}, ${JSON.stringify({ ...row, method })}`;
  const last = calls.at(-1)?.answer;
  assert.equal(calls.length, row.calls, about);
  if (typeof row.ends === 'number') assert.equal(value?.status, row.ends, `${about}: ${error}`);
  else if (row.ends !== undefined) assert.equal(error?.name, row.ends, about);
  if (row.status !== undefined) checkStatus(row, error, last, about);
  // The response or the failure itself, and a body that is the caller's to read.
  else if (row.reason !== 'callback' && last !== 'hangs') assert.equal(value ?? error, last, about);
  if (last instanceof Response && row.reason !== 'callback') assert.equal(last.bodyUsed, false, about);
  if (row.waits !== undefined) assert.deepEqual(clock.delays, row.waits, about);
  if (entry === light) assert.equal(retryReport(value ?? error), undefined, about);
  else if (row.reason === null) assert.equal(retryReport(value ?? error), undefined, about);
  else if (row.reason !== undefined) {
    const { reason, hintMs } = retryReport(value ?? error);
    assert.deepEqual([reason, hintMs], [row.reason, row.hintMs ?? hintMs], about);
  }
  if (row.reason === 'callback' && !row.body)
    assert.match(error.message, /^rejitter: retryOn must return .*, got /, about);
  if (row.hooks) assert.deepEqual(events, row.hooks, about);
  if (row.key !== undefined) {
    const keys = new Set(calls.map((call) => call.headers.get(options.idempotencyHeader ?? 'idempotency-key')));
    assert.equal(keys.size, 1, about);
    if (row.key === 'uuid') assert.match([...keys][0], UUID, about);
    else assert.deepEqual([...keys], [row.key], about);
  }
  if (last === 'hangs') {
    assert.equal(new Set(calls.map(({ signal }) => signal)).size, calls.length, about);
    assert.ok(calls.every(({ begunAborted }) => !begunAborted));
  }
}

/** The error of `throwOnStatus`, by itself or in a RetryError. */
function checkStatus({ status, ends }, error, response, about) {
  const thrown = ends === 'RetryError' ? error.cause : error;
  assert.ok(thrown instanceof HttpStatusError, about);
  assert.deepEqual([thrown.status, thrown.response], [status, response], about);
  assert.match(thrown.message, new RegExp(`^rejitter: HTTP ${status}`), about);
  assert.ok(!JSON.stringify(thrown).includes('response'), about);
  if (ends !== 'RetryError') return;
  assert.ok(error instanceof RetryError, about);
  assert.equal(error.errors.at(-1), thrown, about);
  assert.equal(error.report, retryReport(error), about);
}

const LIGHT =
  'maxAttempts baseMs capMs factor jitter attemptTimeoutMs totalTimeoutMs random unref maxRetryAfterMs'.split(' ');
let lightRows = 0;

/** The row for rejitter/light/fetch; undefined if it sets anything else. `light`: it sends less, and ends with that. */
function lightRow({ light: calls, ends, waits, ...row }) {
  const known = Object.keys(row.options ?? {}).every((name) => LIGHT.includes(name));
  if (!known || ['hint', 'retryOn', 'hooks', 'status', 'key', 'body'].some((name) => row[name] !== undefined))
    return undefined;
  if (calls === undefined) return { ...row, ends, waits };
  assert.ok(calls < row.calls);
  return { ...row, calls };
}

for (const { name, rows } of groups) {
  test(name, async () => {
    for (const row of rows) {
      const forms = Object.keys(FORMS).filter(
        (form) => !row.notForms?.includes(form) && !(row.body && form === 'Request'),
      );
      for (const each of expanded(row)) {
        for (const form of forms) await check(large, form, each);
        const inLight = lightRow(each);
        if (inLight === undefined) continue;
        lightRows += 1;
        for (const form of forms.filter((form) => form !== 'options of the call')) await check(light, form, inLight);
      }
    }
  });
}

test('rejitter/light/fetch runs most rows', () => assert.ok(lightRows >= 100, `${lightRows} rows`));
