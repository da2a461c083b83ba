import { type DurableContext, withDurableExecution } from '@aws/durable-execution-sdk-js';
import { nextDelay } from 'rejitter/engines';
import { charge, policy } from './charge.mjs';

export const handler = withDurableExecution(({ orderId }: { orderId: string }, context: DurableContext) =>
  context.step('charge', () => charge(orderId), {
    retryStrategy: (error, attempt) => {
      const delayMs = nextDelay(policy, { attempt, error, seed: orderId });
      if (delayMs === undefined) return { shouldRetry: false };
      return { shouldRetry: true, delay: { seconds: Math.max(1, Math.ceil(delayMs / 1000)) } };
    },
  }),
);
