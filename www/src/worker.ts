/** Samples off the main thread: the page stays responsive while tens of thousands of operations are drawn. */
import type { RetryOptions } from 'rejitter';
import { samplePolicy, type PolicySample } from './sampling';

export interface Job {
  readonly options: RetryOptions;
  readonly seed: number;
  readonly operations: number;
}

export type Answer = { readonly sample: PolicySample } | { readonly error: string };

addEventListener('message', ({ data }: MessageEvent<Job>) => {
  postMessage(answer(data));
});

function answer({ options, seed, operations }: Job): Answer {
  try {
    return { sample: samplePolicy(options, seed, operations) };
  } catch (error) {
    return { error: String(error) };
  }
}
