// @ts-check
export { bullmq } from './bullmq.js';
export { cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal } from './exporters.js';
