export { bullmq } from '../engines/bullmq.js';
export { cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal } from '../engines/exporters.js';
export { nextDelay } from '../engines/policy.js';
