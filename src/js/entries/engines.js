// @ts-check
export { bullmq, cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal } from '../engines/index.js';
