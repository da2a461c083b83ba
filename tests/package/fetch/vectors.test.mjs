// Scripted requests (tests/vectors/fetch.json): what createFetch sends again, how long it waits, and how it ends. Each row
// is run with the request as a text, a URL and a Request, and with the options of the function and of the call.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { underClock } from '../lib/clock.mjs';
import { importPackage, repo } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';

const { createFetch, fetchWithRetry } = await importFetch();
const { retryReport } = await importPackage();
const groups = JSON.parse(readFileSync(join(repo, 'tests', 'vectors', 'fetch.json'), 'utf8'));

/** Ways to send a request, by what calls the inner fetch. */
const FORMS = {
  text: (inner, options, url, init) => createFetch(options, inner)(url, init),
  URL: (inner, options, url, init) => createFetch(options, inner)(new URL(url), init),
  // A Request does not show the source of its body: with one, nothing proves that it was not sent.
  Request: (inner, options, url, { body, ...init }) => createFetch(options, inner)(new Request(url, init)),
  'options of the call': (inner, retry, url, init) => createFetch({}, inner)(url, { ...init, retry }),
  async fetchWithRetry(inner, retry, url, init) {
    const { fetch } = globalThis;
    globalThis.fetch = inner;
    try {
      return await fetchWithRetry(url, { ...init, retry });
    } finally {
      globalThis.fetch = fetch;
    }
  },
};

const failureOf = ({ message = 'x', all, ...fields }) =>
  all
    ? Object.assign(new AggregateError(all.map(failureOf)), { code: all[0].code })
    : Object.assign(new Error(message), fields);

/** A status, a response with headers, or a failure: the cause of `fetch failed`, or bare, as of Deno and Bun. */
function answerOf(answer) {
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

async function check(form, row) {
  const { url = 'http://192.0.2.1/', method, redirect = 'follow', headers, random, hint, retryOn } = row;
  const answers = [];
  const inner = async () => {
    const answer = answerOf(row.answers[Math.min(answers.length, row.answers.length - 1)]);
    answers.push(answer);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const options = {
    ...row.options,
    ...(row.options?.maxRetryAfterMs && { maxRetryAfterMs: Number(row.options.maxRetryAfterMs) }),
    ...(random !== undefined && { random: () => random }),
    ...(hint !== undefined && { hint: () => hint }),
    ...(retryOn !== undefined && { retryOn: () => retryOn }),
  };
  const body = /^(?:get|head)$/i.test(method) ? undefined : 'x';
  const { value, error, clock } = await underClock(() =>
    FORMS[form](inner, options, url, { method, redirect, headers, body }),
  );
  const about = `${form}, ${JSON.stringify({ ...row, method })}`;
  assert.equal(answers.length, row.calls, about);
  const last = answers.at(-1);
  if (typeof row.ends === 'number') assert.equal(value?.status, row.ends, `${about}: ${error}`);
  else if (row.ends !== undefined) assert.equal(error?.name, row.ends, about);
  if (row.status !== undefined) assert.deepEqual([error.status, error.response], [row.status, last], about);
  // The response or the failure itself, and a body that is the caller's to read.
  else if (row.reason !== 'callback') assert.equal(value ?? error, last, about);
  if (last instanceof Response && row.reason !== 'callback') assert.equal(last.bodyUsed, false, about);
  if (row.waits !== undefined) assert.deepEqual(clock.delays, row.waits, about);
  if (row.reason !== undefined) {
    const { reason, hintMs } = retryReport(value ?? error);
    assert.deepEqual([reason, hintMs], [row.reason, row.hintMs ?? hintMs], about);
  }
}

for (const { name, rows } of groups) {
  test(name, async () => {
    for (const row of rows) {
      for (const each of expanded(row)) for (const form of Object.keys(FORMS)) await check(form, each);
    }
  });
}
