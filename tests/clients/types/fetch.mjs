// The declarations of rejitter/fetch, in a strict project of a user's.

const POSITIVE = `
export type Exported = [CallOptions, RetryingFetch];
// To and from typeof fetch.
export const asFetch: typeof fetch = createFetch();
const takes = (f: typeof fetch): Promise<Response> => f('https://example.com');
export const taken = [takes(createFetch()), takes(fetchWithRetry)];
const mock: FetchLike = async () => ({ status: 503 });
export const mocked = createFetch({}, mock);
export const typed = createFetch({}, async (input: string, init?: { method?: string }) => new Response(input, { status: init ? 200 : 503 }));

export async function results() {
  const response = await fetchWithRetry('https://example.com');
  same<typeof response, Response>(true);
  const report: RetryReport | undefined = retryReport(response);
  const all = await Promise.all([
    fetchWithRetry('https://example.com', { method: 'PUT', body: 'x', signal: new AbortController().signal, retry: { maxAttempts: 3 } }),
    fetchWithRetry('https://example.com', { method: 'PUT', body: () => 'x' }),
    fetchWithRetry('https://example.com', { method: 'PUT', body: async () => new Blob(['x']) }),
    fetchWithRetry('https://example.com', { body: null, signal: null, retry: undefined }),
  ]);
  return [report, all];
}

export const everything: FetchOptions = {
  respectRetryAfter: false, throwOnStatus: true, retryOn: [503], methods: ['POST'], idempotencyKey: 'auto',
  prepare: (request, attempt) => {
    same<typeof request, Request>(true);
    same<typeof attempt, Attempt>(true);
  },
  onRetry: (event) => {
    same<typeof event.status, number | undefined>(true);
    same<typeof event.hintMs, number | undefined>(true);
  },
  onGiveUp: ({ reason }) => reason === 'bodyNotReplayable',
};
export const others: FetchOptions[] = [
  {}, { retryOn: () => true }, { retryOn: async ({ retryable }) => retryable }, { retryOn: () => ({ afterMs: 5 }) },
  { retryOn: (outcome: FetchOutcome) => outcome.response?.status === 409 || outcome.error instanceof HttpStatusError },
  { idempotencyKey: (request) => request.url }, { idempotencyHeader: 'PayPal-Request-Id' }, { hint: rateLimitHint },
  { hint: (response, attempt) => (attempt.attempt > 1 ? Number(response.headers.get('x-wait')) : undefined) },
  { beforeRetry: async ({ attempt }) => { await attempt; } }, { prepare: async () => {} }, { prepare: async (request) => new Request(request, {}) },
  goRetryableHttp, { ...pRetry, maxAttempts: 3 }, { ...goRetryableHttp, retryOn: goRetryableHttpRetryOn },
];
export const init: FetchInit = { retry: { maxAttempts: 2, idempotencyKey: 'mine' } };
export const handler = (event: RetryEvent & RequestFields): number | undefined => event.status ?? event.hintMs;
export const handled = createFetch({ onRetry: handler });
export const ofAPolicy: typeof fetch = createFetch(new RetryPolicy({ metrics: true }), fetch);
const plainHeaders: HeadersLike = { 'retry-after': '5', 'set-cookie': ['a', 'b'] };
export const waits: (number | undefined)[] = [
  retryAfterMs(new Response()), retryAfterMs(new Headers()), retryAfterMs('120'), retryAfterMs(null), retryAfterMs(undefined),
  retryAfterMs({ headers: plainHeaders }), retryAfterMs(plainHeaders), rateLimitHint(new Response()), rateLimitHint({ status: 429, headers: plainHeaders }),
];
export const status = (error: unknown): number => (error instanceof HttpStatusError ? error.response.status + error.status : 0);
`;

const NEGATIVE = `
createFetch({ retryOn: () => 'yes' }); // wrong: a predicate answers with a verdict
createFetch({ idempotencyKey: () => 5 }); // wrong: a key is a text
createFetch({ hint: () => '5' }); // wrong: a hint is a number of milliseconds
// @ts-expect-error options of retry go into the init's retry
fetchWithRetry('https://example.com', { maxAttempts: 2 });
retryAfterMs(120); // wrong: a value of Retry-After is a text
createFetch({}, async () => 5); // wrong: what takes fetch's place answers with a status
createFetch({ prepare: () => 5 }); // wrong: prepare returns a request or nothing
// @ts-expect-error options of a call are checked too
fetchWithRetry('https://example.com', { retry: { maxAtempts: 2 } });
createFetch({ retryOn: ({ response }) => response.status === 409 }); // wrong: the response may be missing
fetchWithRetry(); // wrong: the address is missing
// @ts-expect-error a response, not its text
export const text: Promise<string> = fetchWithRetry('https://example.com');
createFetch({ onRetry: (event) => { event.status = 1; } }); // wrong: events cannot be changed
`;

export default { entries: ['rejitter/fetch', 'rejitter', 'rejitter/presets'], positive: POSITIVE, negative: NEGATIVE };
