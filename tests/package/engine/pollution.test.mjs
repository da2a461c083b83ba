// Data properties of Object.prototype, as a careless merge of JSON leaves them, change no outcome: none of the names
// that the sources have, in operations of every kind.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { HOOKS, fails } from '../lib/callbacks.mjs';
import { underBlockingClock, underClock } from '../lib/clock.mjs';
import { importEntry, importPackage, repo } from '../lib/consumer.mjs';

const { RetryPolicy, permanent, retry, retryAfter, retryReport, retrySync } = await importPackage();
const { breaker, budget, cooldown, hedge, limiter, protect } = await importEntry('protection');
const { fromData } = await importEntry('data');
const { awsSdk2026, polly } = await importEntry('presets');
const { createFetch } = await importEntry('fetch');
const { delayMs, retry: light } = await importEntry('light');
const { createFetch: lightFetch } = await importEntry('light/fetch');
const { bullmq, nextDelay, ...exporters } = await importEntry('engines');
const { telemetry } = await importEntry('otel');

/** Every name in the code of src/js, but for those that all objects have anyway. */
function namesOfSources() {
  const folder = join(repo, 'src/js');
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.js'));
  const sources = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const code = sources.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms, '');
  const names = new Set(code.match(/(?<![\w$#])[a-z_$][\w$]*/gi));
  // The language itself reads the first one, of every iterator that a pattern or a loop leaves early. The second one
  // would be a global variable, of hosts without a page.
  for (const name of ['return', 'location']) names.delete(name);
  return [...names].filter((name) => !(name in {}));
}

let called = 0;
const VALUES = [5, 'x', true, () => `polluted ${++called}`, { afterMs: 7 }];

/** Objects of these tests inherit nothing: what the package reads of its own is under test. */
const bare = (object) => ({ __proto__: null, ...object });

/** The callbacks' error, another one for each scenario. */
let E;
const fail = () => fails(E)();
const hang = () => new Promise(() => {});
const none = bare({ jitter: 'none' });
const twice = bare({ ...none, maxAttempts: 2 });

/** Callbacks and options of operations of every kind. The one that is named `abort` gets a signal. */
const OPERATIONS = {
  recovery: [({ attempt }) => (attempt < 2 ? fail() : 'value'), none],
  failure: [() => Promise.reject(E), twice],
  abort: [fail, bare({ ...none, baseMs: 1000 })],
  permanent: [() => Promise.reject(permanent(E)), none],
  verdict: [fail, bare({ maxAttempts: 2, retryIf: () => bare({ afterMs: 30 }) })],
  timeout: [hang, bare({ ...twice, attemptTimeoutMs: 40 })],
  deadline: [hang, bare({ totalTimeoutMs: 40 })],
};
/** Operations that rejitter/light cannot run. */
const MORE = {
  hint: [() => Promise.reject(retryAfter(20, E)), bare({ random: () => 0.5, maxAttempts: 2 })],
  mistake: [() => retryAfter(20, E), none],
  told: [
    ({ attempt, commit, progress }) => {
      if (attempt < 3) progress();
      else commit();
      return fail();
    },
    twice,
  ],
  invalid: [fail, bare({ retryIf: () => ({}) })],
  rejected: [() => 'pending', bare({ ...twice, retryOnResult: () => true, finalResult: 'reject' })],
  wrapped: [fail, bare({ ...twice, finalError: 'wrap' })],
};

const parts = () => [
  ...[budget(), breaker(bare({ consecutiveFailures: 2, openMs: 30 })), cooldown(bare())],
  hedge(bare({ delayMs: 10, maxRatio: 1 })),
];

/** Runs an operation under this protection, then one of its own state as that is now, and one with a key. */
async function guarded(fn, options, seen) {
  const protection = protect(...parts(), bare({ onEvent: (event) => void seen.push(event) }));
  const call = (protection) => retry(fn, bare({ random: () => 0, ...options, protection }));
  const all = [protection, protection.for('a')];
  try {
    return await call(protection);
  } finally {
    for (const each of all) await call(each).catch(() => {});
    seen.push(all.map((each) => each.status()));
  }
}

/** Runs an operation beside others, which wait for their turns. */
async function queued(fn, options, seen) {
  const onEvent = (event) => void seen.push(event);
  const protection = protect(limiter(bare({ limit: 100, burst: 2, concurrency: 1 })), bare({ onEvent }));
  const call = () => retry(fn, bare({ random: () => 0, ...options, protection }));
  const others = [call(), call()].map((each) => each.catch(() => {}));
  try {
    return await call();
  } finally {
    await Promise.all(others);
    seen.push(protection.status());
  }
}

/** An OpenTelemetry that lists what it is told, except what the error itself says, inherited or not. */
function recorder(seen) {
  const shown = (arg) => (typeof arg === 'object' ? bare({ ...arg, 'error.type': 0 }) : typeof arg);
  const note =
    (name) =>
    (...args) =>
      void seen.push([name, args.map(shown)]);
  const methods = ['addEvent', 'setAttributes', 'setAttribute', 'setStatus', 'end', 'record'];
  const target = (name) => bare(Object.fromEntries(methods.map((method) => [method, note(`${name} ${method}`)])));
  const startSpan = (name, { attributes }) => seen.push([name, bare(attributes)]) && target('span');
  const observe = (name, value, labels) => seen.push([name, value, bare(labels)]);
  let collect = () => {};
  const meter = bare({
    createHistogram: target,
    createObservableCounter: (name) => name,
    createObservableGauge: target,
    addBatchObservableCallback: (read) => (collect = () => read(bare({ observe }))),
  });
  const place = bare({ getValue: () => undefined, setValue: () => place });
  return bare({
    trace: bare({ getTracer: () => bare({ startSpan }), setSpan: () => place }),
    context: bare({ active: () => place, with: (_, fn) => fn() }),
    metrics: bare({ getMeter: () => meter }),
    collect: () => collect(),
  });
}

/** What runs an operation, by name. Each gets the callback, its options, and a list for what else is seen. */
const RUNNERS = {
  telemetry: (fn, options, seen) => {
    const { collect, ...api } = recorder(seen);
    return telemetry(bare(api)).policy(new RetryPolicy(options)).run(fn).finally(collect);
  },
  hooks: (fn, options, seen) => {
    const hook = (name) => [name, (event) => void seen.push([name, ...Object.keys(event)])];
    return retry(fn, bare({ ...options, ...Object.fromEntries(HOOKS.map(hook)) }));
  },
  metrics: async (fn, options, seen) => {
    const policy = new RetryPolicy(bare({ ...options, metrics: true }));
    await policy
      .wrap(fn, bare({ withAttempt: true }))()
      .catch(() => {});
    seen.push(policy.metrics());
  },
  'all parts': guarded,
  limiter: queued,
};

/** Answers of a fetch, in place of callbacks; a hint asks to wait. */
const FETCHES = {
  recovery: [({ attempt }) => answer(attempt < 2 ? 503 : 200), none],
  hint: [() => answer(429, '0.02'), bare({ ...twice, random: () => 0.5 })],
  thrown: [() => answer(503), bare({ ...twice, throwOnStatus: true })],
  rejection: [() => Promise.reject(new TypeError('Failed to fetch')), twice],
  abort: [() => answer(503), bare({ ...none, baseMs: 1000 })],
  timeout: [hang, bare({ ...twice, attemptTimeoutMs: 40 })],
};
const answer = (status, hint) =>
  bare({ status, body: null, headers: bare({ get: (name) => (name === 'retry-after' && hint) || null }) });

/** Options that inherit, without parts. With options of a call, makes two: they are known then. */
const fetching = (create, init, more) => async (fn, options, seen) => {
  let attempt = 0;
  const inner = (...args) => {
    attempt += 1;
    seen.push(args.length, args[0]);
    return fn({ attempt });
  };
  const fetch = create(more ? bare({ ...options, protection: protect(...more()) }) : { ...options }, inner);
  if (init !== undefined) await fetch('http://x.example/', init).catch(() => {});
  const { status } = await fetch('http://x.example/', init);
  return status;
};
const ofCall = bare({ retry: bare({ maxAttempts: 2, jitter: 'full', seed: 1 }) });

const FETCHERS = {
  createFetch: fetching(createFetch),
  'createFetch of light': fetching(lightFetch),
  'createFetch, options of a call': fetching(createFetch, ofCall),
  'createFetch with all parts': fetching(createFetch, undefined, parts),
};

const policyOf = (options) => new RetryPolicy(options);
const jitter = { type: 'proportional', ratio: 0.5 };

/** Programs that run no operation, or one that blocks. */
const SCENARIOS = {
  sync: () => blocking(fail, twice),
  'sync, abort'() {
    const controller = new AbortController();
    const abort = () => controller.abort(E) ?? fail();
    return blocking(abort, bare({ signal: controller.signal }));
  },
  'seeded runs'() {
    const policy = policyOf(bare({ seed: 1, maxAttempts: 3 }));
    const runs = [{ signal: new AbortController().signal }, { seed: 2 }, {}];
    return operation(() => Promise.allSettled(runs.map((own) => policy.run(fail, bare(own)))), []);
  },
  // Unseeded lists differ from each other, seeded ones do not.
  delays: () =>
    [fromData({ version: 1, maxAttempts: 4 }), policyOf({ maxAttempts: 4, jitter: 'pollyV2' })].map((policy) => {
      const [one, other] = [[...policy.delays({})].join(), [...policy.delays()].join()];
      const own = { seed: 1, operation: 2, hintMs: 5 };
      return [one !== other, [...policy.delays({ seed: 1 })].join(), policy.delayMs(3, own), delayMs(3, none)];
    }),
  data: () =>
    [fromData({ version: 1, maxAttempts: 4, jitter }), policyOf(awsSdk2026), policyOf(polly)].map((policy) =>
      policy.toJSON(),
    ),
  ...Object.fromEntries(
    [{ jitter: {} }, { jitter: { type: 'additive' } }, { wrong: 1 }, { minMs: 20_000 }].map((options) => [
      `refused: ${JSON.stringify(options)}`,
      () => policyOf(options),
    ]),
  ),
  'refused: data': () => fromData({ version: 1, jitter: {} }),
  'refused: no data': () => fromData({}),
  engines: () =>
    Promise.all(
      [{}, none, { backoff: [1, 2] }, { backoff: 'truncated' }].map(policyOf).map(async (policy) => [
        await bullmq(policy)(1, undefined, E, bare({ id: '1' })),
        nextDelay(policy, { attempt: 1, error: E, seed: '1' }),
        ...Object.values(exporters).map((write) => {
          const { config, losses } = write(policy);
          return [config, losses.map(({ text }) => text)];
        }),
      ]),
    ),
};
for (const [runners, operations] of [
  [RUNNERS, { ...OPERATIONS, ...MORE }],
  [{ light }, OPERATIONS],
  [FETCHERS, FETCHES],
])
  for (const [name, run] of Object.entries(runners))
    for (const [kind, each] of Object.entries(operations))
      SCENARIOS[`${name}, ${kind}`] = () => operation(run, each, kind === 'abort');

function blocking(fn, options) {
  const { error, value, clock } = bare(underBlockingClock(() => retrySync(fn, options)));
  return [error === E, value, clock.waits, retryReport(error)];
}

/** Runs an operation. Returns as data how it ended, its timers, and what else was seen. */
async function operation(run, [fn, options], aborts) {
  const seen = [];
  const start = (clock) => {
    if (!aborts) return run(fn, options, seen);
    const controller = new AbortController();
    clock.arm(() => controller.abort(E), 50, []);
    return run(fn, bare({ ...options, signal: controller.signal }), seen);
  };
  const { clock, rejected, value, error } = await underClock(start, bare({ limit: 1000 }));
  const end = rejected
    ? [error === E || [error?.name, error?.message], retryReport(error), Object.hasOwn(Object(error), 'errors')]
    : ['resolved', value];
  return [end, clock.delays, seen];
}

/** Plays scenarios while Object.prototype has these names. Returns what each does and reports, as text. */
async function played(kinds, names, value) {
  const { error, warn } = console;
  const seen = [];
  for (const name of names) {
    const attributes = { writable: true, enumerable: true, configurable: true };
    Object.defineProperty(Object.prototype, name, { __proto__: null, ...attributes, value });
  }
  try {
    for (const kind of kinds) {
      const reported = [];
      console.error = console.warn = (thrown) => void reported.push(`${thrown}`);
      E = Object.freeze(Object.create(null));
      called = 0;
      let outcome;
      try {
        outcome = await SCENARIOS[kind]();
      } catch (thrown) {
        outcome = `${thrown?.message ?? thrown}`;
      }
      seen.push([outcome, reported, called]);
    }
  } finally {
    Object.assign(console, { error, warn });
    for (const name of names) delete Object.prototype[name];
  }
  return seen.map((each) => JSON.stringify(each));
}

test('O01 no outcome depends on data properties of Object.prototype', async () => {
  const sources = namesOfSources();
  const kinds = Object.keys(SCENARIOS);
  assert.ok(sources.includes('delayMs') && sources.length > 1000, `${sources.length} names`);
  // Once for what is said once per process.
  await played(kinds, []);
  const plain = await played(kinds, []);
  const changed = [];
  for (const value of VALUES) {
    // With a function of the first name, every object is a thenable, which never settles. The second one is what an
    // error says, inherited or not, and the text of an object says what no code does.
    const names = sources.filter((name) => Object(value) !== value || !['then', 'code'].includes(name));
    const seen = await played(kinds, names, value);
    for (const [i, kind] of kinds.entries()) {
      if (seen[i] === plain[i]) continue;
      // Those that have this effect each by itself.
      const alone = [];
      for (const name of names) if ((await played([kind], [name], value))[0] !== plain[i]) alone.push(name);
      changed.push(`${kind}, ${alone} = ${String(value)}: ${seen[i]} instead of ${plain[i]}`);
    }
  }
  assert.deepEqual(changed, []);
});
