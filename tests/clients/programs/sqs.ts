import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type SQSClient,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { nextDelay } from 'rejitter/engines';
import { charge, policy } from './charge.mjs';

export async function poll(client: SQSClient, QueueUrl: string, failedUrl: string): Promise<void> {
  const wanted = { QueueUrl, MessageSystemAttributeNames: ['ApproximateReceiveCount' as const] };
  const { Messages = [] } = await client.send(new ReceiveMessageCommand(wanted));
  for (const { Attributes, Body = '', MessageId, ReceiptHandle } of Messages) {
    try {
      await charge(Body);
    } catch (error) {
      const attempt = Attributes?.ApproximateReceiveCount ?? 1;
      const delayMs = nextDelay(policy, { attempt, error, seed: MessageId });
      if (delayMs !== undefined) {
        const VisibilityTimeout = Math.min(43_000, Math.ceil(delayMs / 1000)); // 12 hours from the receipt
        await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
        continue;
      }
      await client.send(new SendMessageCommand({ QueueUrl: failedUrl, MessageBody: Body }));
    }
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
}
