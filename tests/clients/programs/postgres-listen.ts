import { Client } from 'pg';
import { keepConnected } from 'rejitter/reconnect';
import type { ReconnectOptions } from 'rejitter/reconnect';

type Handle = (text: string) => void;

export const listen = (url: string, handle: Handle, catchUp: () => Promise<void>, options?: ReconnectOptions) =>
  keepConnected<void>(async ({ signal, opened, alive }) => {
    const client = new Client({ connectionString: url });
    const ended = new Promise((_, reject) => {
      client.on('error', reject).on('end', () => reject(new Error('ended')));
    });
    ended.catch(() => {});
    signal.addEventListener('abort', () => void client.end().catch(() => {}));
    client.on('notification', ({ payload = '' }) => handle(payload));
    await client.connect();
    await client.query('LISTEN jobs');
    opened({ silenceMs: 30_000, ping: () => client.query('SELECT 1').then(alive) });
    await catchUp(); // also at the first: what came before LISTEN was heard by nobody
    await ended;
  }, options);
