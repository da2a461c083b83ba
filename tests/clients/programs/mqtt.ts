import { type ErrorWithReasonCode, connect } from 'mqtt';
import { permanent } from 'rejitter';
import { keepConnected } from 'rejitter/reconnect';
import type { ReconnectOptions } from 'rejitter/reconnect';

/** Wrong credentials, in MQTT 3 and 5. */
const FORBIDDEN = [4, 5, 134, 135];

export const keepTopic = (url: string, handle: (text: string) => void, options?: ReconnectOptions) =>
  keepConnected<void>(({ signal, opened, alive }) => {
    return new Promise((_, reject) => {
      const client = connect(url, { reconnectPeriod: 0, keepalive: 30 }); // its own pings
      signal.addEventListener('abort', () => client.end(true));
      const failed = (error: Error | ErrorWithReasonCode) =>
        reject('code' in error && FORBIDDEN.includes(error.code) ? permanent(error) : error);
      client.on('error', failed).on('close', () => reject(new Error('closed')));
      client.on('message', (_topic, payload) => {
        alive();
        handle(payload.toString());
      });
      client.on('connect', () => {
        client.subscribe('jobs', (error) => (error ? reject(error) : opened()));
      });
    });
  }, options);
