/**
 * The main job on real input: two dozen HTTP requests to a server that misbehaves, made with the
 * global `fetch` through `retryWithFullJitter`, and a table of what happened to each.
 *
 *   node main.mjs [--seed 42] [--rate 0.55] [--requests 24] [--concurrency 8]
 *
 * `rejitter` is resolved as in any program, from the folder that holds this file: run it where the
 * packed tarball is installed, either here (`www/node_modules/rejitter`) or as a copy of this
 * folder's `*.mjs` beside another `node_modules`.
 *
 * With one seed the failures, the waits and the outcomes are the same on every run; only the
 * milliseconds in the last column vary. Exits with 1 if server and client disagree on the number
 * of requests.
 */
import { parseArgs } from 'node:util';
import { RetryPolicy, retryWithFullJitter } from 'rejitter';
import { startServer } from './misbehaving-server.mjs';
import { paint, table } from './terminal.mjs';

const { values: args } = parseArgs({
  options: {
    seed: { type: 'string', default: '42' },
    rate: { type: 'string', default: '0.55' },
    requests: { type: 'string', default: '24' },
    concurrency: { type: 'string', default: '8' },
  },
});
const failureRate = numberArg('rate', 0, 1);
const requestCount = numberArg('requests', 1, 1000);
const concurrency = numberArg('concurrency', 1, 100);

/** An answer slower than this counts as a failure of the attempt. */
const ANSWER_WITHIN_MS = 500;

const options = /** @type {const} */ ({ baseMs: 40, capMs: 400, factor: 2, maxAttempts: 6 });

class HttpError extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/**
 * Worth another attempt: the server's trouble (5xx), too many requests (429), no answer at all.
 * Any other status is the caller's own mistake, and asking again would not mend it.
 * @param {unknown} error
 */
function retryIf(error) {
  return !(error instanceof HttpError) || error.status === 429 || error.status >= 500;
}

/**
 * `fetch`, given up when the headers are not there in time or when the operation is aborted.
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function fetchInTime(url, signal) {
  const attempt = new AbortController();
  const stop = () => attempt.abort(signal.reason);
  const timer = setTimeout(() => attempt.abort(new DOMException('no answer in time', 'TimeoutError')), ANSWER_WITHIN_MS);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const response = await fetch(url, { signal: attempt.signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new HttpError(response.status);
    }
    return await response.json();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/**
 * @typedef {object} Call
 * @property {string} name
 * @property {string[]} answers one per attempt: a status, `drop` or `slow`
 * @property {number[]} waits
 * @property {'ok' | 'gave up' | 'refused'} outcome
 * @property {number} ms
 */

/**
 * @param {string} server
 * @param {string} path
 * @returns {Promise<Call>}
 */
async function call(server, path) {
  /** @type {Call} */
  const record = { name: path.replace('flaky/', ''), answers: [], waits: [], outcome: 'ok', ms: 0 };
  const start = performance.now();
  try {
    await retryWithFullJitter(
      async (attempt) => {
        if (attempt.previousDelayMs !== undefined) record.waits.push(attempt.previousDelayMs);
        try {
          const body = await fetchInTime(`${server}/${path}`, attempt.signal);
          record.answers.push('200');
          return body;
        } catch (error) {
          record.answers.push(label(error));
          throw error;
        }
      },
      // One seed for the run, another sequence for each request: clients that share their
      // randomness would retry in step, which is what jitter is there to prevent.
      { ...options, retryIf, seed: `${args.seed}/${path}` },
    );
  } catch (error) {
    record.outcome = retryIf(error) ? 'gave up' : 'refused';
  }
  record.ms = performance.now() - start;
  return record;
}

/** @param {unknown} error */
function label(error) {
  if (error instanceof HttpError) return String(error.status);
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'slow';
  if (error instanceof TypeError) return 'drop';
  throw error;
}

/**
 * Runs `job` over `items`, at most `limit` at a time; the results keep the order of the items.
 * @template T, R
 * @param {T[]} items
 * @param {number} limit
 * @param {(item: T) => Promise<R>} job
 */
async function mapLimited(items, limit, job) {
  /** @type {R[]} */
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const i = next++;
      results[i] = await job(/** @type {T} */ (items[i]));
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

const server = await startServer({ seed: args.seed, failureRate });
const flaky = Array.from({ length: requestCount }, (_, i) => `flaky/${String(i + 1).padStart(2, '0')}`);

console.log(`${paint.bold('rejitter')} on Node ${process.versions.node}, against ${server.url}`);
console.log(
  `${requestCount} requests, ${concurrency} at a time, to a server where ${percent(failureRate)} of answers fail (seed ${args.seed}).\n` +
    paint.dim(
      `retryWithFullJitter, baseMs ${options.baseMs}, capMs ${options.capMs}, factor ${options.factor}, maxAttempts ${options.maxAttempts}; ` +
        `an answer is slow after ${ANSWER_WITHIN_MS} ms.\n`,
    ),
);

const startedAt = performance.now();
const calls = await mapLimited([...flaky, 'missing'], concurrency, (path) => call(server.url, path));
const seconds = (performance.now() - startedAt) / 1000;
const counted = server.stats();
await server.close();

console.log(
  table(
    [
      { title: 'request' },
      { title: 'attempts', right: true },
      { title: 'answers (and waits, ms)' },
      { title: 'outcome' },
      { title: 'ms', right: true },
    ],
    calls.map((it) => [it.name, String(it.answers.length), story(it), outcome(it), paint.dim(it.ms.toFixed(0))]),
  ),
);

// The totals are over the flaky requests; `missing` is there to show a refusal.
const judged = calls.slice(0, requestCount);
const sent = calls.reduce((sum, it) => sum + it.answers.length, 0);
const received = counted.requests + counted.notFound;
const first = judged.filter((it) => it.answers[0] === '200').length;
const succeeded = judged.filter((it) => it.outcome === 'ok').length;
const attempts = judged.reduce((sum, it) => sum + it.answers.length, 0);
const fails = failureRate ** options.maxAttempts;
// 1 + p + p² + … : each term is the chance that one more attempt is made.
const expectedAttempts = Array.from({ length: options.maxAttempts }, (_, k) => failureRate ** k).reduce((a, b) => a + b);

console.log(
  table(
    [
      { title: '' },
      { title: 'succeeded', right: true },
      { title: 'share', right: true },
      { title: 'expected', right: true },
      { title: 'attempts', right: true },
      { title: 'expected', right: true },
    ],
    [
      ['without retry', `${first} of ${requestCount}`, percent(first / requestCount), percent(1 - failureRate), String(requestCount), String(requestCount)],
      [
        paint.bold('with retry'),
        paint.bold(`${succeeded} of ${requestCount}`),
        paint.bold(percent(succeeded / requestCount)),
        percent(1 - fails),
        String(attempts),
        (requestCount * expectedAttempts).toFixed(0),
      ],
    ],
  ),
);

const waits = calls.flatMap((it) => it.waits);
// The ceilings come from the package too: the waits of the same policy without jitter.
const ceilings = [...new RetryPolicy({ ...options, jitter: 'none' }).delays()];
const shares = calls.flatMap((it) => it.waits.map((wait, k) => wait / /** @type {number} */ (ceilings[k])));
const total = waits.reduce((a, b) => a + b, 0);
console.log(`failures  ${failures(calls)}`);
if (waits.length > 0) {
  const mean = shares.reduce((a, b) => a + b) / shares.length;
  const error = 1 / Math.sqrt(12 * shares.length);
  console.log(
    `waits     ${waits.length}, ${(total / 1000).toFixed(2)} s in all; on average ${percent(mean)} of their ceiling ` +
      paint.dim(`(expected 50 % ± ${percent(error)})`),
  );
}
console.log(`server    received ${received} requests; the client made ${sent}`);
console.log(`time      ${seconds.toFixed(2)} s`);
if (received !== sent) {
  console.error(paint.red('The two counts differ.'));
  process.exitCode = 1;
}

/** @param {Call} it */
function story(it) {
  return it.answers
    .map((answer, k) => {
      const wait = it.waits[k];
      const shown = answer === '200' ? paint.green(answer) : paint.red(answer);
      return wait === undefined ? shown : `${shown} ${paint.dim(`(${wait.toFixed(0)})`)}`;
    })
    .join(' ');
}

/** @param {Call} it */
function outcome(it) {
  return it.outcome === 'ok' ? paint.green('ok') : paint.red(it.outcome);
}

/** @param {Call[]} all */
function failures(all) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const answer of all.flatMap((it) => it.answers)) {
    if (answer !== '200') counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([answer, n]) => `${answer} × ${n}`).join(', ') || 'none';
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(share > 0.95 && share < 1 ? 1 : 0)} %`;
}

/**
 * @param {'rate' | 'requests' | 'concurrency'} name
 * @param {number} min
 * @param {number} max
 */
function numberArg(name, min, max) {
  const value = Number(args[name]);
  if (!(value >= min && value <= max) || (name !== 'rate' && !Number.isInteger(value))) {
    console.error(`--${name} must be ${name === 'rate' ? 'a number' : 'an integer'} from ${min} to ${max}, not ${args[name]}`);
    process.exit(2);
  }
  return value;
}
