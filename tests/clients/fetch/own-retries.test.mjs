// How often each client asks by itself, and whether what the table of docs/recipes.md says switches that off: against a
// server that is down, on a virtual clock.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { createClient } from '@supabase/supabase-js';
import { generateText } from 'ai';
import { request } from 'gaxios';
import got from 'got';
import ky from 'ky';
import { Octokit } from 'octokit';
import OpenAI from 'openai';
import Stripe from 'stripe';
import { Agent, RetryAgent, request as send } from 'undici';
import { WebSocket } from 'ws';

import { listen } from '../../package/lib/fetching.mjs';
import { documents, evaluate, tableIn } from '../../package/lib/readers.mjs';
import { clients } from '../lib/packages.mjs';
import { still } from '../lib/pasted.mjs';

const ADDRESS = 'https://example.com/7';
const CHAT = { model: 'x', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };

/** A request by each client of the table, with what it says as `off`. */
const ASKS = {
  ky: ({ fetch, off }) => ky(ADDRESS, { fetch, ...off }),
  got: ({ url, off }) => got(url, off),
  gaxios: ({ fetch, off }) => request({ url: ADDRESS, fetchImplementation: fetch, retry: true, ...off }),
  octokit: ({ fetch, off }) => new Octokit({ request: { fetch }, ...off }).request('GET /users/7'),
  undici: ({ url, off }) => send(url, { dispatcher: off ? new Agent() : new RetryAgent(new Agent()) }),
  openai: ({ fetch, off }) => new OpenAI({ apiKey: 'x', fetch, ...off }).chat.completions.create(CHAT),
  '@anthropic-ai/sdk': ({ fetch, off }) => new Anthropic({ apiKey: 'x', fetch, ...off }).messages.create(CHAT),
  stripe: ({ fetch, off }) =>
    new Stripe('sk_x', { httpClient: Stripe.createFetchHttpClient(fetch), ...off }).customers.retrieve('7'),
  ai: ({ fetch, off }) => generateText({ model: createOpenAI({ apiKey: 'x', fetch })('x'), prompt: 'x', ...off }),
  '@supabase/supabase-js': ({ fetch, off }) => {
    const options = { global: { fetch }, realtime: { transport: WebSocket }, ...off };
    return createClient('https://example.com', 'x', options).from('users').select().throwOnError();
  },
};

const rows = tableIn(documents.get('docs/recipes.md'), 'library');
const { devDependencies } = JSON.parse(readFileSync(join(clients, 'package.json'), 'utf8'));
const nameOf = (cell) => /^[^ ,]+/.exec(cell)[0];
test('the table has each client, in the version that is run', () => {
  assert.deepEqual(rows.map(([library]) => nameOf(library)).sort(), Object.keys(ASKS).sort());
  for (const [library, version] of rows) assert.equal(version, devDependencies[nameOf(library)], library);
});

for (const [library, , count, cell] of rows)
  test(`${library}: ${count} requests by itself, one with ${cell}`, async () => {
    const options = /^`(\{.*?\})`/.exec(cell)?.[1];
    for (const [off, expected] of [
      [undefined, Number(count)],
      [options ? evaluate(options) : {}, 1],
    ]) {
      let requests = 0;
      const down = () => {
        requests += 1;
        return { status: 503, headers: { 'content-type': 'application/json' } };
      };
      const fetch = async () => new Response('{}', down());
      const { origin, close } = await listen((_, response) => {
        const { status, headers } = down();
        response.writeHead(status, headers).end('{}');
      });
      const asks = async () => ASKS[nameOf(library)]({ fetch, url: origin, off });
      await still(() => asks().catch(() => {}));
      await close();
      assert.equal(requests, expected);
    }
  });
