/**
 * The page's side of the worker. One job runs at a time and only the newest request waits, so a
 * dragged slider never builds up a queue.
 */
import { policyOptions, type Strategy } from './strategy';
import type { Answer, Job } from './worker';

/** Enough that a bin of the histogram is within two or three percent, in a fraction of a second. */
const OPERATIONS = 100_000;

export interface Request {
  readonly strategy: Strategy;
  readonly seed: number;
}

export interface Sampler {
  request(request: Request): void;
}

/** `deliver` gets each answer with its request, and whether a newer request is already under way. */
export function createSampler(deliver: (request: Request, answer: Answer, stale: boolean) => void): Sampler {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'sampler' });
  let running: Request | undefined;
  let waiting: Request | undefined;

  function start(request: Request): void {
    running = request;
    worker.postMessage({ options: policyOptions(request.strategy), seed: request.seed, operations: OPERATIONS } satisfies Job);
  }

  function finish(answer: Answer): void {
    const done = running;
    const next = waiting;
    running = waiting = undefined;
    if (next) start(next);
    if (done) deliver(done, answer, next !== undefined);
  }

  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => finish(data));
  worker.addEventListener('error', ({ message }) => finish({ error: message || 'the worker did not load' }));

  return {
    request(request) {
      if (running) waiting = request;
      else start(request);
    },
  };
}
