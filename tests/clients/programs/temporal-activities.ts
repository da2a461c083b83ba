import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { nextDelay } from 'rejitter/engines';
import { charge, policy } from './charge.mjs';

export async function chargeOrder(orderId: string): Promise<string> {
  try {
    return await charge(orderId);
  } catch (cause) {
    const { attempt, activityId, workflowExecution } = activityInfo();
    const seed = `${workflowExecution?.workflowId}/${activityId}`;
    const nextRetryDelay = nextDelay(policy, { attempt, error: cause, seed });
    const nonRetryable = nextRetryDelay === undefined;
    throw ApplicationFailure.create({ message: String(cause), nonRetryable, nextRetryDelay, cause: cause as Error });
  }
}
