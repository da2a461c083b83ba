// The options of other packages that the demo page reads: each row of tests/vectors/pasted.json is run with the package
// itself on a virtual clock, where every call fails and every random number is a half. The page's own tests compare
// what it reads with the same rows. `REJITTER_WRITE_VECTORS=1` writes the times.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import asyncRetry from 'async-retry';
import axios from 'axios';
import axiosRetry from 'axios-retry';
import * as cockatiel from 'cockatiel';
import { backOff } from 'exponential-backoff';
import got from 'got';
import ky from 'ky';
import pRetry from 'p-retry';

import { repo, vectors } from '../../package/lib/consumer.mjs';
import { serving } from '../../package/lib/fetching.mjs';
import { evaluate } from '../../package/lib/readers.mjs';
import { still } from '../lib/pasted.mjs';

let attempted;
const { server } = serving((_, response) => {
  attempted();
  response.writeHead(503).end();
});

const fn = async () => {
  attempted();
  throw new Error('down');
};
const fetch = async () => {
  attempted();
  return new Response('', { status: 503 });
};
const ADDRESS = 'https://example.com/users/7';

const RUNS = {
  'p-retry': (options) => pRetry(fn, options),
  'async-retry': (options) => asyncRetry(fn, options),
  'axios-retry'(options) {
    const client = axios.create({ adapter: 'fetch', env: { fetch } });
    axiosRetry(client, options);
    return client.get(ADDRESS);
  },
  'exponential-backoff': (options) => backOff(fn, options),
  ky: (retry) => ky(ADDRESS, { fetch, timeout: false, retry }),
  got: (retry) => got(server().origin, { retry }),
  'AWS SDK'(options) {
    const handle = async () => {
      attempted();
      return { response: { statusCode: 503, headers: {}, body: new Uint8Array() } };
    };
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const client = new SQSClient({ region: 'eu-west-1', credentials, requestHandler: { handle }, ...options });
    return client.send(new SendMessageCommand({ QueueUrl: ADDRESS, MessageBody: 'm' }));
  },
  cockatiel: (options) => cockatiel.retry(cockatiel.handleAll, options).execute(fn),
};

const rows = vectors('pasted');

for (const row of rows)
  test(`${row.package}: ${row.text}`, async () => {
    const at = await still(async (clock) => {
      const times = [];
      attempted = () => times.push(Math.round(clock.now));
      const options = evaluate(row.text, { axiosRetry, ...cockatiel });
      await assert.rejects(RUNS[row.package](options));
      return times;
    });
    if (process.env.REJITTER_WRITE_VECTORS) row.at = at;
    assert.ok(at.length > 1, 'nothing was retried');
    assert.deepEqual(at, row.at);
  });

test('each package has rows', () => {
  for (const name of Object.keys(RUNS)) assert.ok(rows.filter((row) => row.package === name).length >= 2, name);
  if (!process.env.REJITTER_WRITE_VECTORS) return;
  const lines = rows.map((row) => `  ${JSON.stringify(row).replaceAll(/([,:])(?=["[\d])/g, '$1 ')}`);
  writeFileSync(join(repo, 'tests/vectors/pasted.json'), `[\n${lines.join(',\n')}\n]\n`);
});
