import { nextDelay } from 'rejitter/engines';
import { charge, policy } from './charge.mjs';

export default {
  async queue(batch: MessageBatch<string>, { FAILED }: { FAILED: Queue<string> }): Promise<void> {
    for (const message of batch.messages) {
      try {
        await charge(message.body);
      } catch (error) {
        const delayMs = nextDelay(policy, { attempt: message.attempts, error, seed: message.id });
        if (delayMs !== undefined) {
          message.retry({ delaySeconds: Math.min(43_200, Math.ceil(delayMs / 1000)) });
          continue;
        }
        await FAILED.send(message.body);
      }
      message.ack();
    }
  },
};
