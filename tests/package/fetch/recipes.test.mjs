// The documented recipes that need other packages, over the real ones: undici's dispatcher, axios, ky. The
// others run in docs/documents.test.mjs.

import assert from 'node:assert/strict';
import { symlinkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { project, run, tool } from '../lib/consumer.mjs';
import { listen } from '../lib/fetching.mjs';
import { marked } from '../lib/readers.mjs';

const RECIPES = Object.fromEntries(marked('undici|axios and ky'));

let server;
before(async () => {
  server = await listen((request, response, nth) => {
    if (request.url === '/404') response.writeHead(404).end('none');
    else if (nth < 3) response.writeHead(503, { 'retry-after-ms': '1' }).end('later');
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ name: 'Ada', sent: String(request.body) }));
  });
});
after(() => server.close());

/** Runs a recipe, with what uses it, where the packages that it imports are installed. */
async function recipe(code, packages) {
  const dir = project('recipe', { 'main.mjs': code.replaceAll('https://example.com', server.origin) });
  mkdirSync(join(dir, 'node_modules'));
  for (const name of packages) symlinkSync(tool(name), join(dir, 'node_modules', name));
  return run(process.execPath, ['--unhandled-rejections=strict', '--no-warnings', join(dir, 'main.mjs')], {
    cwd: dir,
    env: { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: '' },
  });
}
const requestsOf = (path) => server.seen.filter((request) => request.path === path);

test('undici: a dispatcher with a connect timeout', async () => {
  const { stdout, stderr } = await recipe(
    `${RECIPES.undici}\nconsole.log(response.status, (await response.json()).name);\nawait dispatcher.close();`,
    ['undici'],
  );
  assert.equal(stderr, '');
  assert.equal(stdout, '200 Ada\n');
  assert.equal(requestsOf('/data.json').length, 3);
});

test('axios and ky: retried below, once, with one key; their errors stay theirs', async () => {
  const use = `
    const origin = 'https://example.com';
    console.log((await api.post(origin + '/axios', { item: 7 })).data.sent);
    console.log((await http.post(origin + '/ky', { json: { item: 8 } }).json()).sent);
    console.log((await api.get(origin + '/404').catch((error) => error)).name,
      (await http.get(origin + '/404').catch((error) => error)).name);
  `;
  const { stdout, stderr } = await recipe(RECIPES['axios and ky'] + use, ['axios', 'ky']);
  assert.equal(stderr, '');
  assert.equal(stdout, '{"item":7}\n{"item":8}\nAxiosError HTTPError\n');
  for (const path of ['/axios', '/ky']) {
    assert.equal(requestsOf(path).length, 3);
    assert.equal(new Set(requestsOf(path).map(({ headers }) => headers['idempotency-key'])).size, 1);
    assert.equal(new Set(requestsOf(path).map(({ body }) => String(body))).size, 1);
  }
});
