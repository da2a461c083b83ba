import { FatalError, RetryableError, getStepMetadata } from 'workflow';
import { nextDelay } from 'rejitter/engines';
import { charge, policy } from './charge.mjs';

export async function chargeOrder(orderId: string): Promise<string> {
  'use step';
  try {
    return await charge(orderId);
  } catch (error) {
    const { attempt, stepId } = getStepMetadata();
    const delayMs = nextDelay(policy, { attempt, error, seed: stepId });
    if (delayMs === undefined) throw new FatalError(String(error));
    throw new RetryableError(String(error), { retryAfter: delayMs });
  }
}
chargeOrder.maxRetries = 7;
