// The declarations of rejitter/light, light/fetch and reconnect, in a strict project of a user's.

const POSITIVE = `
const ofFetch: LightFetchOptions = { maxAttempts: 3, maxRetryAfterMs: 5000 };
export const asFetch: typeof fetch = createFetch(ofFetch);
export const over = createFetch({}, async (url: string) => new Response(url));
export const sent: Promise<Response> = fetchWithRetry('http://x/', { method: 'PUT', retry: ofFetch });

const options: LightOptions = { maxAttempts: Infinity, jitter: 'equal', signal: undefined, unref: true };
export const user: Promise<{ name: string }> = retry(async ({ attempt, signal }) => ({ name: String(attempt) + signal.aborted }));
export const ms: number = delayMs(3, { ...options, baseMs: 50, capMs: Infinity, factor: 3, random: () => 0.5 });
const verdict = async (error: { status?: number }, { attempt }: LightAttempt): Promise<LightVerdict> =>
  error.status === 429 ? { afterMs: 1000 * attempt } : error.status !== 404;
export const cause = (error: unknown): unknown => (error instanceof TimeoutError ? error.cause : undefined);
export const all = [retry(() => 1, { retryIf: verdict, attemptTimeoutMs: 5, totalTimeoutMs: 50 }), retry(() => 1, options)];

const connecting: ReconnectOptions = { baseMs: 1000, capMs: Infinity, jitter: 'equal', wakeOn: false, signal: undefined, seed: 'a' };
export const report: Promise<ReconnectReport<number>> = keepConnected<number>(({ attempt, finish }) => finish(attempt), connecting);
const session = async ({ signal, opened, alive, connections }: Connection) => {
  opened();
  opened({ silenceMs: 1000, ping: () => fetch('/', { signal }) });
  if (connections > 0) alive();
};
export const connections = [
  keepConnected(session, { retryIf: async (error, { openMs }) => (openMs > 0 ? { afterMs: 5 } : error.status !== 401) }),
  keepConnected(session, { onOpen: ({ connections, attempt }) => connections + attempt, onGiveUp: ({ report }) => report.openMs }),
  keepConnected(session, { wakeOn: (wake) => { wake(); return () => {}; } }),
];
export const closed: Error = closeError({ code: 1000 });
declare const event: { readonly code: number; readonly reason: string; readonly wasClean: boolean };
closeError(event);
`;

const NEGATIVE = `
retry(() => 1, { jitter: 'decorrelated' }); // wrong: a jitter of the main entry
retry(() => 1, { retryIf: () => {} }); // wrong: a predicate that forgets its answer
retry(({ elapsedMs }) => elapsedMs); // wrong: the attempt has no clock
retry((attempt) => { attempt.attempt = 2; }); // wrong: an attempt's number does not change
delayMs({ baseMs: 5 }); // wrong: the number is missing
keepConnected(() => 1, { retryIf: () => {} }); // wrong: a predicate that forgets its answer
keepConnected(() => 1, { wakeOn: () => {} }); // wrong: nothing to unsubscribe by
keepConnected(({ opened }) => opened({ silence: 5 })); // wrong: the name
keepConnected<number>(({ finish }) => finish('a')); // wrong: another value
closeError(1000); // wrong: the event
`;

const entries = ['rejitter/light', 'rejitter/light/fetch', 'rejitter/reconnect'];
export default { entries, positive: POSITIVE, negative: NEGATIVE };
