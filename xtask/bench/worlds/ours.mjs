// This package as a contender: one process, whose calls share a protection.

/**
 * One process. `fetch` is absent if the package has none; then the contender has no number of worlds with HTTP.
 * @typedef {object} Contender
 * @property {(fn: () => Promise<unknown>, options: any) => Promise<any>} call with options of `RetryPolicy`
 * @property {(send: () => Promise<Response>, options: any) => Promise<Response>} [fetch] with options of `createFetch`
 * @property {(ms: number, error: unknown) => unknown} [retryAfter] what to throw if the server asks to wait
 * @property {() => void} [stop]
 *
 * The share of a process in what the server allows, in requests a second, and the limiter that all processes ask.
 * @typedef {object} Quota
 * @property {number} perSecond
 * @property {number} all of all processes
 * @property {() => Promise<number>} acquire 0, or after how many ms to ask again
 *
 * @typedef {(random: () => number, quota: Quota) => Contender} Make
 */

/** Makes each policy once. */
export function once(make) {
  const made = new Map();
  return (options) => {
    const policy = made.get(options) ?? make(options);
    made.set(options, policy);
    return policy;
  };
}

/** The package with all protections of the tables. The tests pass the one that they installed. */
export function oursOf({ RetryPolicy, breaker, budget, cooldown, createFetch, limiter, protect, retryAfter }) {
  const ours = (parts, more) => (random, quota) => {
    const list = parts(quota);
    const shared = { random, protection: list.length > 0 ? protect(...list) : undefined };
    const policies = once((options) => new RetryPolicy({ ...shared, ...options, ...more }));
    return {
      call: (fn, options) => policies(options).run(fn),
      fetch: (send, options) => createFetch({ ...shared, ...options, ...more }, send)('https://api.test/'),
      retryAfter,
    };
  };
  return {
    'no retries': ours(() => [], { maxAttempts: 1 }),
    'no protection': ours(() => []),
    'budget()': ours(() => [budget()]),
    'breaker()': ours(() => [breaker()]),
    'breaker(), cooldown()': ours(() => [breaker(), cooldown()]),
    'all three': ours(() => [budget(), breaker(), cooldown()]),
    'cooldown()': ours(() => [cooldown()]),
    'limiter()': ours(({ perSecond }) => [limiter({ limit: perSecond })]),
    'limiter(), shared': ours(({ all, acquire }) => [limiter({ limit: all, acquire })]),
  };
}
