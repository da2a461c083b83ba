// Real failures of fetch, as a host words them, and what each decider of the package makes of them. For any host that
// has fetch: it names nothing else. The servers are those of servers.mjs: `cargo xtask hosts --only failures`.

import { verdictsOn } from './rows.mjs';

/** @typedef {import('./servers.mjs').Failure} Failure */

const OPTIONS = { maxAttempts: 3, baseMs: 1, capMs: 2 };

/** Longer than a request takes to its server on a busy machine. */
const SENT_MS = 1000;

/** Requests that need more than what is written down. */
const HOW = {
  timeout: (fetch, url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(SENT_MS) }),
  aborted: (fetch, url, init) => fetch(url, { ...init, signal: AbortSignal.abort() }),
  abort(fetch, url, init) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), SENT_MS);
    return fetch(url, { ...init, signal: controller.signal });
  },
  async used(fetch, url) {
    const used = new Request(url, { method: 'POST', body: 'x' });
    await used.text();
    return fetch(used);
  },
  stream: (fetch, url, init) => fetch(url, { ...init, body: new ReadableStream() }),
  json: async (fetch, url, init) => ({ text: async () => (await fetch(url, init)).json() }),
};

/** Longer than a host takes to fail on a busy machine. */
const LIMIT_MS = 30_000;
/** A body without end has less time: some hosts wait for it, and the servers close it after five seconds. */
const STREAM_LIMIT_MS = 3000;
const HANGS = { name: 'hangs' };

/** Resolves with what a request and the reading of its body failed with; with undefined if they did not. */
async function failureOf(fetch, { url, init, how }, more) {
  let limit;
  const hangs = new Promise((done) => {
    limit = setTimeout(done, how === 'stream' ? STREAM_LIMIT_MS : LIMIT_MS, HANGS);
  });
  const send = HOW[how] ?? ((fetch, ...args) => fetch(...args));
  const run = async () => (await send(fetch, url, more ? { ...init, ...more } : init)).text();
  const ended = run().then(
    () => undefined,
    (error) => error,
  );
  const first = await Promise.race([ended, hangs]);
  clearTimeout(limit);
  return first;
}

const shown = (error) =>
  typeof error === 'string'
    ? error
    : `${error?.code ?? ''} ${error?.name}: ${error?.message}`.slice(0, 200) +
      (error?.cause ? ` < ${shown(error.cause)}` : '');

/**
 * What is wrong with the verdicts on an error. Light knows what it may send again, not what stays.
 * @param {Failure} failure @param {any} error
 * @param {{ transient: boolean, programming: boolean, large: boolean, light: boolean }} verdicts
 */
function wrongIn({ is, body, ambiguous }, error, { transient, programming, large, light }) {
  const wrong = [];
  const expect = (name, found, right) => found !== right && wrong.push(`${name} ${found}`);
  const passes = is === 'passes';
  expect('isTransientError', transient, passes);
  // What fails after the response has come is not for createFetch.
  if ((passes && !ambiguous) || !body) expect('createFetch', large, passes);
  if (passes || (is !== 'stays' && !body)) expect('light', light, passes);
  if (passes) expect('isProgrammingError', programming, false);
  if (is === 'mistake' && error.name === 'TypeError') expect('isProgrammingError', programming, true);
  return wrong;
}

/**
 * Makes all failures. Returns a line for each that a decider classifies wrongly, or for which a POST was sent again;
 * and a cell for each failure: requests of one call that the server counted, for bodies whether they are transient.
 * @param {object} deciders `createFetch`, `light`, which is that of rejitter/light/fetch, `isTransientError`,
 *   `isProgrammingError`
 * @param {{ failures: Failure[], take: (what: string) => number | Promise<number>,
 *   isMute?: (failure: Failure) => boolean, unasked?: string[] }} world which failures a host does not tell apart from
 *   others, and the deciders that know nothing of its errors
 */
export async function compare(deciders, { failures, take, isMute = () => false, unasked = [] }) {
  const wrong = [];
  const cells = {};
  const said = [];
  const { fetch } = globalThis;
  for (const failure of failures) {
    const { what, is, body, proves, counts, how, init } = failure;
    let attempts = 0;
    const counting = (...args) => {
      attempts += 1;
      return fetch(...args);
    };
    /** What one call of a fetch ends with, and how many requests the server got. */
    const call = async (send, more, row = failure) => {
      await take(what);
      const error = await failureOf(send, row, more);
      return { error, requests: await take(what) };
    };
    const { error, requests: bare } = await call(fetch);
    // A signal's timeout ends the call, one of ours the attempt.
    const timed = how === 'timeout';
    const ours = deciders.createFetch(timed ? { ...OPTIONS, attemptTimeoutMs: SENT_MS } : OPTIONS, counting);
    const { error: ended, requests } = await call(ours, undefined, timed ? { ...failure, how: undefined } : failure);
    if (error === undefined || error === HANGS) {
      const silent = error === HANGS ? 'hangs' : 'succeeds';
      cells[what] = requests > bare ? `${requests}` : silent;
      said.push(`  ${what}: no failure, requests ${bare}, ${requests}`);
      continue;
    }
    const verdicts = await verdictsOn(deciders, error);
    const isAsked = (line) => !unasked.includes(line.split(' ')[0]);
    const found = isMute(failure) ? [] : wrongIn(failure, error, verdicts).filter(isAsked);
    const isCounted = counts && (is === 'passes' || is === 'stays');
    cells[what] = body ? `${verdicts.transient}` : `${isCounted ? requests : `(${attempts})`}`;
    const plain = !body && how === undefined;
    if (plain && attempts !== (verdicts.large ? 3 : 1)) found.push(`${attempts} attempts, then ${shown(ended)}`);
    let posts = '';
    if (plain && !init) {
      const post = { method: 'POST', body: 'x' };
      const { requests: bare } = await call(fetch, post);
      attempts = 0;
      const { requests } = await call(ours, post);
      posts = `POST ${bare} ${requests} ${attempts}`;
      if (!proves && attempts !== 1) found.push(`a POST was sent ${attempts} times`);
    }
    if (found.length > 0) wrong.push(`${what}: ${found.join(', ')}; ${shown(error)}`);
    const mark = found.length > 0 ? '!' : ' ';
    said.push(`${mark} ${what}: ${JSON.stringify(verdicts)}, requests ${bare}, ${requests} ${posts}; ${shown(error)}`);
  }
  return { wrong, cells, said };
}
