// Uses each package of `wasm-pack build` as an app would.
// Runs as it is in Node and in a browser: no imports.

/** Everything that the test wants to know, as plain values. */
export async function use(api) {
  const attempts = [];
  const result = await api.retryWithFullJitter(
    async ({ attempt }) => {
      attempts.push(attempt);
      if (attempt < 4) throw new Error(`attempt ${attempt}`);
      return 'done';
    },
    { baseMs: 1, capMs: 2 },
  );
  const thrown = { any: 'object' };
  const caught = await api
    .retryWithFullJitter(() => Promise.reject(thrown), { baseMs: 1, maxAttempts: 2 })
    .catch((error) => error);
  const rejected = await api.retryWithFullJitter(() => 1, { baseMs: -1 }).catch((error) => error);
  let sent = 0;
  const fetch = api.createFetch({ baseMs: 1 }, async () => new Response('found', { status: ++sent < 3 ? 503 : 200 }));
  const policy = new api.RetryPolicy({ maxAttempts: 3, jitter: 'none' });
  return {
    result,
    attempts,
    identity: caught === thrown,
    rejection: rejected.name,
    delays: [...policy.delays()],
    fetched: [await (await fetch('http://localhost/')).text(), sent],
    // The others are additions of wasm-bindgen for the start, and of Node for CommonJS.
    exports: Object.keys(api)
      .filter((name) => !/^(default|initSync|module\.exports)$/.test(name))
      .sort(),
    // In Node it runs; on a page it says why it does not.
    blocking: blocking(api),
  };
}

function blocking({ retrySync }) {
  try {
    return retrySync(({ attempt }) => (attempt < 3 ? [].missing() : 'done'), { baseMs: 1 });
  } catch (error) {
    return /^rejitter: retrySync .*Use retry instead/.test(error.message) ? 'done' : error.message;
  }
}

export const expected = {
  blocking: 'done',
  result: 'done',
  attempts: [1, 2, 3, 4],
  identity: true,
  rejection: 'RangeError',
  delays: [100, 200],
  fetched: ['found', 3],
  exports: (
    'HttpStatusError RetryError RetryPolicy TimeoutError createFetch fetchWithRetry isPermanent ' +
    'isProgrammingError isTransientError permanent rateLimitHint retry retryAfter retryAfterMs retryReport ' +
    'retrySync retryWithDecorrelatedJitter retryWithEqualJitter retryWithExponentialBackoff retryWithFixedDelay ' +
    'retryWithFullJitter retryWithLinearBackoff retryWithTruncatedBackoff'
  ).split(' '),
};
