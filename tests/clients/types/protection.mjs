// The declarations of rejitter/protection, and of the option, in a strict project of a user's.

const POSITIVE = `
export type Exported = [ProtectionEvent];
export const parts: Part[] = [
  budget(), budget({}), breaker(), cooldown(), hedge(), limiter({ limit: 50, burst: 2 }),
  limiter({ acquire: async (key, { signal, weight }) => (signal.aborted || key === 'a' ? weight : undefined) }),
];
export const limits: LimiterOptions = { concurrency: 2 };
export const recipes: [BudgetOptions, BreakerOptions, CooldownOptions, HedgeOptions] = [{}, {}, {}, {}];
same<(typeof parts)[number]['part'], 'budget' | 'breaker' | 'cooldown' | 'limiter' | 'hedge'>(true);

export const all: Protection[] = [
  protect(budget()), protect(budget(), breaker(), cooldown()), protect(cooldown(), {}), protect(...parts),
  protect(budget(), { isFailure: ({ error, status }) => (status === 429 ? true : error?.code === 'EBUSY' ? 'ignore' : undefined) }),
  protect(budget(), { isFailure: undefined, onEvent: undefined }),
];
const isFailure = (end: AttemptEnd) => {
  same<typeof end.status, number | undefined>(true);
  same<[typeof end.attempt, typeof end.durationMs], [number, number]>(true);
  return end.result === 'busy';
};
const options: ProtectOptions = { isFailure, onEvent: ({ type, key, by, retryAfterMs }) => {
  same<typeof key, string | undefined>(true);
  same<typeof retryAfterMs, number | undefined>(true);
  if (type === 'half-open' || by === 'budget') return;
} };
export const api: Protection = protect(budget(), options);

export function used(): void {
  const status: ProtectionStatus = api.for('tenant').status();
  same<typeof status.breaker, { readonly state: 'closed' | 'open' | 'half-open'; readonly retryAfterMs: number; readonly failures: number; readonly calls: number; readonly opens: number; readonly rejected: number } | undefined>(true);
  same<typeof status.hedge, { readonly delayMs: number | undefined; readonly hedges: number; readonly won: number; readonly rejected: number } | undefined>(true);
  same<typeof status.limiter, { readonly running: number; readonly queued: number; readonly nextMs: number; readonly rejected: number } | undefined>(true);
  void [status.budget?.tokens.toFixed(), status.cooldown?.held.toFixed(), api.keys().join()];
  api.open();
  api.close();
  api.drain();
}

export const withOption: [RetryOptions, PolicyOptions, RunOptions, SyncOptions, FetchOptions] = [
  { protection: api }, { protection: false }, { protection: undefined, key: 'a' }, { protection: api }, { protection: api, protectionKey: () => null },
];
const policy = new RetryPolicy({ protection: api });
export const calls = [
  policy.run(() => 1, { key: 'tenant' }), policy.run(() => 1, { key: undefined, protection: false }), retry(() => 1, { protection: api, weight: 2 }),
  policy.run(() => 1, { weight: (attempt) => attempt.valueOf() }),
  policy.with({ protection: false }).run(() => 1), createFetch({ protection: api, protectionKey: (request) => request.headers.get('x-tenant') })('https://example.com'),
];

export const isSuperseded = (reason: unknown): 'SupersededError' | undefined => (reason instanceof SupersededError ? reason.name : undefined);

export function rejected(error: unknown): number {
  if (!(error instanceof RejectedError)) return 0;
  same<typeof error.by, 'breaker' | 'cooldown' | 'limiter'>(true);
  same<typeof error.name, 'RejectedError'>(true);
  return error.cause === undefined ? error.retryAfterMs : 1;
}
`;

const NEGATIVE = `
const api = protect(budget());
protect(breaker(), { isFailure: () => 'failure' }); // wrong: an answer that says nothing known
protect(breaker(), { isFailure: async () => true }); // wrong: it is not awaited
protect(budget); // wrong: the function itself is not a part
protect({ onEvent: () => {} }, budget()); // wrong: options come last
api.for(5); // wrong: a key is a text
api.status().budget = undefined; // wrong: numbers are read, not written
retry(() => 1, { protection: budget() }); // wrong: neither is a part
limiter(); // wrong: there is no default
limiter({ limit: 1, acquire: () => 'now' }); // wrong: an answer is a time
retry(() => 1, { weight: '2' }); // wrong: units are a number
createFetch({ protection: api, protectionKey: () => undefined }); // wrong: a key of a request is a text or null
`;

export default {
  entries: ['rejitter/protection', 'rejitter', 'rejitter/fetch'],
  positive: POSITIVE,
  negative: NEGATIVE,
};
