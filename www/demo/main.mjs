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
import { TimeoutError, retryReport } from 'rejitter';
import { HttpStatusError, createFetch } from 'rejitter/fetch';
import { startServer } from './misbehaving-server.mjs';
import { printCalls, printIntroduction, printTotals } from './report.mjs';

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

/**
 * @param {string} server
 * @param {string} path
 * @returns {Promise<import('./report.mjs').Call>}
 */
async function call(server, path) {
  /** @type {import('./report.mjs').Call} */
  const record = { name: path.replace('flaky/', ''), answers: [], waits: [], outcome: 'ok', ms: 0 };
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
const flaky = Array.from({ length: requestCount }, (_, i) => `flaky/${String(i + 1).padStart(2, '0')}`);
const setting = {
  ...options,
  server: server.url,
  seed: args.seed,
  failureRate,
  requestCount,
  concurrency,
  answerWithinMs: ANSWER_WITHIN_MS,
};
printIntroduction(setting);

// The first fetch of a process also loads fetch itself. That time is not the server's, and on a
// busy machine it could pass for a slow answer.
await (await fetch(`${server.url}/stats`)).json();

/** @type {import('./report.mjs').Call[]} */
const calls = [];
// The last one is to a path that the server does not have: a failure that is not worth a retry.
const waiting = [...flaky, 'missing'].entries();
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

printCalls(calls);
const agreed = printTotals(setting, calls, { received, seconds });
if (!agreed) process.exitCode = 1;

/**
 * @param {'rate' | 'requests' | 'concurrency'} name
 * @param {number} min
 * @param {number} max
 */
function numberArg(name, min, max) {
  const value = Number(args[name]);
  if (!(value >= min && value <= max) || (name !== 'rate' && !Number.isInteger(value))) {
    console.error(
      `--${name} must be ${name === 'rate' ? 'a number' : 'an integer'} from ${min} to ${max}, not ${args[name]}`,
    );
    process.exit(2);
  }
  return value;
}
