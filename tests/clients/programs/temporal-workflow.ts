import { proxyActivities } from '@temporalio/workflow';
import type { chargeOrder } from './temporal-activities.mjs';

const activities = proxyActivities<{ chargeOrder: typeof chargeOrder }>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: 1000, backoffCoefficient: 2, maximumInterval: 60_000, maximumAttempts: 8 },
});

export const order = (id: string) => activities.chargeOrder(id);
