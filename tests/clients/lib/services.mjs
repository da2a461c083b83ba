// Services that take batches, in front of their test servers or in their documented form, with parts that they do not
// take. `takes` says of each request in turn how many entries are taken; then all are.

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { buffer } from 'node:stream/consumers';

import dynalite from 'dynalite';
import kinesalite from 'kinesalite';

import { onLoopback } from '../../package/lib/loopback.mjs';

/** What becomes of a request: so many entries are taken, all are and the answer is lost, or the service refuses. */
/** @typedef {number | 'lost' | 'refuses'} Take */

/** A service that answers `batch(entries, take)`; `refusal` is its 429 or 400. */
async function service({ create = createServer, isBatch, entriesOf, answer, refusal, forward }) {
  const state = { takes: /** @type {Take[]} */ ([]), sizes: /** @type {number[]} */ ([]) };
  const server = create(async (request, response) => {
    const body = String(await buffer(request));
    const send = ({ status = 200, headers = {}, text }) => {
      // HTTP/2 has no reason phrases, and no connections to name.
      response.writeHead(status, { 'content-type': request.headers['content-type'], ...headers });
      response.end(text);
    };
    if (!isBatch(request)) return send(await forward(request, body));
    const entries = entriesOf(body);
    state.sizes.push(entries.length);
    const take = state.takes.shift() ?? entries.length;
    if (take === 'refuses') return send(refusal);
    const answered = await answer(entries, take === 'lost' ? entries.length : take, request, body);
    if (take === 'lost') return void (response.stream ?? request.socket).destroy();
    send(answered);
  });
  return Object.assign(state, await onLoopback(server), {
    reset(takes) {
      Object.assign(state, { takes: [...takes], sizes: [] });
    },
  });
}

const THROTTLED = { __type: 'com.amazonaws#ProvisionedThroughputExceededException', message: 'Rate exceeded' };
const aws = (target) => ({
  isBatch: ({ headers }) => String(headers['x-amz-target']).endsWith(target),
  refusal: { status: 400, text: JSON.stringify(THROTTLED) },
});

/** Hands requests on to a test server. */
async function behind(testServer) {
  const { origin, close } = await onLoopback(testServer);
  /** @param {any} request @param {string} body */
  const forward = async ({ headers }, body) => {
    const names = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target'];
    const kept = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
    const response = await fetch(origin, { method: 'POST', headers: kept, body });
    return { status: response.status, text: await response.text() };
  };
  return { forward, close };
}

export async function dynamoDB() {
  const { forward, close } = await behind(dynalite({ createTableMs: 0 }));
  const requests = (body) => JSON.parse(body).RequestItems;
  const front = await service({
    ...aws('.BatchWriteItem'),
    forward,
    entriesOf: (body) => Object.values(requests(body)).flat(),
    async answer(entries, taken, request, body) {
      const [table] = Object.keys(requests(body));
      if (taken > 0) {
        const part = { RequestItems: { [table]: entries.slice(0, taken) } };
        const { status } = await forward(request, JSON.stringify(part));
        if (status !== 200) return { status };
      }
      const left = entries.slice(taken);
      return { text: JSON.stringify({ UnprocessedItems: left.length > 0 ? { [table]: left } : {} }) };
    },
  });
  return { front, close: () => Promise.all([front.close(), close()]) };
}

export async function kinesis() {
  const { forward, close } = await behind(kinesalite({ createStreamMs: 0 }));
  const front = await service({
    ...aws('.PutRecords'),
    create: createHttp2Server,
    forward,
    entriesOf: (body) => JSON.parse(body).Records,
    async answer(entries, taken, request, body) {
      const failed = { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'Rate exceeded' };
      // Not the first ones: every second, as far as they go.
      const isTaken = entries.map((_, i) => (taken === entries.length ? true : i % 2 === 1 && i < 2 * taken));
      const { StreamName } = JSON.parse(body);
      const Records = entries.filter((_, i) => isTaken[i]);
      const { text } =
        Records.length > 0 ? await forward(request, JSON.stringify({ StreamName, Records })) : { text: '{}' };
      const done = [...(JSON.parse(text).Records ?? [])];
      const all = isTaken.map((is) => (is ? done.shift() : failed));
      return { text: JSON.stringify({ FailedRecordCount: all.length - Records.length, Records: all }) };
    },
  });
  return { front, close: () => Promise.all([front.close(), close()]) };
}

/** Amazon SQS: it keeps what it takes. Messages that contain "bad" are the sender's fault. */
export async function sqs() {
  const kept = [];
  const md5 = (text) => createHash('md5').update(text).digest('hex');
  const front = await service({
    ...aws('.SendMessageBatch'),
    forward: () => ({ status: 404 }),
    entriesOf: (body) => JSON.parse(body).Entries,
    answer(entries, taken) {
      const isBad = ({ MessageBody }) => MessageBody.includes('bad');
      const good = entries.filter((entry) => !isBad(entry));
      const [now, later] = [good.slice(0, taken), good.slice(taken)];
      kept.push(...now.map(({ MessageBody }) => MessageBody));
      const Successful = now.map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) }));
      const failed =
        (SenderFault, Code) =>
        ({ Id }) => ({ Id, SenderFault, Code });
      const Failed = [
        ...entries.filter(isBad).map(failed(true, 'InvalidMessageContents')),
        ...later.map(failed(false, 'ServiceUnavailable')),
      ];
      return { text: JSON.stringify({ Successful, Failed }) };
    },
  });
  return { front, kept, close: front.close };
}

/** Elasticsearch: documents with `bad` do not fit the mapping. */
export async function elasticsearch() {
  /** How often each was indexed. */
  const kept = new Map();
  const headers = { 'x-elastic-product': 'Elasticsearch', 'content-type': 'application/vnd.elasticsearch+json' };
  const front = await service({
    isBatch: ({ url }) => url.startsWith('/_bulk'),
    refusal: { status: 429, headers, text: '{"error":{"type":"es_rejected_execution_exception"},"status":429}' },
    forward: () => ({ headers, text: '{}' }),
    entriesOf(body) {
      const lines = body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return lines.filter((_, i) => i % 2 === 0).map(({ index }, i) => ({ ...index, document: lines[2 * i + 1] }));
    },
    answer(entries, taken) {
      let left = taken;
      const items = entries.map(({ _index, _id, document }) => {
        if (document.bad) return { index: { _index, _id, status: 400, error: { type: 'mapper_parsing_exception' } } };
        if ((left -= 1) < 0)
          return { index: { _index, _id, status: 429, error: { type: 'es_rejected_execution_exception' } } };
        kept.set(_id, (kept.get(_id) ?? 0) + 1);
        return { index: { _index, _id, status: 201 } };
      });
      return { headers, text: JSON.stringify({ took: 1, errors: items.some(({ index }) => index.error), items }) };
    },
  });
  return { front, kept, close: front.close };
}
