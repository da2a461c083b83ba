import { PgBoss } from 'pg-boss';
import { RetryPolicy, isPermanent, isTransientError } from 'rejitter';
import { pgBoss } from 'rejitter/engines';

type Order = { id: string; url: string };

const policy = new RetryPolicy({ baseMs: 2000, jitter: 'equal', capMs: 300_000, maxAttempts: 6 });
const { config, losses } = pgBoss(policy);
for (const { text } of losses) console.warn(text); // none here: the longest wait is 32 s

export const boss = new PgBoss(process.env.DATABASE_URL ?? 'postgres://localhost/app');
boss.on('error', console.error);
await boss.start();
await boss.createQueue('failed-orders');
await boss.createQueue('orders', { ...config, deadLetter: 'failed-orders' });

await boss.work<Order>('orders', { pollingIntervalSeconds: 0.5 }, async ([job]) => {
  if (job === undefined) return;
  try {
    const headers = { 'idempotency-key': `order-${job.id}` }; // a job may run twice
    const response = await fetch(job.data.url, { method: 'POST', headers, signal: job.signal });
    await response.body?.cancel();
    if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
  } catch (error) {
    if (!isPermanent(error) && isTransientError(error)) throw error;
    await boss.send('failed-orders', { ...job.data, error: String(error) }); // no attempt can help
    await boss.deleteJob('orders', job.id);
  }
});

export const order = (data: Order) => boss.send('orders', data);
