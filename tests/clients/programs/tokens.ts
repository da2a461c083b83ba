import { RetryPolicy, isTransientError } from 'rejitter';
import { breaker, budget, protect } from 'rejitter/protection';

const api = 'https://example.com';
let token = '';
let refreshing: Promise<void> | undefined;

async function refresh(): Promise<void> {
  try {
    const response = await fetch(`${api}/token`, { method: 'POST' });
    if (!response.ok) throw new Error(`no token: status ${response.status}`);
    token = await response.text();
  } finally {
    refreshing = undefined;
  }
}

const policy = new RetryPolicy({
  retryIf: (error, { attempt }) => (error.status === 401 ? attempt === 1 : isTransientError(error)),
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
