/** The output of the Node demo: each request with its attempts and waits, then the sums. */
import { RetryPolicy } from 'rejitter';
import { paint, table } from './terminal.mjs';

/**
 * @typedef {object} Call
 * @property {string} name
 * @property {string[]} answers one per attempt: a status, `drop` or `slow`
 * @property {number[]} waits
 * @property {'ok' | 'gave up' | 'rejected'} outcome
 * @property {number} ms
 */

/**
 * @typedef {object} Setting
 * @property {string} server
 * @property {string} seed
 * @property {number} failureRate
 * @property {number} requestCount how many requests went to the flaky endpoint; they come first
 * @property {number} concurrency
 * @property {number} answerWithinMs
 * @property {number} baseMs
 * @property {number} capMs
 * @property {number} factor
 * @property {number} maxAttempts
 */

/** @param {Setting} setting */
export function printIntroduction({ server, seed, failureRate, requestCount, concurrency, answerWithinMs, ...policy }) {
  console.log(`${paint.bold('rejitter')} on Node ${process.versions.node}, against ${server}`);
  console.log(
    `${requestCount} requests, ${concurrency} at a time, to a server where ${percent(failureRate)} of answers ` +
      `fail (seed ${seed}).`,
  );
  const { baseMs, capMs, factor, maxAttempts } = policy;
  const options = `baseMs ${baseMs}, capMs ${capMs}, factor ${factor}, maxAttempts ${maxAttempts}`;
  console.log(paint.dim(`createFetch, full jitter, ${options}; slow is after ${answerWithinMs} ms.\n`));
}

/** @param {Call[]} calls */
export function printCalls(calls) {
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
}

/**
 * @param {Setting} setting
 * @param {Call[]} calls
 * @param {{ received: number, seconds: number }} run
 * @returns {boolean} whether server and client counted the same number of requests to `/flaky/`
 */
export function printTotals({ failureRate, requestCount, ...policy }, calls, { received, seconds }) {
  const flaky = calls.slice(0, requestCount);
  const first = flaky.filter((it) => it.answers[0] === '200').length;
  const succeeded = flaky.filter((it) => it.outcome === 'ok').length;
  const sent = sum(flaky.map((it) => it.answers.length));
  const fails = failureRate ** policy.maxAttempts;
  // 1 + p + p² + … : each term is the chance that one more attempt is made.
  const expectedAttempts = requestCount * sum(Array.from({ length: policy.maxAttempts }, (_, k) => failureRate ** k));
  const ofAll = (/** @type {number} */ n) => [`${n} of ${requestCount}`, percent(n / requestCount)];
  console.log(
    table(
      ['', 'succeeded', 'share', 'expected', 'attempts', 'expected'].map((title) => ({ title, right: title !== '' })),
      [
        ['without retry', ...ofAll(first), percent(1 - failureRate), String(requestCount), String(requestCount)],
        [
          paint.bold('with retry'),
          ...ofAll(succeeded).map(paint.bold),
          percent(1 - fails),
          String(sent),
          expectedAttempts.toFixed(0),
        ],
      ],
    ),
  );

  console.log(`failures  ${failures(calls)}`);
  printWaits(policy, calls);
  console.log(`server    received ${received} requests to /flaky/; the client made ${sent}`);
  console.log(`time      ${seconds.toFixed(2)} s`);
  if (received !== sent) console.error(paint.red('The two counts differ.'));
  return received === sent;
}

/**
 * @param {{ baseMs: number, capMs: number, factor: number, maxAttempts: number }} policy
 * @param {Call[]} calls
 */
function printWaits({ baseMs, capMs, factor, maxAttempts }, calls) {
  const waits = calls.flatMap((it) => it.waits);
  if (waits.length === 0) return;
  // The ceilings come from the package too: the waits of the same policy without jitter.
  const ceilings = [...new RetryPolicy({ baseMs, capMs, factor, maxAttempts, jitter: 'none' }).delays()];
  // The server's 429 says how long to wait: never less than that, so it is not a draw below the ceiling.
  const shares = calls.flatMap((it) =>
    it.waits.flatMap((wait, k) => (it.answers[k] === '429' ? [] : wait / /** @type {number} */ (ceilings[k]))),
  );
  const requested = waits.length - shares.length;
  const hinted = requested > 0 ? ` (${requested} by Retry-After)` : '';
  if (shares.length === 0) {
    console.log(`waits     ${waits.length}, ${(sum(waits) / 1000).toFixed(2)} s${hinted}`);
    return;
  }
  const mean = percent(sum(shares) / shares.length);
  const standardError = percent(1 / Math.sqrt(12 * shares.length));
  console.log(
    `waits     ${waits.length}, ${(sum(waits) / 1000).toFixed(2)} s${hinted}; else ${mean} of the ceiling ` +
      paint.dim(`(expected 50% ± ${standardError})`),
  );
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

/** @param {Call[]} calls */
function failures(calls) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const answer of calls.flatMap((it) => it.answers)) {
    if (answer !== '200') counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return sorted.map(([answer, n]) => `${answer} × ${n}`).join(', ') || 'none';
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((a, b) => a + b, 0);
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(share > 0.95 && share < 1 ? 1 : 0)}%`;
}
