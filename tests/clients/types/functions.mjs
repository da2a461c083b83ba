// The declarations of the functions and of RetryPolicy, in a strict project of a user's.

const POSITIVE = `
interface User { readonly name: string }
declare const callApi: (id: number) => Promise<User>;

export async function results() {
  const text = await retryWithFullJitter(() => 'text');
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
  return explicit;
}

export function attempts() {
  return retry((attempt) => {
    same<typeof attempt.signal, AbortSignal>(true);
    same<typeof attempt.elapsedMs, number>(true);
    same<typeof attempt.remainingMs, number>(true);
    same<typeof attempt.previousError, unknown>(true);
    same<typeof attempt.previousDelayMs, number | undefined>(true);
    same<typeof attempt.attemptsLeft, number>(true);
    same<typeof attempt.name, string | undefined>(true);
    return attempt.signal.aborted;
  }, {
    retryIf: (error, attempt) => {
      same<typeof attempt, Attempt>(true);
      return (error as Error).name !== 'Fatal' && attempt.attempt < 3;
    },
  });
}

// Configuration objects, with the fields that a config file has.
interface Config { jitter: 'full' | 'equal'; backoff: 'exponential' | 'linear'; factor?: number; maxAttempts: number }
declare const config: Config;
declare const backoff: Backoff;
declare const jitter: Jitter;
export const configured = [
  new RetryPolicy(config), retry(() => 1, config), retryWithFullJitter(() => 1, { ...config }), new RetryPolicy({ ...config, factor: 3 }),
  retry(() => 1, { backoff, jitter, factor: 2 }), retryWithFullJitter(() => 1, { backoff }), retryWithFixedDelay(() => 1, { jitter }),
];
// Options that are kept, spread, extended and handed on.
declare const defaults: RetryOptions;
interface Mine extends RetryOptions { tenant: string }
interface MineOf<T> extends RetryOptions<T> { tenant: string }
export const spread = [
  retry(() => 1, { ...defaults, factor: 3 }), retryWithFullJitter(() => 1, { ...defaults, maxAttempts: 3 }), retryWithTruncatedBackoff(() => 1, { ...defaults }),
];
export const prefer = (options: RetryOptions): RetryOptions => ({ factor: 3, ...options });
export const mine = (options: Mine) => [retry(() => 1, options), new RetryPolicy(options), new RetryPolicy().with(options)];
// Wrappers that are generic in the result.
export function wrapper<T>(fn: () => Promise<T>, options?: RetryOptions<T>): Promise<T> {
  return retry(fn, { ...options, maxAttempts: 3 });
}
export function widest<T>(fn: Operation<T>, options: MineOf<T>): Promise<T> {
  return new RetryPolicy(options).run(fn, options);
}
// The result's type comes from the callback alone.
interface Job { status: number }
declare const job: () => Promise<Job>;
declare const forJobs: RetryOptions<Job>;
export const typed = [
  retry(job, { retryOnResult: (result, attempt) => { same<typeof result, Job>(true); same<typeof attempt, Attempt>(true); return result.status === 202; } }),
  retry(job, { retryOnResult: async ({ status }: { status: number }) => ({ afterMs: status }) }),
  retry(job, forJobs), retry(job, { ...forJobs, ...defaults }), retryWithFullJitter(job, forJobs), new RetryPolicy(forJobs).run(job, forJobs),
];
// Options in constants, frozen or not.
const shared = { maxAttempts: 3, jitter: 'equal' } as const;
export const withShared = [retry(() => 1, shared), new RetryPolicy(shared).run(() => 1), retry(() => 1, Object.freeze({ maxAttempts: 3 }))];
export const without = [retry(() => 1), retry(() => 1, undefined), retry(() => 1, {}), new RetryPolicy(), new RetryPolicy(undefined)];
const operation: Operation<User> = () => callApi(1);
export const viaOperation: Promise<User> = retry(operation);

export function fromTheCallbackAlone() {
  const failing = retry(() => { throw new Error(); }, { retryOnResult: (result: Job) => result.status === 202 });
  same<typeof failing, Promise<never>>(true);
  const parsed = retryWithFullJitter(async () => JSON.parse('{}'), forJobs);
  same<typeof parsed, Promise<any>>(true);
  const run = new RetryPolicy().run(() => { throw new Error(); }, forJobs);
  same<typeof run, Promise<never>>(true);
}

export function policies(policy: RetryPolicy) {
  const run = () => policy.run(() => callApi(1), { signal: new AbortController().signal });
  const wrapped = policy.wrap(async (id: number, name?: string, ...rest: boolean[]): Promise<User> => ({ name: name ?? String(id) + rest.length }));
  const told = policy.wrap(async (attempt, id: number, name?: string): Promise<User> => { same<typeof attempt, Attempt>(true); return { name: name ?? String(id) }; }, { withAttempt: true });
  same<typeof told, (id: number, name?: string) => Promise<User>>(true);
  const alone = policy.wrap(({ signal }) => signal.aborted, { withAttempt: true });
  const method: (this: User, id: number) => Promise<string> = policy.wrap(function (this: User, attempt: Attempt, id: number) { return this.name + id + attempt.name; }, { withAttempt: true });
  void [told, method];
  const waits: number[] = [policy.delayMs(1), policy.delayMs(2, { seed: 'x', operation: 3, hintMs: 500 }), policy.delayMs(3, {})];
  void waits;
  class Sub extends RetryPolicy { extra(): number { return 1; } }
  const subclassed: number[] = [new Sub().with({}).extra(), fromData({}, { as: Sub }).with().extra()];
  const made: RetryPolicy[] = [fromData({}), fromData({}, {}), new RetryPolicy(grpc), policy.with(polly)];
  same<ReturnType<typeof wrapped>, Promise<User>>(true);
  const none = policy.wrap(() => {});
  class Users {
    @policy.wrap async load(id: number): Promise<User> { return { name: String(id) }; }
  }
  same<Parameters<typeof none>, []>(true);
  class Client {
    constructor(readonly base: string) {}
    get = policy.wrap((path: string) => this.base + path);
  }
  const get: (path: string) => Promise<string> = new Client('').get;
  const delays = policy.delays();
  const seeded: number[] = [...policy.delays({ seed: 'x' }), ...policy.delays({ seed: 1n }), ...policy.delays({ seed: undefined }), ...policy.delays({})];
  delays.reset();
  return [run, wrapped, get, seeded];
}
`;

/** Each line that must not compile, after a line that says why. */
const NEGATIVE = `
interface Job { status: number }
declare const job: () => Promise<Job>;
declare const forJobs: RetryOptions<Job>;
declare const config: { jitter: 'full'; backoff: 'exponential' | 'polynomial' };
declare const defaults: RetryOptions;
retry(() => 1, { signal: new AbortController() }); // wrong: a controller is not a signal
// @ts-expect-error the same, of a callback whose parameter is not annotated
retry(async ({ attempt }) => ({ attempt }), { retryOnResult: (result) => result.attmpt === 1 });
retry(() => 'text', forJobs); // wrong: options for another result
// @ts-expect-error a predicate for another result, in a policy's run
new RetryPolicy().run(job, { retryOnResult: (job) => job.stauts === 202 });
// @ts-expect-error the result's type is not widened by the predicate
retry(() => 'text', { retryOnResult: (result: 'other') => result === 'other' });
new RetryPolicy(config); // wrong: an unknown backoff in a config object
retry(() => 1, { ...defaults, maxAtempts: 3 }); // wrong: a misspelt option next to a spread
retry(() => 1, { random: () => '0.5' }); // wrong: random gives a number
retry(); // wrong: the callback is missing
retry((attempt) => { attempt.attempt = 1; }); // wrong: what the attempt says cannot be changed
new RetryPolicy().delayMs(); // wrong: the number of the wait is missing
new RetryPolicy().delayMs(1, { maxAttempts: 3 }); // wrong: delayMs takes no options of a policy
// @ts-expect-error without withAttempt, the attempt would be the caller's first argument
new RetryPolicy().wrap((attempt: Attempt, id: number) => [attempt, id])(5);
// @ts-expect-error with withAttempt, the first parameter is the attempt
new RetryPolicy().wrap((id: number) => id, { withAttempt: true });
// @ts-expect-error with withAttempt, the caller passes no attempt
new RetryPolicy().wrap((attempt: Attempt, id: number) => [attempt, id], { withAttempt: true })(5, 6);
new RetryPolicy().delays({ maxAttempts: 3 }); // wrong: delays takes a seed only
export const wait: string | undefined = new RetryPolicy().delays().next().value; // wrong: a wait is a number
`;

export default { entries: ['rejitter', 'rejitter/data', 'rejitter/presets'], positive: POSITIVE, negative: NEGATIVE };
