/** The chosen strategy as the configuration of engines that retry jobs, written by the package. */
import { bullmq, cloudTasks, grpc, pgBoss, sqs, stepFunctions, temporal, type Exported } from 'rejitter/engines';
import { partsIn, type Engine, type State } from '../state/state';
import { policyOf } from '../state/strategy';
import { policyStatement, program, source } from './code';

interface Row {
  readonly name: string;
  /** Where the text belongs. */
  readonly place: string;
  readonly exported: (policy: ReturnType<typeof policyOf>) => Exported<unknown>;
  /** Other texts are values of a program, or whole programs. */
  readonly isJson?: boolean;
  readonly program?: readonly string[];
}

const ROWS: Readonly<Record<Engine, Row>> = {
  bullmq: {
    name: 'BullMQ',
    place: 'The queue has the attempts, and the worker draws the waits.',
    exported: (policy) => ({ config: bullmq.jobOptions(policy), losses: [] }),
    program: [
      "const connection = { host: 'localhost', port: 6379 };",
      `const queue = new Queue('orders', { connection });
await queue.add('order', { id: 7 }, bullmq.jobOptions(policy));`,
      `// Your work: what it throws is retried.
const worker = new Worker('orders', async (job) => console.log(job.id), {
  connection,
  settings: { backoffStrategy: bullmq(policy) },
});`,
    ],
  },
  pgBoss: { name: 'pg-boss', place: 'Options of boss.createQueue.', exported: pgBoss },
  temporal: { name: 'Temporal', place: 'Options of proxyActivities.', exported: temporal },
  stepFunctions: { name: 'Step Functions', place: 'Fields of a Task state.', exported: stepFunctions, isJson: true },
  sqs: {
    name: 'Amazon SQS',
    place: 'The attributes belong to the queue: the last receive ends in the queue of failures.',
    exported: sqs,
    program: [
      'export const { visibilityTimeout, ...attributes } = sqs(policy).config;',
      `// For a message that failed: hides it until its next attempt.
export async function failed(client, QueueUrl, { MessageId, ReceiptHandle, Attributes }) {
  const VisibilityTimeout = visibilityTimeout(Number(Attributes.ApproximateReceiveCount), MessageId);
  await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
}`,
    ],
  },
  cloudTasks: { name: 'Cloud Tasks', place: 'The retryConfig of a queue.', exported: cloudTasks, isJson: true },
  grpc: { name: 'gRPC', place: 'Service config of a client.', exported: grpc, isJson: true },
};

export const engineName = (engine: Engine): string => ROWS[engine].name;

/** The text, where it belongs, and in a sentence each what the engine does not follow. */
export function engineText(engine: Engine, state: State): { text: string; place: string; losses: readonly string[] } {
  const { name, place, exported, isJson, program: statements } = ROWS[engine];
  const parts = partsIn(state.protection);
  const more = parts.length > 0 ? [`protection: ${name} has no ${parts.join(', ')}.`] : [];
  try {
    const { config, losses } = exported(policyOf(state.strategy));
    const { maxAttempts, totalTimeoutMs } = state.strategy;
    const endless = maxAttempts === Infinity && totalTimeoutMs === Infinity;
    const lost = [...losses.map(({ text }) => text), ...more];
    const sentences = [
      place,
      ...(endless ? ['No attempt is the last one: a job that never succeeds is retried for ever.'] : []),
      ...(lost.length > 0 ? ['What is lost:'] : endless ? [] : ['Nothing is lost.']),
    ];
    return {
      text: statements
        ? program(policyStatement(state.strategy), ...statements)
        : isJson
          ? JSON.stringify(config, null, 2)
          : source(config),
      place: sentences.join(' '),
      losses: lost,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^rejitter: /, '') : String(error);
    return { text: '', place: `${name} cannot follow this strategy: ${reason}.`, losses: [] };
  }
}
