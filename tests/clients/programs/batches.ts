import { type AttributeValue, BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type KinesisClient, PutRecordsCommand, type PutRecordsRequestEntry } from '@aws-sdk/client-kinesis';
import { type SQSClient, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { Client } from '@elastic/elasticsearch';
import { sendAll } from './batch.mjs';

export const toDynamoDB = (client: DynamoDBClient, table: string, items: Record<string, AttributeValue>[]) =>
  sendAll(
    items.map((Item) => ({ PutRequest: { Item } })),
    25,
    async (part, abortSignal) => {
      const command = new BatchWriteItemCommand({ RequestItems: { [table]: part } });
      const { UnprocessedItems } = await client.send(command, { abortSignal });
      return (UnprocessedItems?.[table] ?? []) as typeof part;
    },
  );

export const toKinesis = (client: KinesisClient, StreamName: string, records: PutRecordsRequestEntry[]) =>
  sendAll(records, 500, async (part, abortSignal) => {
    const { Records = [] } = await client.send(new PutRecordsCommand({ StreamName, Records: part }), { abortSignal });
    return part.filter((_, i) => Records[i]?.ErrorCode);
  });

/** Resolves with the messages that SQS rejects for good. */
export async function toSQS(client: SQSClient, QueueUrl: string, messages: string[]): Promise<string[]> {
  const rejected: string[] = [];
  await sendAll(messages, 10, async (part, abortSignal) => {
    const Entries = part.map((MessageBody, i) => ({ Id: `${i}`, MessageBody }));
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }), { abortSignal });
    const textOf = (failed: typeof Failed) => failed.map(({ Id }) => part[Number(Id)] ?? '');
    rejected.push(...textOf(Failed.filter(({ SenderFault }) => SenderFault)));
    return textOf(Failed.filter(({ SenderFault }) => !SenderFault));
  });
  return rejected;
}

/** Resolves with the documents that Elasticsearch rejects for good. Made with `maxRetries: 0`. */
export async function toElasticsearch<T extends { id: string }>(client: Client, _index: string, documents: T[]) {
  const rejected: T[] = [];
  await sendAll(documents, 1000, async (part, signal) => {
    const operations = part.flatMap((document) => [{ index: { _index, _id: document.id } }, document]);
    const { items } = await client.bulk({ operations }, { signal });
    const failed = part.map((document, i) => ({ document, status: items[i]?.index?.status ?? 503 }));
    const later = (status: number) => status === 429 || status >= 500;
    rejected.push(...failed.filter(({ status }) => status >= 400 && !later(status)).map(({ document }) => document));
    return failed.filter(({ status }) => later(status)).map(({ document }) => document);
  });
  return rejected;
}
