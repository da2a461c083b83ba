// Scripted requests (tests/vectors/fetch.json): what createFetch sends again, when, and how it ends; what becomes of
// responses that nobody gets, and what hooks, reports, metrics and protection say. Each row is run with the request as
// a text, a URL and a Request, and with the options of the function and of the call. The createFetch of
// rejitter/light/fetch runs the rows whose options it has.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { mock } from 'node:test';
import { inspect } from 'node:util';

import { AWAITED, OBSERVERS } from '../lib/callbacks.mjs';
import { VirtualClock, turn } from '../lib/clock.mjs';
import { importEntry, importPackage, infinite, vectors } from '../lib/consumer.mjs';
import { importFetch } from '../lib/fetching.mjs';
import { testsInThread } from '../lib/thread.mjs';
import { importAll, namedIn, nth, partsOf } from '../protection/entry.mjs';

const test = testsInThread(import.meta.url);
const large = await importFetch();
const light = await importEntry('light/fetch');
const presets = await importEntry('presets');
const { protect } = await importAll();
const { HttpStatusError } = large;
const { RetryError, RetryPolicy, retryReport } = await importPackage();
const groups = vectors('fetch', infinite);

/** Ways to make a function that sends a request, by what calls the inner fetch. */
const FORMS = {
  text: ({ createFetch }, inner, options) => createFetch(options, inner),
  URL(...given) {
    const send = FORMS.text(...given);
    return (url, init) => send(new URL(url), init);
  },
  // A Request does not show the source of its body: with one, nothing proves that it was not sent.
  Request(...given) {
    const send = FORMS.text(...given);
    return (url, { retry, ...init }) => send(new Request(url, init), retry && { retry });
  },
  'options of the call'({ createFetch }, inner, options) {
    const send = createFetch({}, inner);
    return (url, init) => send(url, { ...init, retry: { ...options, ...init.retry } });
  },
  fetchWithRetry:
    ({ fetchWithRetry }, inner, options) =>
    (url, init) => {
      const { fetch } = globalThis;
      globalThis.fetch = inner;
      return fetchWithRetry(url, { ...init, retry: { ...options, ...init.retry } }).finally(() => {
        globalThis.fetch = fetch;
      });
    },
  policy: ({ createFetch }, inner, options, seen) =>
    createFetch((seen.policy = new RetryPolicy({ metrics: true, ...options })), inner),
};

const failureOf = ({ message = 'x', all, ...fields }) =>
  all
    ? Object.assign(new AggregateError(all.map(failureOf)), { code: all[0].code })
    : Object.assign(new Error(message), fields);

/** The rows of a row: each of its statuses with each of its methods and of its sets of options. */
const expanded = ({ each = [undefined], with: headers, methods = ['GET'], options, ...row }) =>
  methods.flatMap((method) =>
    options.flatMap((options) =>
      each.map((given) => {
        if (given === undefined) return { ...row, method, options };
        const answer = typeof given === 'number' ? { status: given, ...headers } : given;
        return { ends: answer.status, ...row, method, options, answers: [answer, 200] };
      }),
    ),
  );

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
// Pages that are not served over HTTPS have none.
Object.defineProperty(globalThis.crypto, 'randomUUID', { value: undefined });
/** All keys that were made, and how many responses were discarded. */
const made = { keys: [], discarded: { large: 0, light: 0 } };

const CALLBACKS = [...'random retryOn retryIf retryOnResult hint prepare protectionKey'.split(' '), AWAITED];

/** Returns the name of an outcome in a log. */
const nameOf = (outcome) => (outcome instanceof Error ? outcome.name : (outcome?.status ?? String(outcome)));

/** One run of a row. */
class Run {
  clock = new VirtualClock({ start: 0 });
  /** What was seen: times, and what happened. */
  log = [];
  calls = [];
  /** What hooks got: what they throw would only be reported. */
  events = [];
  /** Timers of the row itself. */
  timers = new Set();

  constructor(row, form) {
    this.row = row;
    this.form = form;
  }

  note(...words) {
    return this.log.push([this.clock.now, ...words.filter((word) => word !== undefined)].join(' ')) - 1;
  }

  /** Sets a timer that is not among the clock's delays. */
  later(ms, callback) {
    const timer = this.clock.arm(callback, ms, []);
    this.clock.armed.pop();
    this.timers.add(timer);
    return timer;
  }

  /** What a callback does: it throws, takes time, never ends, or answers. */
  act(step, answer = (value) => value) {
    if (step === 'hangs') return new Promise(() => {});
    const { throws, takes, returns = step } = Object(step);
    const end = () => {
      if (throws !== undefined) throw new TypeError(throws);
      return answer(returns);
    };
    if (takes === undefined) return end();
    return new Promise((done) => void (takes === 0 ? done() : this.later(takes, done))).then(end);
  }

  /** A callback by its script: what it does by call, the last again and again, or always. */
  callback(name, script) {
    let calls = 0;
    return (...args) => {
      const step = Array.isArray(script) ? nth(script, (calls += 1)) : script;
      if (this.row.hooks) this.note(name, ...this.#seenBy(name, args));
      return this.act(step, (value) => {
        if (name === 'prepare') return changed(args[0], value);
        if (name === 'body') return this.body(value);
        if (value === 'nothing') return undefined;
        return value?.header === undefined ? value : args[0].headers.get(value.header);
      });
    };
  }

  #seenBy(name, [outcome, { attempt } = {}]) {
    if (name !== 'retryOn') return [attempt];
    assert.ok(Object.isFrozen(outcome));
    const { method, response, error, retryable } = outcome;
    return [outcome.attempt, method, nameOf(response ?? error), retryable ? 'retryable' : undefined];
  }

  body(given) {
    if (given?.made !== undefined) return this.callback('body', given.made);
    const cancel = () => void this.note('cancels body');
    if (given === 'stream')
      return new ReadableStream({ pull: (controller) => controller.close(), cancel }, { highWaterMark: 0 });
    return given === 'Node stream' ? new Readable({ read() {} }).once('close', cancel) : given;
  }

  options() {
    const { row } = this;
    const { preset, ...options } = row.options ?? {};
    for (const name of CALLBACKS) {
      const script = row[name] === undefined ? options[name] : row[name];
      // `retryOn` may be a list of statuses.
      if (script !== undefined && !Array.isArray(options[name])) options[name] = this.callback(name, script);
    }
    if (preset) Object.assign(options, { retryOn: presets[`${preset}RetryOn`], ...presets[preset], ...options });
    // A text is an option, too.
    if (row.idempotencyKey !== undefined) options.idempotencyKey = this.callback('idempotencyKey', row.idempotencyKey);
    if (row.parts) {
      this.protection = protect(...partsOf(row.parts));
      if (row.open) this.protection.open(row.open);
      options.protection = this.protection;
    }
    for (const name of row.hooks ? OBSERVERS : [])
      options[name] = (event) => {
        this.events.push(event);
        const { attempt, status, error, hintMs, hedge, reason } = event;
        const end = name === 'onAttempt' || name === AWAITED ? undefined : (status ?? nameOf(error));
        this.note(name, attempt, end, hintMs && `hint ${hintMs}`, hedge && 'hedge', reason);
        return Promise.resolve();
      };
    return options;
  }

  /** A status, a response with headers, or a failure: the cause of `fetch failed`, or bare, as of Deno and Bun. */
  #answerOf(answer, n) {
    const { status, bare, mock, ...rest } = typeof answer === 'number' ? { status: answer } : answer;
    if (mock !== undefined) return mock ?? undefined;
    if (status === undefined)
      return bare
        ? Object.assign(new TypeError(bare), rest)
        : Object.assign(new TypeError('fetch failed'), { cause: failureOf(rest) });
    const source = {
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('text'));
        controller.close();
      },
      cancel: () => void this.note('cancels', n),
    };
    const body = [204, 304].includes(status) ? null : new ReadableStream(source, { highWaterMark: 0 });
    return new Response(body, { status, headers: rest });
  }

  /** The inner fetch, which plays the answers of the row. */
  inner = (input, init) => {
    const { answers, shows } = this.row;
    const n = this.calls.length + 1;
    const given = nth(answers, n);
    const { takes, deaf, ...spec } = Object(given);
    const answer = given === 'hangs' ? given : this.#answerOf(takes === undefined ? given : spec, n);
    const signal = init?.signal ?? input.signal;
    const { href } = new URL(input.url ?? input);
    const headers = new Headers(init?.headers ?? input.headers);
    const call = { answer, headers, signal, init, begunAborted: signal?.aborted, answered: 0 };
    this.calls.push(call);
    const method = init?.method ?? input.method ?? 'GET';
    const shown = (shows ?? []).filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`);
    const at = this.note('sends', n, method === 'GET' ? undefined : method, href === URL_ ? undefined : href, ...shown);
    const settled = new Promise((resolve, reject) => {
      const settle = () => {
        call.answered = this.calls.length;
        return answer instanceof Error ? reject(answer) : resolve(answer);
      };
      // An inner fetch may throw as well as reject.
      if (takes === undefined && answer instanceof Error && this.form === 'URL') throw answer;
      const timer = takes === undefined ? undefined : this.later(takes, settle);
      signal?.addEventListener('abort', () => {
        this.note('aborts', n, nameOf(signal.reason));
        if (deaf) return;
        timer?.close();
        reject(signal.reason);
      });
      if (takes === undefined && given !== 'hangs') settle();
    });
    if (!shows?.includes('body')) return settled;
    const text =
      input instanceof Request && init?.body === undefined ? input.text() : Promise.resolve(init?.body ?? '');
    return text.then((text) => {
      this.log[at] += ` "${text}"`;
      return settled;
    });
  };

  /** Sends a request. Resolves with its end. */
  start(send, { url = URL_, method = this.row.method, redirect = 'follow', mode, headers, body, ...more }, name) {
    const { retry, abortAt } = more;
    const controller = new AbortController();
    const init = { method, redirect, mode, headers, body: this.body(body) };
    if (retry) init.retry = presets[retry.preset] ?? retry;
    if (this.form !== 'Request' && !/^(?:get|head)$/i.test(method)) init.body ??= 'x';
    if (/stream$/.test(body)) init.duplex = 'half';
    if (abortAt !== undefined) init.signal = controller.signal;
    if (abortAt <= this.clock.now) controller.abort('enough');
    else if (abortAt) this.later(abortAt - this.clock.now, () => controller.abort('enough'));
    const end = (ending) => {
      this.note('ends', name, nameOf(ending.value ?? ending.error));
      return ending;
    };
    return send(url, init).then(
      (value) => end({ value }),
      (error) => end({ error }),
    );
  }

  /** Moves the clock to a time, or until the row has ended. */
  async advance(ms, isOver = () => false) {
    for (let idle = 0; !isOver() && idle < 20; ) {
      await turn();
      const timer = this.clock.next();
      const due = timer !== undefined && timer.due <= ms;
      // What a body brings takes some turns of the event loop, but no time of this clock.
      if (idle < 5 || !due) idle += 1;
      else {
        idle = 0;
        this.clock.now = Math.max(this.clock.now, timer.due);
        timer.callback();
      }
    }
    if (ms < Infinity) this.clock.now = ms;
  }
}

/** What `prepare` does: it sets or drops headers, or returns another request. */
function changed(request, change) {
  if (Object(change) !== change) return change ?? undefined;
  const { headers = {}, method, url, body, keeps } = change;
  if (url !== undefined && method === undefined) return new Request(url, request);
  if (method !== undefined)
    return new Request(url ?? request.url, {
      ...{ method, body },
      headers: { ...(keeps && Object.fromEntries(request.headers)), ...headers },
    });
  for (const [name, value] of Object.entries(headers))
    if (value === null) request.headers.delete(name);
    else request.headers.set(name, value);
  return undefined;
}

/** Nothing that is logged may have more of it than the origin. */
const URL_ = 'http://192.0.2.1/secret?token=secret#secret';

const originOf = (url) => new URL(url).origin.replace(/^null$/, '') || undefined;

async function check(entry, form, row) {
  const about = `${entry === light ? 'light, ' : ''}${form}, ${JSON.stringify(row)}`;
  const run = new Run(row, form);
  const { clock, calls, log } = run;
  const requests = row.requests ?? [row];
  const seen = {};
  const ends = [];
  clock.install();
  const reported = mock.method(console, 'error', () => {}).mock;
  try {
    const send = FORMS[form](entry, run.inner, run.options(), seen);
    const numbers = [row.numbers ?? []].flat();
    const stateOf = ({ key }) => (key === undefined ? run.protection : run.protection.for(key));
    const compare = ({ at, key, ...expected }) =>
      assert.deepEqual(namedIn(expected, stateOf({ key }).status()), expected, `${about}, at ${at}`);
    const times = [...requests, ...numbers].map(({ at = 0 }) => at);
    for (const time of [...new Set(times)].sort((a, b) => a - b)) {
      await run.advance(time);
      for (const [i, request] of requests.entries()) {
        if ((request.at ?? 0) !== time) continue;
        run.start(send, request, requests.length > 1 ? i + 1 : undefined).then((end) => (ends[i] = end));
        await run.advance(time);
      }
      for (const each of numbers) if (each.at === time) compare(each);
    }
    await run.advance(Infinity, () => requests.every((_, i) => ends[i]));
    for (const timer of clock.pending.values()) assert.ok(run.timers.has(timer), `${about}: a timer is left`);
    if (clock.pending.size > 0) await run.advance(Infinity);
    for (const each of numbers) if (each.at === undefined) compare(each);
    if (row.keys) assert.deepEqual(run.protection.keys(), row.keys, about);
  } finally {
    clock.uninstall();
    reported.restore();
  }
  // Node prints warnings of its own.
  const reports = reported.calls.flatMap(({ arguments: [thrown] }) => thrown.message ?? []);
  for (const text of reports) assert.ok(text.startsWith(row.reports), `${about}: ${text}`);
  assert.equal(reports.length > 0, row.reports !== undefined, about);
  assert.ok(row.calls !== undefined || row.log !== undefined, about);
  if (row.calls !== undefined) assert.equal(calls.length, row.calls, about);
  if (row.log) assert.deepEqual(log, row.log, about);
  for (const event of run.events) checkEvent(event, row, about);
  if (row.waits !== undefined) assert.deepEqual(clock.delays, row.waits, about);
  if (row.metrics) assert.deepEqual(namedIn(row.metrics, seen.policy.metrics()), row.metrics, about);
  const last = requests.length > 1 ? undefined : calls.at(-1)?.answer;
  for (const [i, request] of requests.entries()) checkEnd({ ...ends[i], last, calls }, request, entry, about);
  if (row.key !== undefined) {
    const keys = new Set(calls.map((call) => call.headers.get(row.options?.idempotencyHeader ?? 'idempotency-key')));
    assert.equal(keys.size, 1, about);
    if (row.key === 'uuid') assert.match(made.keys[made.keys.push(...keys) - 1], UUID, about);
    else assert.deepEqual([...keys], [row.key], about);
  }
  if (requests.length === 1) checkCalls(run, ends[0], entry, about);
  if (last === 'hangs') {
    assert.equal(new Set(calls.map(({ signal }) => signal)).size, calls.length, about);
    assert.ok(calls.every(({ begunAborted }) => !begunAborted));
  }
}

/**
 * What holds of the calls of every request: each has an init of its own, and from the second on a signal in it, without
 * which React answers from memory. The caller gets a response unread, up to the next request; each other is cancelled.
 */
function checkCalls({ calls, log }, { value, error }, entry, about) {
  const inits = calls.map(({ init }) => init);
  if (entry === large) {
    assert.equal(new Set(inits).size, calls.length, about);
    for (const init of inits.slice(1)) assert.ok(init.signal instanceof AbortSignal, about);
  }
  const given = new Set([value]);
  // The timeout of an attempt replaces the outcome before it.
  for (let each = error; each instanceof Error && !/^rejitter: attempt/.test(each.message); each = each.cause)
    given.add(each.response);
  for (const [i, { answer, answered }] of calls.entries()) {
    if (!(answered && answer?.body)) continue;
    const isUnread = given.has(answer) && answered === calls.length;
    if (!isUnread) made.discarded[entry === light ? 'light' : 'large'] += 1;
    const cancels = log.filter((each) => each.endsWith(` cancels ${i + 1}`)).length;
    assert.deepEqual([answer.bodyUsed, cancels], [!isUnread, +!isUnread], `${about}: response ${i + 1}`);
  }
}

function checkEvent(event, { requests, method, url = URL_ }, about) {
  assert.ok(Object.isFrozen(event), about);
  assert.doesNotMatch(inspect(event, { depth: 9, showHidden: true }), /secret/, about);
  if (!requests) assert.deepEqual([event.method, event.origin], [method.toUpperCase(), originOf(url)], about);
}

/** Compares how one request of a row ended. */
function checkEnd({ value, error, last, calls }, expected, entry, about) {
  const { ends, of, status, reason, attempts, hintMs, message, cause, records } = expected;
  if (ends !== undefined && ends !== null) assert.equal(nameOf(value ?? error), ends, `${about}: ${error?.stack}`);
  const answer = of === undefined ? last : calls[of - 1].answer;
  // The response or the failure itself, and a body that is the caller's to read.
  if (status !== undefined) checkStatus(expected, error, answer, about);
  else if (value !== undefined && answer !== undefined) assert.equal(value, answer, about);
  else if (answer instanceof Error && reason !== 'callback') assert.equal(error, answer, about);
  if (value instanceof Response) assert.equal(value.bodyUsed, false, about);
  if (message !== undefined) assert.ok(error.message.startsWith(message), `${about}: ${error.message}`);
  else if (reason === 'callback' && expected.retryOn !== undefined)
    assert.match(error.message, /^rejitter: retryOn must return .*, got /, about);
  if (cause !== undefined) assert.equal(error.cause.message, cause, about);
  if (/^(Timeout|HttpStatus)Error$/.test(error?.name) && entry === large) checkLabels(error, expected, about);
  const report = retryReport(value ?? error);
  if (entry === light || reason === null) assert.equal(report, undefined, about);
  else if (reason !== undefined)
    assert.deepEqual([report?.reason, report?.hintMs], [reason, hintMs ?? report?.hintMs], about);
  if (attempts !== undefined) assert.equal(report.attempts, attempts, about);
  if (records)
    assert.deepEqual(
      report.records.map(({ attempt, result, error, hedge, superseded }) =>
        [attempt, nameOf(result ?? error), hedge && 'hedge', superseded && 'superseded'].filter(Boolean).join(' '),
      ),
      records,
      about,
    );
}

/** An error of ours names the request, without what may be secret. */
function checkLabels({ name, status, message, ...labels }, { method, url = URL_ }, about) {
  const origin = originOf(url);
  assert.deepEqual(labels, { method: method.toUpperCase(), origin }, about);
  assert.ok(message.endsWith(` (${labels.method}${origin ? ` ${origin}` : ''})`), `${about}: ${message}`);
}

/** The error of `throwOnStatus`, by itself or in a RetryError. */
function checkStatus({ status, ends }, error, response, about) {
  const thrown = ends === 'RetryError' ? error.cause : error;
  assert.ok(thrown instanceof HttpStatusError, about);
  assert.deepEqual([thrown.status, thrown.response], [status, response], about);
  assert.equal(response.bodyUsed, false, about);
  assert.match(thrown.message, new RegExp(`^rejitter: HTTP ${status}`), about);
  assert.ok(!JSON.stringify(thrown).includes('response'), about);
  if (ends !== 'RetryError') return;
  assert.ok(error instanceof RetryError, about);
  assert.equal(error.errors.at(-1), thrown, about);
  assert.equal(error.report, retryReport(error), about);
}

const LIGHT =
  'maxAttempts baseMs capMs factor jitter attemptTimeoutMs totalTimeoutMs random unref maxRetryAfterMs'.split(' ');
/** The fields of rows that it can play. */
const COMMON = (
  'abortAt answers body calls ends headers hintMs log method mode notForms of options random reason redirect shows url ' +
  'waits'
).split(' ');
let lightRows = 0;

/** The row for rejitter/light/fetch, with what `light` says in its place; undefined if that lacks what the row sets. */
function lightRow({ light: differs, ...row }) {
  const known = Object.keys(row.options).every((name) => LIGHT.includes(name));
  if (differs === false || !known || row.body?.made || !Object.keys(row).every((name) => COMMON.includes(name)))
    return undefined;
  if (differs === undefined) return row;
  assert.ok(!(differs.calls >= row.calls));
  return { ...row, ends: undefined, waits: undefined, ...differs };
}

/** The sets of options of a row: each of its own over each of its group. */
const optionsOf = (common, row) =>
  [common.options ?? {}].flat().flatMap((given) => [row.options ?? {}].flat().map((own) => ({ ...given, ...own })));

/** A policy takes the place of options; nothing can be told of a body that a Request has made a stream. */
const formsOf = ({ policy, notForms, body }) =>
  Object.keys(FORMS).filter((form) => {
    if (policy || form === 'policy') return policy && form === 'policy';
    return !notForms?.includes(form) && !(form === 'Request' && (/stream$/.test(body) || body?.made));
  });

for (const { name, rows, ...common } of groups) {
  test(name, async () => {
    for (const given of rows) {
      const row = { ...common, ...given, options: optionsOf(common, given) };
      const forms = formsOf(row);
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

test('rejitter/light/fetch runs most rows', () => assert.ok(lightRows >= 150, `${lightRows} rows`));

test('no key was made twice', () => assert.ok(made.keys.length > 20 && new Set(made.keys).size === made.keys.length));

// By `checkCalls`.
test('the caller gets responses unread, up to the next request; each other one is cancelled, by light too', () =>
  assert.ok(Math.min(...Object.values(made.discarded)) > 150, JSON.stringify(made.discarded)));
