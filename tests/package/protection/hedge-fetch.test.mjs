// Hedging in fetch: which requests have a hedge, and what becomes of the responses of a round.

import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { importAll, watched } from './entry.mjs';
import { hedged, make, ok as settle } from './hedging.mjs';

const { HttpStatusError, SupersededError, TimeoutError, budget, hedge, retryReport } = await importAll();

/** A response whose body is made when it is read, and says whether it was cancelled. */
function answer(status, text = 'body', headers = {}) {
  const seen = { cancelled: false, response: undefined };
  const source = {
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
    cancel() {
      seen.cancelled = true;
    },
  };
  seen.response = new Response(new ReadableStream(source, { highWaterMark: 0 }), { status, headers });
  return seen;
}

const URL_OF = 'https://example.com/things';
const ok = (call, seen) => settle(call, seen.response);

/** A fetch whose hedge has started. */
async function round(at, options, ...parts) {
  const from = performance.now();
  const made = make(options, ...parts);
  const run = watched(made.fetch(URL_OF));
  await at(from + 60);
  assert.equal(made.calls.length, 2);
  return { ...made, run, from };
}

hedged('the faster of two responses is returned, and the other request is aborted', async ({ at }) => {
  for (const which of [0, 1]) {
    const controller = new AbortController();
    const { run, calls, status } = await round(at, { signal: controller.signal });
    const good = answer(200, `answer ${which}`);
    await ok(calls[which], good);
    assert.equal(run.value, good.response);
    assert.ok(calls[1 - which].signal.reason instanceof SupersededError);
    assert.equal(calls[which].signal.aborted, false);
    assert.equal(good.cancelled, false);
    assert.equal(await run.value.text(), `answer ${which}`);
    controller.abort('enough');
    assert.equal(calls[which].signal.reason, 'enough', 'its body stays abortable by the caller');
    assert.deepEqual(status().hedge, { delayMs: 50, hedges: 1, won: which, rejected: 0 });
  }
});

hedged('only requests that ask have a hedge, as prepare left them, if the body can be sent again', async ({ at }) => {
  const stream = () => new ReadableStream({ pull: (controller) => controller.close() });
  const cases = [
    ['GET', {}, true],
    ['HEAD', {}, true],
    ['OPTIONS', {}, true],
    ['QUERY', { body: 'select' }, true],
    ['QUERY', { body: () => 'select' }, true],
    ['QUERY', { body: stream(), duplex: 'half' }, false],
    ['PUT', { body: 'text' }, false],
    ['DELETE', {}, false],
    ['POST', { body: 'text' }, false],
    ['POST', { body: 'text', retry: { idempotencyKey: 'auto' } }, false],
    ['GET', { retry: { methods: ['PUT'] } }, false],
    ['GET', { retry: { protection: false } }, false],
    ['GET', { retry: { maxAttempts: 1 } }, false],
    ['GET', { retry: { prepare: () => undefined } }, true],
    ['GET', { retry: { prepare: ({ url }) => new Request(url, { method: 'POST', body: 'order' }) } }, false],
    ['GET', { retry: { prepare: ({ url }) => new Request(url, { method: 'PUT', body: 'x' }) } }, false],
    // Not before that is known.
    ['GET', { retry: { prepare: () => new Promise((resolve) => void setTimeout(resolve, 55)) } }, false],
  ];
  for (const [method, init, hedged] of cases) {
    const from = performance.now();
    const { fetch, calls } = make();
    const run = watched(fetch(URL_OF, { method, ...init }));
    await at(from + 60);
    assert.equal(calls.length, hedged ? 2 : 1, `${method} ${inspect(init)}`);
    await ok(calls[0], answer(200));
    assert.equal(run.state, 'fulfilled');
  }
  const { fetch, calls } = make();
  watched(fetch(new Request(URL_OF, { method: 'QUERY', body: 'select' })));
  await at(performance.now() + 60);
  assert.deepEqual(await Promise.all(calls.map(({ input }) => input.text())), ['select', 'select']);
  await ok(calls[1], answer(200));
});

hedged('the last of two failed responses is the outcome of the round', async ({ at }) => {
  for (const which of [0, 1]) {
    const log = [];
    const note = (name) => [name, ({ attempt, status, hedge }) => log.push([name, attempt, status, hedge])];
    const hooks = Object.fromEntries(['onFailure', 'onRetry', 'onGiveUp'].map(note));
    const { run, calls } = await round(at, { maxAttempts: 2, ...hooks });
    const [first, last] = [answer(503), answer(502)];
    await ok(calls[which], first);
    assert.equal(first.cancelled, false);
    await ok(calls[1 - which], last);
    assert.equal(run.value, last.response);
    assert.deepEqual([first.cancelled, last.cancelled], [true, false]);
    assert.equal(await run.value.text(), 'body');
    const marks = [undefined, true];
    assert.deepEqual(log, [
      ['onFailure', which + 1, 503, marks[which]],
      ['onFailure', 2 - which, 502, marks[1 - which]],
      ['onGiveUp', 2, 502, undefined],
    ]);
  }
});

hedged('a round of failed responses is followed by one wait, for the largest hint', async ({ at }) => {
  const { run, calls } = await round(at);
  const responses = [answer(503, '', { 'retry-after-ms': '300' }), answer(503)];
  await ok(calls[0], responses[0]);
  await ok(calls[1], responses[1]);
  const cancelled = () => responses.map((each) => each.cancelled);
  assert.deepEqual(cancelled(), [true, false], 'the operation may still end with the last one');
  await at(359);
  assert.equal(calls.length, 2);
  await at(360);
  assert.equal(calls.length, 3);
  await ok(calls[2], answer(200));
  assert.equal(run.value.status, 200);
  assert.deepEqual(cancelled(), [true, true]);
});

hedged('the deadline returns the failed response of the round, unread', async ({ at }) => {
  for (const which of [0, 1]) {
    const { run, calls, from } = await round(at, { totalTimeoutMs: 200 });
    const bad = answer(503, 'sorry');
    await ok(calls[which], bad);
    await at(from + 200);
    assert.equal(run.value, bad.response);
    assert.equal(bad.cancelled, false);
    assert.equal(calls[which].signal.aborted, false);
    assert.ok(calls[1 - which].signal.reason instanceof TimeoutError);
    assert.equal(await run.value.text(), 'sorry');
  }
});

hedged('throwOnStatus: errors of both attempts, and the last one is thrown', async ({ at }) => {
  const { run, calls } = await round(at, { maxAttempts: 2, throwOnStatus: true });
  const [first, last] = [answer(500), answer(503)];
  await ok(calls[1], first);
  await ok(calls[0], last);
  assert.ok(run.error instanceof HttpStatusError);
  assert.equal(run.error.response, last.response);
  assert.deepEqual([first.cancelled, last.cancelled], [true, false]);
  assert.deepEqual(
    retryReport(run.error).records.map(({ attempt, hedge, error }) => [attempt, hedge, error.response.status]),
    [
      [1, undefined, 503],
      [2, true, 500],
    ],
  );
});

hedged('prepare is called for each attempt; what it throws for a hedge ends the round', async ({ at }) => {
  const seen = [];
  const { run, calls } = await round(at, {
    prepare: (request, { attempt }) => {
      seen.push(attempt);
      request.headers.set('x-attempt', `${attempt}`);
    },
  });
  assert.deepEqual(seen, [1, 2]);
  assert.deepEqual(
    calls.map(({ input }) => input.headers.get('x-attempt')),
    ['1', '2'],
  );
  await ok(calls[1], answer(200));
  assert.equal(run.value.status, 200);

  const thrown = new Error('no token');
  const other = make({
    prepare: (_, { attempt }) => {
      if (attempt === 2) throw thrown;
    },
  });
  const failed = watched(other.fetch(URL_OF));
  await at(130);
  assert.equal(failed.error, thrown);
  assert.ok(other.calls[0].signal.reason instanceof SupersededError);
});

hedged('a round costs what throttling costs if a response of it was a 429; a hint alone does not', async ({ at }) => {
  for (const [statuses, tokens] of [
    [[503, 503], 500 - 14 - 14],
    [[429, 503], 500 - 14 - 5],
    [[503, 429], 500 - 14 - 5],
  ]) {
    const parts = [hedge({ delayMs: 50 }), budget({ preset: 'awsSdk2026' })];
    const { run, calls, status, from } = await round(at, {}, ...parts);
    for (const which of [0, 1]) await ok(calls[which], answer(statuses[which], '', { 'retry-after-ms': '20' }));
    assert.equal(status().budget.tokens, tokens, `${statuses}`);
    await at(from + 160);
    await ok(calls[2], answer(200));
    assert.equal(run.value.status, 200);
  }
});

hedged('the deadline in a later round: its event has nothing of the response before', async ({ at }) => {
  const events = [];
  const { fetch, calls } = make({ totalTimeoutMs: 200, onGiveUp: (event) => events.push(event) });
  const run = watched(fetch(URL_OF));
  await at(10);
  const bad = answer(503, '', { 'retry-after-ms': '30' });
  await ok(calls[0], bad);
  await at(200);
  assert.equal(calls.length, 3);
  assert.equal(run.error.cause.status, 503);
  const [{ status, hintMs, error, reason }] = events;
  assert.deepEqual([status, hintMs, error, reason], [undefined, undefined, run.error, 'timeout']);
});

hedged('a 409 to the hedge, whose key the slow attempt has, is not the answer; the report has both', async ({ at }) => {
  const from = performance.now();
  const { fetch, calls } = make({});
  const run = watched(fetch(URL_OF, { headers: { 'idempotency-key': 'k' } }));
  await at(from + 60);
  assert.equal(calls.length, 2);
  await ok(calls[1], answer(409));
  assert.equal(run.state, 'pending');
  await ok(calls[0], answer(200));
  assert.equal(run.value.status, 200);
  const { reason, attempts, dropped, records } = retryReport(run.value);
  assert.deepEqual([reason, attempts, dropped], ['success', 2, 0]);
  assert.deepEqual(
    records.map(({ attempt, result, hedge, superseded }) => [attempt, result.status, hedge, superseded]),
    [
      [1, 200, undefined, undefined],
      [2, 409, true, undefined],
    ],
  );
});
