import { Inngest, NonRetriableError, RetryAfterError } from 'inngest';
import { nextDelay } from 'rejitter/engines';
import { charge, policy } from './charge.mjs';

const inngest = new Inngest({ id: 'shop' });

export const chargeOrder = inngest.createFunction(
  { id: 'charge-order', retries: 7, triggers: [{ event: 'order/created' }] },
  async ({ event, attempt, runId }) => {
    try {
      return await charge(event.data.orderId);
    } catch (cause) {
      const delayMs = nextDelay(policy, { attempt: attempt + 1, error: cause, seed: runId });
      if (delayMs === undefined) throw new NonRetriableError(String(cause), { cause });
      throw new RetryAfterError(String(cause), delayMs, { cause });
    }
  },
);
