import { type Attempt, RetryPolicy, isTransientError, retry } from 'rejitter';
import { breaker, budget, protect } from 'rejitter/protection';

const api = 'https://example.com';
let token = '';
let refreshing: Promise<void> | undefined;

/** Of a server that gives a token twice if an answer is lost. */
async function fetchToken({ signal }: Attempt): Promise<string> {
  const response = await fetch(`${api}/token`, { method: 'POST', signal });
  if (response.ok) return response.text();
  throw Object.assign(new Error(`no token: status ${response.status}`), { status: response.status });
}

async function refresh(): Promise<void> {
  try {
    token = await retry(fetchToken, { retryIf: isTransientError });
  } finally {
    refreshing = undefined;
  }
}

const statusOf = (error: unknown) => (error as { status?: number } | undefined)?.status;

const policy = new RetryPolicy({
  // Not "attempt === 1": a token may run out during the waits. A second 401 in a row has met a new one.
  retryIf: (error, { previousError }) =>
    statusOf(error) === 401 ? statusOf(previousError) !== 401 : isTransientError(error),
  beforeRetry({ error }) {
    const { status, sent } = error as { status?: number; sent?: string };
    if (status === 401 && sent === token) return (refreshing ??= refresh());
  },
  protection: protect(budget(), breaker(), { isFailure: ({ status }) => (status === 401 ? false : undefined) }),
});

export const load = (path: string) =>
  policy.run(async ({ signal }): Promise<unknown> => {
    const sent = token;
    const response = await fetch(api + path, { signal, headers: { authorization: `Bearer ${sent}` } });
    if (response.ok) return response.json();
    throw Object.assign(new Error(`status ${response.status}`), { status: response.status, sent });
  });
