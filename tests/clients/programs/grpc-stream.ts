import { Client, credentials } from '@grpc/grpc-js';
import { isTransientError, permanent } from 'rejitter';
import { keepConnected } from 'rejitter/reconnect';
import type { ReconnectOptions } from 'rejitter/reconnect';

type Job = { id: number };

/** Streams jobs, after the last one that was handled. */
export function watchJobs(address: string, handle: (job: Job) => void, options?: ReconnectOptions) {
  let after = 0;
  const write = (request: object) => Buffer.from(JSON.stringify(request)); // yours are generated
  const read = (bytes: Buffer): Job => JSON.parse(bytes.toString());
  return keepConnected<void>(({ signal, opened, alive }) => {
    return new Promise((_, reject) => {
      const client = new Client(address, credentials.createInsecure());
      const stream = client.makeServerStreamRequest('/jobs.Jobs/Watch', write, read, { after });
      signal.addEventListener('abort', () => {
        stream.cancel();
        client.close();
      });
      stream.on('metadata', () => opened());
      stream.on('data', (job: Job) => {
        alive();
        handle(job);
        after = job.id;
      });
      stream.on('error', (error) => reject(isTransientError(error) ? error : permanent(error)));
      stream.on('end', () => reject(new Error('ended')));
    });
  }, options);
}
