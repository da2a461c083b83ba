import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from 'cloudflare:workers';
import { NonRetryableError } from 'cloudflare:workflows';
import { nextDelay } from 'rejitter/engines';
import { charge, policy } from './charge.mjs';

export class ChargeWorkflow extends WorkflowEntrypoint<unknown, { orderId: string }> {
  override async run(event: WorkflowEvent<{ orderId: string }>, step: WorkflowStep): Promise<string> {
    let waitMs = 0;
    // Its own backoff, exponential by default, would multiply what `delay` returns.
    const retries = { limit: 7, delay: () => waitMs, backoff: 'constant' as const };
    return step.do('charge', { retries }, async ({ attempt }) => {
      try {
        return await charge(event.payload.orderId);
      } catch (error) {
        const delayMs = nextDelay(policy, { attempt, error, seed: event.instanceId });
        if (delayMs === undefined) throw new NonRetryableError(String(error));
        waitMs = delayMs;
        throw error;
      }
    });
  }
}
