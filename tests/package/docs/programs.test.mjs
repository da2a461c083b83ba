// The programs of the guides for logs, metrics, services, command lines and pages: each is saved as a file and run as a
// process of its own, against a server that misbehaves. And the tables of events, beside their types.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { importEntry, importPackage, run } from '../lib/consumer.mjs';
import { readDeclarations } from '../lib/dts.mjs';
import { pasted, still } from '../lib/pasted.mjs';
import { checkPrograms, javaScript, program, serve } from '../lib/programs.mjs';
import { declarations, documents, tableIn } from '../lib/readers.mjs';

const { RetryPolicy, permanent, retryAfter } = await importPackage();
const { breaker, budget, cooldown, protect } = await importEntry('protection');

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** What the server does with each request, in turn: a status, or nothing. Then it answers. */
let misbehaves = [];
let seen = [];
const server = await serve(({ method, url }) => {
  seen.push(`${method} ${url}`);
  const next = misbehaves.shift() ?? 200;
  return next === 'hangs' ? new Promise(() => {}) : { status: next, text: '{"name":"Ada"}' };
});
after(server.close);

/** Runs a program as a process, with more code behind it. */
async function runs(mark, answers, more = '') {
  [misbehaves, seen] = [[...answers], []];
  const dir = pasted((await javaScript(program(mark))) + more);
  const { code, stdout, stderr } = await run(process.execPath, ['main.mjs'], { cwd: dir, env: { API: server.url } });
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

test('pino: each retry is a line with the name, method and origin, and without path and query', async () => {
  const lines = (await runs('pino', [503, 'hangs', 200])).trim().split('\n');
  assert.deepEqual(seen, Array(3).fill('GET /users/7?token=secret'));
  const [first, second, ...others] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(others, []);
  const labels = { msg: 'retry', name: 'GET /users/:id', method: 'GET', origin: server.url };
  for (const [i, event] of [first, second].entries()) {
    for (const [key, value] of Object.entries({ ...labels, attempt: i + 1 })) assert.equal(event[key], value, key);
    assert.ok(event.delayMs >= 0);
  }
  assert.equal(first.status, 503);
  assert.match(second.err.message, new RegExp(`timed out after 500 ms .*\\(GET ${server.url}\\)$`));
  assert.ok(!lines.join().includes('secret'));
});

test('prom-client: attempts and operations have the names that the alert divides', async () => {
  const more = `\nimport { register } from 'prom-client';\nconsole.log(await register.metrics());`;
  const text = await runs('prom-client', [503, 503, 200], more);
  assert.match(text, /^rejitter_attempts_total\{rejitter_name="load user"\} 3$/m);
  assert.match(text, /^rejitter_operations_total\{rejitter_name="load user",rejitter_outcome="success"\} 1$/m);
  const [, alert] = /expr: >\n(.*?)\n {2}for:/s.exec(documents.get('docs/guide/logs-and-metrics.md'));
  const named = [...alert.matchAll(/\w+_total/g)].map(([name]) => name);
  assert.deepEqual(named, ['rejitter_attempts_total', 'rejitter_operations_total']);
  for (const name of named) assert.ok(text.includes(`# TYPE ${name} counter`));
});

const PAGE = documents.get('docs/guide/logs-and-metrics.md');
const namesIn = (cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);

test('the table of events lists each member of each hook, and no others', () => {
  const [index, fetch] = ['index.d.ts', 'fetch.d.ts'].map(readDeclarations);
  const membersOf = (type) => [...(index.exports.has(type) ? index : fetch).options(type).keys()];
  const hooks = [
    ...declarations('fetch.d.ts').matchAll(/^ *(\w+)\?: \(\(event: ([\w &]+)\) => unknown\) \| undefined;$/gm),
  ];
  assert.deepEqual(
    hooks.map(([, hook]) => hook).sort(),
    tableIn(PAGE, 'hook')
      .flatMap(([cell]) => namesIn(cell))
      .sort(),
  );
  const rows = tableIn(PAGE, 'member');
  for (const [, hook, types] of hooks) {
    const declared = new Set(types.split(' & ').flatMap(membersOf));
    // A type has it for the hooks before an outcome, too.
    if (!['onAttempt', 'onFailure'].includes(hook)) declared.delete('hedge');
    const listed = rows.filter(([, events]) => events.startsWith('all') || namesIn(events).includes(hook));
    assert.deepEqual(listed.flatMap(([members]) => namesIn(members)).sort(), [...declared].sort(), hook);
  }
});

test('the table of a report lists each of its members and those of its records', () => {
  const types = ['RetryReport', 'AttemptRecord'].flatMap((type) => [
    ...readDeclarations('index.d.ts').options(type).keys(),
  ]);
  const rows = tableIn(PAGE, 'report');
  const [[, records]] = rows.filter(([cell]) => cell === '`records`');
  const listed = [...rows.flatMap(([cell]) => namesIn(cell)), ...namesIn(records)];
  assert.deepEqual(listed.sort(), types.sort());
});

test('the table of events of a protection has the members that they have', async () => {
  const found = {};
  const onEvent = ({ type, key, ...members }) => Object.assign((found[type] ??= {}), members);
  const parts = [budget({ capacity: 1, perSuccess: 1 }), breaker({ consecutiveFailures: 3, openMs: 10 }), cooldown()];
  const policy = new RetryPolicy({ maxAttempts: 2, baseMs: 1, protection: protect(...parts, { onEvent }) });
  await still(async () => {
    const call = (fn) => policy.run(fn).catch((error) => error);
    const fails = (error) => call(() => Promise.reject(error));
    for (let i = 0; i < 5; i += 1) await fails(new Error('down'));
    await sleep(20);
    for (let i = 0; i < 3; i += 1) await call(() => 1);
    await fails(permanent(retryAfter(1000, new Error('busy'))));
    await Promise.all([1, 2, 3].map(() => call(() => 1)));
  });
  const rows = tableIn(PAGE, 'event of a protection').flatMap(([types, members]) =>
    namesIn(types).map((type) => [type, namesIn(members).sort()]),
  );
  const members = Object.entries(found).map(([type, event]) => [type, Object.keys(event).sort()]);
  assert.deepEqual(Object.fromEntries(members), Object.fromEntries(rows));
});

test('the programs compile', () => checkPrograms(['pino', 'prom-client']));
