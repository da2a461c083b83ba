// The declarations of rejitter/protection, and of the option, in a strict project of a user's.

const IMPORT = `
import { RejectedError, SupersededError, breaker, budget, cooldown, hedge, protect } from 'rejitter/protection';
import type {
  AttemptEnd, BreakerOptions, BudgetOptions, CooldownOptions, HedgeOptions, Part, ProtectOptions, Protection, ProtectionEvent, ProtectionStatus,
} from 'rejitter/protection';
import { RetryPolicy, retry, retrySync } from 'rejitter';
import type { PolicyOptions, RetryOptions, RunOptions, SyncOptions } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import type { FetchOptions } from 'rejitter/fetch';
`;

const POSITIVE = `${IMPORT}
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

export const parts: Part[] = [
  budget(), budget({}), budget({ capacity: 5, perSuccess: 0, cost: 0.5, refund: false }), budget({ preset: 'awsSdk2026' }), budget({ capacity: undefined }),
  breaker(), breaker({ failureRatio: 1, minimumCalls: Infinity, windowMs: 100, consecutiveFailures: 5, openMs: 1, closeAfter: 2 }),
  breaker({ isFailure: ({ error, status }) => (status === 429 ? true : error?.code === 'EBUSY' ? 'ignore' : undefined) }),
  cooldown(), cooldown({ maxHoldMs: Infinity }),
  hedge(), hedge({ quantile: 0.99, maxRatio: 1 }), hedge({ delayMs: 0, quantile: undefined }),
];
export const recipes: [BudgetOptions, BreakerOptions, CooldownOptions, HedgeOptions] = [{}, { isFailure: (end: AttemptEnd) => end.status === 500 }, {}, {}];
same<(typeof parts)[number]['part'], 'budget' | 'breaker' | 'cooldown' | 'hedge'>(true);

export const all: Protection[] = [
  protect(budget()), protect(budget(), breaker(), cooldown()), protect(cooldown(), {}), protect(...parts),
  protect(breaker(), { onEvent: async (event) => same<typeof event, ProtectionEvent>(true) }),
];
const options: ProtectOptions = { onEvent: ({ type, key, by, retryAfterMs }) => {
  same<typeof key, string | undefined>(true);
  same<typeof retryAfterMs, number | undefined>(true);
  if (type === 'half-open' || by === 'budget') return;
} };
export const api: Protection = protect(budget(), options);

export function used(): void {
  const status: ProtectionStatus = api.for('tenant').status();
  same<typeof status.breaker, { readonly state: 'closed' | 'open' | 'half-open'; readonly retryAfterMs: number; readonly failures: number; readonly calls: number; readonly opens: number; readonly rejected: number } | undefined>(true);
  same<typeof status.hedge, { readonly delayMs: number | undefined; readonly hedges: number; readonly won: number; readonly rejected: number } | undefined>(true);
  void [status.budget?.tokens.toFixed(), status.cooldown?.held.toFixed(), api.keys().join()];
  api.open();
  api.open(5);
  api.close();
}

export const withOption: [RetryOptions, PolicyOptions, RunOptions, SyncOptions, FetchOptions] = [
  { protection: api }, { protection: false }, { protection: undefined, key: 'a' }, { protection: api }, { protection: api, protectionKey: () => null },
];
const policy = new RetryPolicy({ protection: api });
export const calls = [
  policy.run(() => 1, { key: 'tenant' }), policy.run(() => 1, { key: undefined, protection: false }), retry(() => 1, { protection: api }),
  policy.with({ protection: false }).run(() => 1), createFetch({ protection: api, protectionKey: (request) => request.headers.get('x-tenant') })('https://example.com'),
  createFetch(policy)('https://example.com', { retry: { protection: false } }),
];
export const sync: number = retrySync(() => 1, { protection: api });

export const isSuperseded = (reason: unknown): 'SupersededError' | undefined => (reason instanceof SupersededError ? reason.name : undefined);

export function rejected(error: unknown): number {
  if (!(error instanceof RejectedError)) return 0;
  same<typeof error.by, 'breaker' | 'cooldown'>(true);
  same<typeof error.name, 'RejectedError'>(true);
  return error.cause === undefined ? error.retryAfterMs : 1;
}
`;

const NEGATIVE = `${IMPORT}
const api = protect(budget());
// @ts-expect-error a text is not an amount
budget({ capacity: '5' });
// @ts-expect-error no such option
budget({ perFailure: 1 });
// @ts-expect-error no such preset
budget({ preset: 'awsSdk2020' });
// @ts-expect-error a refund is a switch
budget({ refund: 1 });
// @ts-expect-error an option of the breaker
budget({ openMs: 5 });
// @ts-expect-error an answer that says nothing known
breaker({ isFailure: () => 'failure' });
// @ts-expect-error it is not awaited
breaker({ isFailure: async () => true });
// @ts-expect-error opossum's name
breaker({ resetTimeout: 5 });
// @ts-expect-error a text is not a time
cooldown({ maxHoldMs: '5' });
// @ts-expect-error a share is a number
hedge({ quantile: '0.9' });
// @ts-expect-error no such option
hedge({ delay: 5 });
// @ts-expect-error a part is made by its function
protect({ capacity: 5 });
// @ts-expect-error the function itself is not a part
protect(budget);
// @ts-expect-error options come last
protect({ onEvent: () => {} }, budget());
// @ts-expect-error no such option
protect(budget(), { onEvents: () => {} });
// @ts-expect-error a key is a text
api.for(5);
// @ts-expect-error a time is a number
api.open('5');
// @ts-expect-error numbers are read, not written
api.status().budget = undefined;
// @ts-expect-error true is not a protection
retry(() => 1, { protection: true });
// @ts-expect-error neither is a part
retry(() => 1, { protection: budget() });
// @ts-expect-error a key belongs to a policy's run
retry(() => 1, { key: 'a' });
// @ts-expect-error a key is a text
new RetryPolicy({ protection: api }).run(() => 1, { key: 5 });
// @ts-expect-error a key of a request is a text or null
createFetch({ protection: api, protectionKey: () => undefined });
`;

export default { positive: POSITIVE, negative: NEGATIVE, least: 23 };
