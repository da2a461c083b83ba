// This package as a contender: one process, whose calls share a protection.

/**
 * One process. `fetch` is absent if the package has none; then the contender has no number of worlds with HTTP.
 * @typedef {object} Contender
 * @property {(fn: () => Promise<unknown>, options: any) => Promise<any>} call with options of `RetryPolicy`
 * @property {(send: () => Promise<Response>, options: any) => Promise<Response>} [fetch] with options of `createFetch`
 * @property {(ms: number, error: unknown) => unknown} [retryAfter] what to throw if the server asks to wait
 * @property {() => void} [stop]
 *
 * @typedef {(random: () => number) => Contender} Make
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
export function oursOf({ RetryPolicy, breaker, budget, cooldown, createFetch, protect, retryAfter }) {
  const ours = (parts, more) => (random) => {
    const list = parts();
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
  };
}
