import { RetryPolicy, isTransientError, retryAfter } from 'rejitter';
import { retryAfterMs } from 'rejitter/fetch';

export const policy = new RetryPolicy({ baseMs: 1000, capMs: 60_000, maxAttempts: 8, retryIf: isTransientError });

/** Charges an order once: an engine may run a job twice. */
export async function charge(orderId: string): Promise<string> {
  const response = await fetch(`${process.env.PAYMENTS ?? 'https://example.com'}/charges/${orderId}`, {
    method: 'POST',
    headers: { 'idempotency-key': `order-${orderId}` },
    signal: AbortSignal.timeout(10_000),
  });
  if (response.ok) return response.text();
  await response.body?.cancel();
  const error = Object.assign(new Error(`status ${response.status}`), { status: response.status });
  const hintMs = retryAfterMs(response);
  throw hintMs === undefined ? error : retryAfter(hintMs, error);
}
