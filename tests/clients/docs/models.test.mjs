// The programs of the guide for language models, on a server that refuses, hangs, stalls, cuts, errs and ends too
// early. All times are those of a virtual clock, on which an operation ends at its limit to the millisecond.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { until } from '../../package/lib/until.mjs';
import { withGlobals } from '../../package/lib/clock.mjs';
import { importPackage } from '../../package/lib/consumer.mjs';
import { documents, tableIn } from '../../package/lib/readers.mjs';
import { ANSWER, PROMPT, REFUSALS, WORDS, modelServer } from '../lib/models.mjs';
import { importPasted } from '../lib/pasted.mjs';
import { javaScript, program } from '../lib/programs.mjs';

const { RetryPolicy, isTransientError, retry, retryReport } = await importPackage();
Object.assign(process.env, { OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x' });

const server = await modelServer();
const { net } = server;
/** Runs a body on the virtual clock, while the server does as a script says. */
function run(script, body, more) {
  server.reset(script, more);
  return net.run(body);
}

/** SDKs keep the fetch that they find when a client is made. */
const fetch = (...args) => globalThis.fetch(...args);
const load = async (mark, imported) => {
  const files = imported && { [`${imported}.mjs`]: await javaScript(program(imported)) };
  const code = await javaScript(program(mark));
  return withGlobals({ fetch }, () => importPasted(code, files));
};

const { answer } = await load('answer');
const { answer: byFetch } = await load('answer-by-fetch');
const { ask } = await load('claude', 'pings');
const { report } = await load('background');
const { agent } = await load('agent');
const { purse } = await load('purse');
const { default: OpenAI } = await import('openai');
const { default: Anthropic } = await import('@anthropic-ai/sdk');

const QUESTION = [{ role: 'user', content: 'What does the fox do?' }];
const FIRST_MS = 60_000;
const THEN_MS = 20_000;
const TOTAL_MS = 300_000;
/** The longest wait before the second attempt, if nothing asks for another. */
const WAIT_MS = 100;

/** Asserts that a second attempt came so long after the first, and a drawn wait of at most so much. */
const waited = (at, ms, spreadMs, label) => assert.ok(at >= ms && at <= ms + spreadMs, `${label}: ${at}`);

/** The programs that show an answer: those that end after the first token, and one that goes on behind it. */
const SHOWING = {
  answer: { show: (shown) => answer(QUESTION, shown), goesOn: false },
  'answer-by-fetch': { show: (shown) => byFetch(QUESTION, shown), goesOn: false },
  claude: { show: (shown) => ask('What does the fox do?', shown), goesOn: true },
};

/** Runs one of them. `tokens` are those that were shown. */
async function shows(name, script) {
  const tokens = [];
  const outcome = await run(script, () => SHOWING[name].show((text) => tokens.push(text)));
  return { tokens, requests: server.requests.length, reason: retryReport(outcome.error)?.reason, ...outcome };
}

for (const name of Object.keys(SHOWING)) {
  test(`${name}: each form of a refusal is waited for, and the answer is shown once`, async () => {
    const HINTS = { 'OpenAI, ms': 1500, 'OpenAI, tokens': 6000, 'Anthropic, seconds': 7000 };
    for (const refusal of Object.keys(REFUSALS)) {
      if (['an hour', 'an empty account'].includes(refusal)) continue;
      const { tokens, requests, at } = await shows(name, [refusal]);
      assert.deepEqual([tokens, requests], [WORDS, 2], refusal);
      const hintMs = HINTS[refusal] ?? 0;
      waited(at, hintMs, Math.max(WAIT_MS, hintMs / 2), refusal);
    }
  });

  test(`${name}: an empty account and an hour's wait end it after one request`, async () => {
    const empty = await shows(name, Array(9).fill('an empty account'));
    assert.deepEqual([empty.requests, empty.reason, empty.at], [1, 'notRetryable', 0]);
    assert.equal(empty.error.code ?? empty.error.type, 'insufficient_quota');
    const hour = await shows(name, Array(9).fill('an hour'));
    assert.deepEqual([hour.requests, hour.reason, hour.at], [1, 'hint', 0]);
  });

  test(`${name}: wherever the answer breaks, no token is shown twice`, async () => {
    const { goesOn } = SHOWING[name];
    for (const then of ['stalls', 'cut', 'ends', 'error'])
      for (let tokens = 0; tokens <= WORDS.length; tokens += 1) {
        const label = `${then} after ${tokens}`;
        const shown = await shows(name, [{ tokens, then }]);
        const brokeAt = then === 'stalls' ? THEN_MS : 0;
        if (tokens === 0 || goesOn) {
          assert.deepEqual([shown.tokens, shown.error, shown.requests], [WORDS, undefined, 2], label);
          waited(shown.at, brokeAt, WAIT_MS, label);
        } else {
          assert.deepEqual([shown.tokens, shown.requests], [WORDS.slice(0, tokens), 1], label);
          assert.deepEqual([shown.reason, shown.at], ['committed', brokeAt], label);
        }
      }
  });

  test(`${name}: a server that hangs costs its time, and no more than the deadline`, async () => {
    const once = await shows(name, ['hangs']);
    assert.deepEqual([once.tokens, once.requests], [WORDS, 2]);
    waited(once.at, FIRST_MS, WAIT_MS, 'once');
    const { closed } = net;
    const always = await shows(name, Array(9).fill('hangs'));
    assert.deepEqual([always.tokens, always.error.name, always.at], [[], 'TimeoutError', TOTAL_MS]);
    await until('all connections are closed', () => net.closed === closed + always.requests);
  });

  test(`${name}: an answer that is slow, and not silent, is read to its end`, async () => {
    const { tokens, requests, at } = await shows(name, [{ gapMs: THEN_MS - 1 }]);
    assert.deepEqual([tokens, requests, at], [WORDS, 1, WORDS.length * (THEN_MS - 1)]);
  });
}

test('claude: a server that breaks at each token is asked as often as there are tokens', async () => {
  const { tokens, requests, error } = await shows('claude', Array(WORDS.length).fill({ tokens: 1, then: 'cut' }));
  assert.deepEqual([tokens, requests, error], [WORDS, WORDS.length + 1, undefined]);
  const said = server.requests.map(({ ask: { messages } }) => (messages.length === 1 ? '' : messages.at(-2).content));
  assert.deepEqual(said, WORDS.map((_, i) => WORDS.slice(0, i).join('')).concat(ANSWER));
});

test('pings count where the bytes are heard, and not behind an SDK', async () => {
  const pings = { gapMs: 30_000, pings: 3 };
  for (const name of ['claude', 'answer-by-fetch']) {
    const { tokens, requests, at } = await shows(name, [pings]);
    assert.deepEqual([tokens, requests, at], [WORDS, 1, 30_000 * WORDS.length], name);
  }
  const hidden = await shows('answer', [pings]);
  assert.deepEqual([hidden.tokens, hidden.requests], [WORDS, 2]);
  waited(hidden.at, THEN_MS, WAIT_MS, 'behind the SDK');
});

/** The function of each SDK that creates an answer. */
const SDKS = {
  openai: (options) => new OpenAI({ maxRetries: 0, fetch, ...options }).chat.completions,
  anthropic: (options) => new Anthropic({ maxRetries: 0, fetch, ...options }).messages,
};

test('the timeout of an SDK and an answer that is not streamed: OpenAI limits its body, Anthropic does not', async () => {
  const ends = {};
  for (const [name, make] of Object.entries(SDKS)) {
    const api = make({ timeout: 1000 });
    const { at } = await run([{ then: 'stalls' }], async () => {
      const late = new Promise((done) => setTimeout(done, 20_000));
      const answered = api.create({ model: 'm', max_tokens: 9, messages: QUESTION });
      await Promise.race([late, answered]).catch(() => {});
    });
    ends[name] = at;
  }
  // OpenAI's subtracts what the headers took on the wall clock, which is real here.
  assert.ok(ends.openai <= 1000, `${ends.openai}`);
  assert.equal(ends.anthropic, 20_000);
});

test('after an abort both SDKs close the connection, and end their loop without an error', async () => {
  for (const [name, make] of Object.entries(SDKS)) {
    const { closed } = net;
    const client = make();
    const { value, at } = await run([{ tokens: 2, then: 'stalls' }], async () => {
      const limit = new AbortController();
      setTimeout(() => limit.abort(new DOMException('late', 'TimeoutError')), 1000);
      const request = { model: 'm', max_tokens: 9, messages: QUESTION, stream: true };
      let events = 0;
      for await (const _ of await client.create(request, { signal: limit.signal })) events += 1;
      return events;
    });
    assert.ok(value >= 2 && at === 1000, name);
    await until('the connection is closed', () => net.closed === closed + 1);
  }
});

// The table of limits.

const LIMIT_MS = 1000;
const LIMITS = {
  "the SDK's `timeout` (10 minutes)": [{}, { timeout: LIMIT_MS }],
  '`idleTimeoutMs`, `firstMs`': [{ idleTimeoutMs: { firstMs: LIMIT_MS, thenMs: Infinity } }],
  '`idleTimeoutMs`, `thenMs`': [{ idleTimeoutMs: { firstMs: Infinity, thenMs: LIMIT_MS } }],
  '`attemptTimeoutMs`': [{ attemptTimeoutMs: LIMIT_MS }],
  '`totalTimeoutMs`, `signal`': [{ totalTimeoutMs: LIMIT_MS }],
};
/** For each column of the table: what the server does for ever. */
const PHASES = ['hangs', { tokens: 0, then: 'stalls', silent: true }, { tokens: 2, then: 'stalls' }, 'a gateway'];
const NEVER_MS = 20 * LIMIT_MS;

test('the table of limits says what each of them ends', async () => {
  const rows = tableIn(documents.get('docs/guide/language-models.md'), 'limit');
  assert.deepEqual(
    rows.map(([name]) => name),
    Object.keys(LIMITS),
  );
  for (const [name, ...cells] of rows) {
    const [limits, own] = LIMITS[name];
    const openai = new OpenAI({ maxRetries: 0, fetch, ...own });
    for (const [i, phase] of PHASES.entries()) {
      const options = { maxAttempts: phase === 'a gateway' ? Infinity : 1, baseMs: 300, backoff: 'fixed', ...limits };
      const { at } = await run(Array(9999).fill(phase), async () => {
        const stop = new AbortController();
        setTimeout(() => stop.abort(new Error('never')), NEVER_MS);
        const reads = async (attempt) => {
          const request = { model: 'm', messages: QUESTION, stream: true };
          const stream = await openai.chat.completions.create(request, { signal: attempt.signal });
          for await (const _ of attempt.watch(stream));
        };
        await retry(reads, { ...options, signal: stop.signal }).catch(() => {});
      });
      assert.equal(cells[i].startsWith('yes'), at === LIMIT_MS || (i === 3 && at <= LIMIT_MS), `${name}, ${i}: ${at}`);
    }
  }
});

// A response in the background.

test('background: wherever the stream breaks, each event is handled once, and the response is billed once', async () => {
  for (const then of ['stalls', 'cut', 'ends', 'error'])
    for (let tokens = 0; tokens <= WORDS.length; tokens += 1) {
      const shown = [];
      const { error, at } = await run([{ tokens, then }], () => report('fox', (text) => shown.push(text)));
      const label = `${then} after ${tokens}`;
      assert.deepEqual([error, shown], [undefined, WORDS], label);
      assert.deepEqual(
        server.requests.map(({ method }) => method),
        ['POST', 'GET'],
        label,
      );
      assert.equal(server.billed, PROMPT + WORDS.length, label);
      waited(at, then === 'stalls' ? 60_000 : 0, WAIT_MS, label);
    }
});

test('background: an attempt that showed something does not count, one that did not does', async () => {
  const shown = [];
  const breaks = [{ tokens: 0, then: 'cut' }, ...Array(WORDS.length).fill({ tokens: 1, then: 'cut' })];
  const { error } = await run(breaks, () => report('fox', (text) => shown.push(text)));
  assert.deepEqual([error, shown, server.requests.length], [undefined, WORDS, WORDS.length + 2]);
  const none = await run(Array(9).fill({ tokens: 0, then: 'cut' }), () => report('fox', () => {}));
  assert.deepEqual([retryReport(none.error).reason, server.requests.length], ['exhausted', 6]);
});

// Tools and money.

test('agent: each tool runs once, whatever the model and the tool do', async () => {
  const pay = async (input, { key, signal }) => {
    const headers = { 'idempotency-key': key };
    const response = await fetch('https://bank.example/pay', { method: 'POST', headers, body: input, signal });
    return response.text();
  };
  const scripts = [[], ['a gateway'], [{}, 'a gateway', 'Anthropic, overloaded'], [{}, { then: 'cut' }]];
  for (const script of scripts)
    for (const pays of [[], ['lost'], ['lost', 'lost', undefined, 'lost']]) {
      const { value } = await run(script, () => agent([...QUESTION], pay, []), { pays, calls: true });
      assert.deepEqual([value, server.paid], [ANSWER, ['call_1', 'call_2']]);
    }
});

test('agent: a retry around the whole turn would pay again', async () => {
  const pay = async (input, { key }) => {
    const headers = { 'idempotency-key': key };
    return (await fetch('https://bank.example/pay', { method: 'POST', headers, body: input })).text();
  };
  let turns = 0;
  const turn = () => agent([...QUESTION], (input) => pay(input, { key: `${(turns += 1)}` }), []);
  const script = [{}, ...Array(6).fill('a gateway')];
  await run(script, () => retry(turn, { retryIf: isTransientError }), { calls: true });
  assert.ok(server.paid.length > 2, `${server.paid}`);
});

const PRICE = PROMPT + WORDS.length;

/** Twenty calls at once over one purse. Resolves with how many were answered. */
async function calls(left, script) {
  const openai = new OpenAI({ maxRetries: 0, fetch });
  const spend = purse(left);
  const policy = new RetryPolicy({ retryIf: isTransientError });
  const call = () =>
    policy.run(({ signal }) =>
      spend(PRICE, async () => {
        const answered = await openai.chat.completions.create({ model: 'm', messages: QUESTION }, { signal });
        return { value: answered, cost: answered.usage.total_tokens };
      }),
    );
  const { value } = await run(script, () => Promise.allSettled(Array.from({ length: 20 }, call)));
  for (const { reason } of value) if (reason) assert.match(reason.message, /the purse is empty/);
  return value.filter(({ status }) => status === 'fulfilled').length;
}

test('purse: it is never overdrawn, a refusal is free, and a lost answer is paid', async () => {
  const refusals = (count) => Array(count).fill('Anthropic, overloaded');
  assert.deepEqual([await calls(20 * PRICE, refusals(20)), server.billed], [20, 20 * PRICE]);
  for (const left of [0, PRICE - 1, PRICE, 5 * PRICE, 7 * PRICE + 3]) {
    const most = Math.floor(left / PRICE);
    assert.deepEqual([await calls(left, []), server.billed], [most, most * PRICE]);
    assert.deepEqual([await calls(left, refusals(most)), server.billed], [most, most * PRICE]);
    // Each of them reserved its price twice.
    assert.equal(await calls(left, Array(2).fill({ then: 'cut' })), Math.max(0, most - 2));
    assert.ok(server.billed <= left, `${server.billed} of ${left}`);
  }
});
