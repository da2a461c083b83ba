import { connect } from 'mqtt';
import { keepConnected } from 'rejitter/reconnect';
import type { ReconnectOptions } from 'rejitter/reconnect';

export const keepTopic = (url: string, handle: (text: string) => void, options?: ReconnectOptions) =>
  keepConnected<void>(({ signal, opened, alive }) => {
    return new Promise((_, reject) => {
      const client = connect(url, { reconnectPeriod: 0, keepalive: 30 }); // its own pings
      signal.addEventListener('abort', () => client.end(true));
      client.on('error', reject).on('close', () => reject(new Error('closed')));
      client.on('message', (_topic, payload) => {
        alive();
        handle(payload.toString());
      });
      client.on('connect', () => {
        client.subscribe('jobs', (error) => (error ? reject(error) : opened()));
      });
    });
  }, options);
