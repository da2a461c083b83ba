import { Redis } from 'ioredis';
import { permanent } from 'rejitter';
import { keepConnected } from 'rejitter/reconnect';
import type { ReconnectOptions } from 'rejitter/reconnect';

type Handle = (text: string) => void;

export const subscribe = (url: string, handle: Handle, catchUp: () => Promise<void>, options?: ReconnectOptions) =>
  keepConnected<void>(async ({ connections, signal, opened, alive }) => {
    const client = new Redis(url, { retryStrategy: () => null, lazyConnect: true });
    signal.addEventListener('abort', () => client.disconnect());
    const ended = new Promise((_, reject) => {
      const failed = (error: Error) => reject(/^(WRONGPASS|NOAUTH)/.test(error.message) ? permanent(error) : error);
      client.on('error', failed).on('end', () => reject(new Error('ended')));
    });
    ended.catch(() => {});
    client.on('message', (_, text) => {
      alive();
      handle(text);
    });
    await Promise.race([client.connect().then(() => client.subscribe('jobs')), ended]);
    opened({ silenceMs: 20_000, ping: () => client.ping().then(alive) });
    if (connections > 0) await catchUp();
    await ended;
  }, options);
