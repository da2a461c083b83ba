/**
 * The main job on real input: two dozen HTTP requests to a server that misbehaves, made with a
 * `fetch` that retries, and a table of what happened to each.
 *
 *   node main.mjs [--seed 42] [--rate 0.55] [--requests 24] [--concurrency 8]
 *
 * `rejitter` is resolved as in any program, from the folder that holds this file: run it where the
 * packed tarball is installed, either here (`www/node_modules/rejitter`) or as a copy of this
 * folder's `*.mjs` next to another `node_modules`.
 *
 * With one seed the failures, the waits and the outcomes are the same on every run; only the
 * milliseconds in the last column vary. Exits with 1 if server and client disagree on the number
 * of requests to `/flaky/`.
 */
import { parseArgs } from 'node:util';
import { RetryPolicy, TimeoutError, retryReport } from 'rejitter';
import { HttpStatusError, createFetch } from 'rejitter/fetch';
import { startServer } from './misbehaving-server.mjs';

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
const ANSWER_WITHIN_MS = 1000;
const options = /** @type {const} */ ({ baseMs: 40, capMs: 400, factor: 2, maxAttempts: 6 });
const fetch = createFetch({ ...options, attemptTimeoutMs: ANSWER_WITHIN_MS, throwOnStatus: true });

/** Answers: one per attempt, a status, `drop` or `slow`. @typedef {{ answers: string[], waits: number[] }} Attempts */

/** @param {string} server @param {string} path */
async function call(server, path) {
  const attempts = /** @type {Attempts} */ ({ answers: [], waits: [] });
  const record = { ...attempts, name: path.replace('flaky/', ''), outcome: 'ok', ms: 0 };
  const start = performance.now();
  try {
    const response = await fetch(`${server}/${path}`, {
      retry: {
        // One seed for the run, another sequence for each request: clients that share their
        // randomness would retry in step, which is what jitter is there to prevent.
        seed: `${args.seed}/${path}`,
        onFailure: ({ error }) => record.answers.push(label(error)),
        onRetry: ({ delayMs }) => record.waits.push(delayMs),
      },
    });
    await response.json();
    record.answers.push('200');
  } catch (error) {
    // Rejected before the first attempt: a mistake in the options, not an outcome.
    if (record.answers.length === 0) throw error;
    record.outcome = retryReport(error)?.reason === 'notRetryable' ? 'rejected' : 'gave up';
  }
  record.ms = performance.now() - start;
  return record;
}

/** @param {unknown} error */
function label(error) {
  if (error instanceof HttpStatusError) return String(error.status);
  if (error instanceof TimeoutError) return 'slow';
  return error instanceof TypeError ? 'drop' : String(error);
}

const server = await startServer({ seed: args.seed, failureRate });
console.log(`rejitter on Node ${process.versions.node}, against ${server.url}
${requestCount} requests, ${concurrency} at a time, to a server where ${percent(failureRate)} of answers fail (seed ${args.seed}).
createFetch, full jitter, ${JSON.stringify(options).replace(/[{}"]/g, '').replace(/[:,]/g, '$& ')}; slow is after ${ANSWER_WITHIN_MS} ms.
`);

// The first fetch of a process also loads fetch itself. That time is not the server's, and on a
// busy machine it could pass for a slow answer.
await (await fetch(`${server.url}/stats`)).json();

/** @type {Awaited<ReturnType<typeof call>>[]} */
const calls = [];
// The last one is to a path that the server does not have: a failure that is not worth a retry.
const waiting = Array.from({ length: requestCount }, (_, i) => `flaky/${String(i + 1).padStart(2, '0')}`)
  .concat('missing')
  .entries();
const startedAt = performance.now();
// All of these take from one iterator, so each request is made once.
const worker = async () => {
  for (const [i, path] of waiting) calls[i] = await call(server.url, path);
};
await Promise.all(Array.from({ length: concurrency }, worker));
const seconds = (performance.now() - startedAt) / 1000;
// Other programs, such as a browser or an editor that looks for servers, may send requests to this port too.
const { requests: received } = server.stats();
await server.close();

const rows = calls.map(({ name, answers, waits, outcome, ms }) => {
  const story = answers.map((answer, k) => (waits[k] === undefined ? answer : `${answer} (${waits[k].toFixed(0)})`));
  const counts = [`${answers.length}`.padStart(8), story.join(' ')];
  return [name.padEnd(7), ...counts, outcome.padEnd(8), ms.toFixed(0).padStart(5)];
});
const widest = Math.max(...rows.map(([, , story = '']) => story.length), 23);
for (const [name, attempts, story = '', ...rest] of [
  ['request', 'attempts', 'answers (and waits, ms)', 'outcome ', '   ms'],
  ...rows,
])
  console.log([name, attempts, story.padEnd(widest), ...rest].join('  '));

const flaky = calls.slice(0, requestCount);
const ofAll = (/** @type {typeof calls} */ some) =>
  `${some.length} of ${requestCount} (${percent(some.length / requestCount)})`;
const sent = sum(flaky.map(({ answers }) => answers.length));
const first = ofAll(flaky.filter(({ answers }) => answers[0] === '200'));
const succeeded = ofAll(flaky.filter(({ outcome }) => outcome === 'ok'));
const answers = calls.flatMap((one) => one.answers).filter((answer) => answer !== '200');
const failures = [...new Set(answers)].map((kind) => `${kind} × ${answers.filter((one) => one === kind).length}`);
// The ceilings come from the package too: the waits of the same policy without jitter. The server's 429 says how long
// to wait: never less than that, so it is not a draw below the ceiling.
const ceilings = [...new RetryPolicy({ ...options, jitter: 'none' }).delays()];
const shares = calls.flatMap(({ waits, answers }) =>
  waits.flatMap((wait, k) => (answers[k] === '429' ? [] : wait / /** @type {number} */ (ceilings[k]))),
);
const drawn = shares.length === 0 ? 'none' : `${percent(sum(shares) / shares.length)} of their ceilings (expected 50%)`;
console.log(`
without retry  ${first}, expected ${percent(1 - failureRate)}
with retry     ${succeeded}, expected ${percent(1 - failureRate ** options.maxAttempts)}
failures       ${failures.join(', ') || 'none'}
waits          ${drawn}, without those of a Retry-After
server         received ${received} requests to /flaky/; the client made ${sent}
time           ${seconds.toFixed(2)} s`);
if (received !== sent) {
  console.error('The two counts differ.');
  process.exitCode = 1;
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(share > 0.95 && share < 1 ? 1 : 0)}%`;
}

/** @param {'rate' | 'requests' | 'concurrency'} name @param {number} min @param {number} max */
function numberArg(name, min, max) {
  const [value, isWhole] = [Number(args[name]), name !== 'rate'];
  if (value >= min && value <= max && !(isWhole && value % 1)) return value;
  console.error(`--${name} must be ${isWhole ? 'an integer' : 'a number'} from ${min} to ${max}, not ${args[name]}`);
  return process.exit(2);
}
