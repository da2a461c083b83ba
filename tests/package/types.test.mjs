// The declarations, in a strict project of a user's: what must compile does, what must not does not.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compileOne, typeTests } from './lib/types.mjs';

const POSITIVE = `
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};
interface User { readonly name: string }
declare const callApi: (id: number) => Promise<User>;

export async function results() {
  same<Promise<User>, ReturnType<typeof viaRetry>>(true);
  const viaRetry = () => retry(() => callApi(1));
  const text = await retryWithFullJitter(() => 'text');
  same<typeof text, string>(true);
  const nothing = await retryWithFixedDelay(async () => {});
  same<typeof nothing, void>(true);
  const either = await retryWithEqualJitter(async ({ attempt }) => (attempt > 1 ? 'late' as const : 1 as const));
  same<typeof either, 'late' | 1>(true);
  const like = await retryWithDecorrelatedJitter(() => ({}) as PromiseLike<number>);
  same<typeof like, number>(true);
  const mixed = await retryWithLinearBackoff(({ attempt }) => (attempt > 1 ? callApi(1) : undefined));
  same<typeof mixed, User | undefined>(true);
  const never = retryWithExponentialBackoff(() => { throw new Error(); });
  same<typeof never, Promise<never>>(true);
  const explicit: Promise<unknown> = retryWithTruncatedBackoff<User>(() => callApi(1));
  return [viaRetry, explicit];
}

export function attempts() {
  return retry((attempt) => {
    same<typeof attempt, Attempt>(true);
    same<typeof attempt.attempt, number>(true);
    same<typeof attempt.signal, AbortSignal>(true);
    same<typeof attempt.elapsedMs, number>(true);
    same<typeof attempt.remainingMs, number>(true);
    same<typeof attempt.previousError, unknown>(true);
    same<typeof attempt.previousDelayMs, number | undefined>(true);
    return attempt.signal.aborted;
  }, {
    retryIf: (error, attempt) => {
      same<typeof attempt, Attempt>(true);
      return (error as Error).name !== 'Fatal' && attempt.attempt < 3;
    },
  });
}

// A callback without parameters, an async predicate, a predicate with one parameter, a type guard's use.
export const predicates: RetryOptions[] = [
  { retryIf: () => true },
  { retryIf: async (error) => error instanceof TypeError },
  { retryIf: (error: unknown) => Promise.resolve(Boolean(error)) },
  { retryIf: (error: Error) => error.message !== 'fatal' },
];

// Every option; and each as undefined, which equals omission, also under exactOptionalPropertyTypes.
export const everything: RetryOptions = {
  baseMs: 1, capMs: Infinity, minMs: 0, factor: 2, backoff: 'exponential', jitter: 'full', maxAttempts: Infinity,
  signal: new AbortController().signal, retryIf: () => true, random: Math.random,
};
export const nothing: RetryOptions = {
  baseMs: undefined, capMs: undefined, minMs: undefined, factor: undefined, backoff: undefined, jitter: undefined,
  stepMs: undefined, truncateAt: undefined, maxAttempts: undefined, signal: undefined, retryIf: undefined,
  random: undefined, seed: undefined,
};
export const seeds: RetryOptions[] = [{ seed: 1 }, { seed: 1n }, { seed: 'one' }];
export const strategies: RetryOptions[] = [
  { backoff: 'linear', stepMs: 5 },
  { backoff: 'linear', jitter: 'equal' },
  { backoff: 'fixed', jitter: 'none' },
  { backoff: 'truncated', truncateAt: 4 },
  { backoff: 'exponential', factor: 3 },
  { factor: 3 },
  { jitter: 'decorrelated' },
  { jitter: 'decorrelated', baseMs: 1, capMs: 2 },
];
export const shortcuts = [
  retryWithFullJitter(() => 1, { factor: 3, seed: 'x' }),
  retryWithFullJitter(() => 1, { backoff: 'linear', stepMs: 3 }),
  retryWithLinearBackoff(() => 1, { stepMs: 3 }),
  retryWithTruncatedBackoff(() => 1, { truncateAt: 3 }),
  retryWithFixedDelay(() => 1, { baseMs: 3 }),
  retryWithExponentialBackoff(() => 1, { factor: 3, jitter: 'equal' }),
  retryWithDecorrelatedJitter(() => 1, { baseMs: 3 }),
];
// Options in constants of their own, frozen or not.
const shared = { maxAttempts: 3, jitter: 'equal' } as const;
export const withShared = [retry(() => 1, shared), new RetryPolicy(shared).run(() => 1), retry(() => 1, Object.freeze({ maxAttempts: 3 }))];
export const without = [retry(() => 1), retry(() => 1, undefined), retry(() => 1, {}), new RetryPolicy(), new RetryPolicy(undefined)];
const operation: Operation<User> = () => callApi(1);
export const viaOperation: Promise<User> = retry(operation);

export function policies(policy: RetryPolicy) {
  same<ReturnType<typeof run>, Promise<User>>(true);
  const run = () => policy.run(() => callApi(1), { signal: new AbortController().signal });
  const wrapped = policy.wrap(async (id: number, name?: string, ...rest: boolean[]): Promise<User> => ({ name: name ?? String(id) + rest.length }));
  const asDeclared: (id: number, name?: string, ...rest: boolean[]) => Promise<User> = wrapped;
  const plain = policy.wrap((id: number, ...rest: boolean[]) => [id, rest]);
  same<Parameters<typeof plain>, [id: number, ...rest: boolean[]]>(true);
  same<ReturnType<typeof wrapped>, Promise<User>>(true);
  void asDeclared(1), asDeclared(1, 'a', true);
  const sync = policy.wrap((a: string) => a.length);
  same<ReturnType<typeof sync>, Promise<number>>(true);
  const none = policy.wrap(() => {});
  same<Parameters<typeof none>, []>(true);
  class Client {
    constructor(readonly base: string) {}
    get = policy.wrap((path: string) => this.base + path);
  }
  const get: (path: string) => Promise<string> = new Client('').get;
  const delays = policy.delays();
  const iterator: IterableIterator<number> = delays;
  const seeded: number[] = [...policy.delays({ seed: 'x' }), ...policy.delays({ seed: 1n }), ...policy.delays({ seed: undefined }), ...policy.delays({})];
  delays.reset();
  for (const wait of delays) same<typeof wait, number>(true);
  const next = delays.next();
  if (next.done) same<typeof next.value, undefined>(true);
  else same<typeof next.value, number>(true);
  return [run, wrapped, get, iterator, seeded];
}
`;

/** Each line that must not compile, after a line that says why. */
const NEGATIVE = `
// @ts-expect-error an option's name is misspelt
retry(() => 1, { maxAtempts: 3 });
// @ts-expect-error a duration is a number
retry(() => 1, { baseMs: '100' });
// @ts-expect-error a duration is not a bigint
retry(() => 1, { capMs: 5n });
// @ts-expect-error null is not omission
retry(() => 1, { maxAttempts: null });
// @ts-expect-error no such backoff
retry(() => 1, { backoff: 'polynomial' });
// @ts-expect-error no such jitter
retry(() => 1, { jitter: 'half' });
// @ts-expect-error a wide string is no jitter
retry(() => 1, { jitter: String('full') });
// @ts-expect-error factor belongs to exponential: truncated doubles
retry(() => 1, { backoff: 'truncated', factor: 3 });
// @ts-expect-error factor belongs to exponential, not to fixed
retry(() => 1, { backoff: 'fixed', factor: 3 });
// @ts-expect-error factor belongs to exponential, not to linear
retry(() => 1, { backoff: 'linear', factor: 3 });
// @ts-expect-error stepMs belongs to linear
retry(() => 1, { stepMs: 3 });
// @ts-expect-error stepMs belongs to linear, not to exponential
retry(() => 1, { backoff: 'exponential', stepMs: 3 });
// @ts-expect-error truncateAt belongs to truncated
retry(() => 1, { truncateAt: 3 });
// @ts-expect-error truncateAt belongs to truncated, not to linear
retry(() => 1, { backoff: 'linear', truncateAt: 3 });
// @ts-expect-error decorrelated replaces the curve, so it has no factor
retry(() => 1, { jitter: 'decorrelated', factor: 3 });
// @ts-expect-error the function's name settles the jitter
retryWithFullJitter(() => 1, { jitter: 'none' });
// @ts-expect-error the function's name settles the jitter
retryWithDecorrelatedJitter(() => 1, { jitter: 'full' });
// @ts-expect-error the function's name settles the backoff
retryWithLinearBackoff(() => 1, { backoff: 'fixed' });
// @ts-expect-error stepMs belongs to linear
retryWithExponentialBackoff(() => 1, { stepMs: 3 });
// @ts-expect-error factor belongs to exponential
retryWithTruncatedBackoff(() => 1, { factor: 3 });
// @ts-expect-error factor belongs to exponential
retryWithFixedDelay(() => 1, { factor: 2 });
// @ts-expect-error a predicate answers with a boolean
retry(() => 1, { retryIf: () => 'yes' });
// @ts-expect-error a predicate that forgets its answer
retry(() => 1, { retryIf: () => {} });
// @ts-expect-error a promise of no boolean
retry(() => 1, { retryIf: async () => 1 });
// @ts-expect-error the second parameter is the attempt, not its number
retry(() => 1, { retryIf: (error: unknown, attempt: number) => attempt < 3 });
// @ts-expect-error a controller is not a signal
retry(() => 1, { signal: new AbortController() });
// @ts-expect-error random gives a number
retry(() => 1, { random: () => '0.5' });
// @ts-expect-error a seed is a number, a bigint or a string
retry(() => 1, { seed: {} });
// @ts-expect-error the callback is missing
retry();
// @ts-expect-error a promise is no callback: it could not be tried again
retry(Promise.resolve(1));
// @ts-expect-error the callback has one parameter, the attempt
retry((attempt: Attempt, second: number) => second);
// @ts-expect-error the attempt is an object
retry((attempt: number) => attempt);
// @ts-expect-error what the attempt says cannot be changed
retry((attempt) => { attempt.attempt = 1; });
// @ts-expect-error previousError is unknown: look before use
retry((attempt) => attempt.previousError.message);
// @ts-expect-error the result is a number
export const wrong: Promise<string> = retry(() => 1);
// @ts-expect-error a policy is made with new
RetryPolicy({});
// @ts-expect-error run takes a signal only
new RetryPolicy().run(() => 1, { maxAttempts: 3 });
// @ts-expect-error a wrapped function keeps its parameters
new RetryPolicy().wrap((id: number) => id)('1');
// @ts-expect-error a wrapped function keeps the number of its parameters
new RetryPolicy().wrap((id: number) => id)();
// @ts-expect-error a wrapped function gives a promise
export const wrapped: number = new RetryPolicy().wrap((id: number) => id)(1);
// @ts-expect-error delays takes a seed only
new RetryPolicy().delays({ maxAttempts: 3 });
// @ts-expect-error a wait is a number
export const wait: string | undefined = new RetryPolicy().delays().next().value;
`;

const VALUES = 'RetryPolicy, retry, retryWithDecorrelatedJitter, retryWithEqualJitter, retryWithExponentialBackoff, retryWithFixedDelay, retryWithFullJitter, retryWithLinearBackoff, retryWithTruncatedBackoff';
const IMPORT = `import { ${VALUES} } from 'rejitter';\nimport type { Attempt, Operation, RetryOptions } from 'rejitter';\n`;
const NEGATIVE_IMPORT = `import { ${VALUES} } from 'rejitter';\nimport type { Attempt } from 'rejitter';\n`;
// As CommonJS has it, by name and as a whole.
const CTS = `import whole = require('rejitter');\nexport const one: Promise<number> = whole.retry(() => 1);\n${IMPORT}`;

typeTests({ positive: IMPORT + POSITIVE, negative: NEGATIVE_IMPORT + NEGATIVE, cts: CTS.replace(IMPORT, ''), least: 35 });

test('control: a result of the wrong type is seen by the equality that the positive half uses', async () => {
  const text = `${IMPORT}${POSITIVE}`.replace('same<typeof text, string>(true)', 'same<typeof text, number>(true)');
  const { stdout } = await compileOne(text);
  assert.equal([...stdout.matchAll(/error TS/g)].length, 1, stdout);
});
