/**
 * The programs that the page prints: each is type-checked, and run against a server that fails.
 * Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { RetryPolicy } from 'rejitter';
import { fromData } from 'rejitter/data';
import * as engines from 'rejitter/engines';
import { plan } from 'rejitter-lab';
import * as presets from 'rejitter/presets';
import * as protection from 'rejitter/protection';
import { onLoopback } from '../../tests/package/lib/loopback.mjs';
import { ALL_JITTERS, INITIAL, INITIAL_STATE, page } from './lib/node.mjs';

const { ENGINES, PRESETS, BACKOFFS, JITTERS, engineText, policyOf, strategyOf, programs, source } = await page(
  'state/presets state/state state/strategy take-away/code take-away/engines',
);
const run = promisify(execFile);
const WWW = fileURLToPath(new URL('..', import.meta.url));
/** A folder within www, where `rejitter` is found as it is by anyone who installed it. */
const FOLDER = await mkdtemp(path.join(WWW, 'node_modules/.programs-'));
after(() => rm(FOLDER, { recursive: true, force: true }));
await writeFile(path.join(FOLDER, 'package.json'), '{ "type": "module" }');

const polly = PRESETS.find(({ name }) => name === 'polly').strategy;
const quick = { ...INITIAL, baseMs: 20, capMs: 12_345, maxAttempts: 8, totalTimeoutMs: 20_000 };
// No answer of the tests' server takes as long as the hedge waits.
const allParts = { budget: {}, breaker: {}, cooldown: {}, hedge: { delayMs: 600_000 } };

/** The name of the program with all parts. */
const ALL = 'chosen with budget and breaker and cooldown and hedge';

/** Names, strategies and parts. */
const GRID = BACKOFFS.flatMap((backoff) =>
  JITTERS.flatMap((jitter) =>
    [Infinity, 20_000].map((totalTimeoutMs) => [`${backoff} ${jitter}`, { ...quick, backoff, jitter, totalTimeoutMs }]),
  ),
);
/** Presets, and strategies that only data can hold. */
const OTHERS = [
  ...PRESETS.map(({ name, label, strategy }) => [name ?? label, strategy]),
  ...ALL_JITTERS.slice(4).map((jitter) => [jitter, { ...INITIAL, jitter, baseMs: 30, ratio: 0.3, spreadMs: 40 }]),
  [
    'cenkalti, changed',
    { ...strategyOf(new RetryPolicy(presets.cenkalti)), baseMs: 50, maxAttempts: 4, totalTimeoutMs: Infinity },
  ],
  ...[
    { capRule: 'draw' },
    { capRule: 'ceiling', jitter: 'proportional' },
    { backoff: 'fibonacci', jitter: 'additiveMax', spreadMs: 5 },
    { backoff: 'linear', minMs: 3 },
    { jitter: 'decorrelatedBounded', capRule: 'draw' },
  ].map((part) => [JSON.stringify(part), { ...quick, ...part }]),
  ...[{ budget: {} }, { cooldown: {} }, { limiter: { limit: 10, perMs: 10 } }, allParts].flatMap((parts) => {
    const name = Object.keys(parts).join(' and ');
    const data = { ...INITIAL, jitter: 'equal', capRule: 'ceiling', baseMs: 10 };
    return [
      [`chosen with ${name}`, { ...INITIAL, baseMs: 20 }, parts],
      [`polly with ${name}`, polly, parts],
      [`data with ${name}`, data, parts],
    ];
  }),
];
const printed = (list) =>
  list.flatMap(([name, strategy, parts = {}]) =>
    Object.entries(programs(strategy, parts))
      // rust.cargo.test.mjs has that one.
      .filter(([tab]) => tab !== 'rust')
      .map(([tab, code]) => ({ name, tab, code: `${code}`, strategy, parts })),
  );
const [grid, others] = [printed(GRID), printed(OTHERS)];

test('presets are printed by name, the rest as data, and the parts that the calls share once, before them', () => {
  assert.equal(
    source([1000, 10_000, 1_234_567.25, Infinity, "it's"]),
    String.raw`[1000, 10_000, 1_234_567.25, Infinity, 'it\'s']`,
  );
  for (const [wanted, words] of [
    // cenkalti and Google's client are one policy, of which the first name is printed.
    ...['polly', 'googleHttpClient', 'grpc', 'awsSdk2020', 'pRetryRandomized', 'truncatedBinary'].map((name) => [
      name,
      `import { ${name} } from 'rejitter/presets';\n\nconst policy = new RetryPolicy(${name});`,
    ]),
    ['cenkalti, changed', "fromData({\n  version: 1,\n  capRule: 'ceiling',"],
    [ALL, '\nconst protection = protect(budget(), breaker(), cooldown(), hedge({ delayMs: 600_000 }));\n'],
    ['goRetryableHttp', 'createFetch({\n  ...goRetryableHttp,\n  retryOn: goRetryableHttpRetryOn,\n  attemptTimeoutMs'],
    ['polly with budget', 'new RetryPolicy({\n  ...polly,\n  protection,\n})'],
    ['data with budget', " fromData({\n  version: 1,\n  capRule: 'ceiling',"],
  ])
    assert.ok(
      others.some(({ name, code }) => name === wanted && code.includes(words)),
      words,
    );
  // The slider's delay is for the simulated server: the code says what the hedge does by default.
  const learned = /95% of the recent first attempts\.\nconst protection = /;
  for (const { name, code, tab, parts } of others) {
    assert.equal(learned.test(code), 'hedge' in parts && tab !== 'delays', name);
    assert.equal(code.includes('protect('), Object.keys(parts).length > 0 && tab !== 'delays', name);
  }
});

test('each program makes the very policy of its strategy, and lists as many waits, within its bounds', () => {
  const imported = { RetryPolicy, fromData, ...presets, ...protection };
  let policies = 0;
  for (const { name, tab, code, strategy } of [...grid, ...others]) {
    if (tab === 'fetch' || !code.includes('const policy =')) continue;
    const statements = code.replace(/^import .*$/gm, '').replace(/\n(?:const response|\/\/ For )[^]*/, '');
    const waits = [];
    const names = [...Object.keys(imported), 'console'];
    const made = new Function(...names, `${statements}\nreturn policy;`)(...Object.values(imported), {
      log: (wait) => waits.push(wait),
    });
    // A cap rule without effect is not printed.
    const [own, expected] = [made, policyOf(strategy)].map((policy) => ({ ...strategyOf(policy), capRule: '' }));
    assert.deepEqual(own, expected, name);
    assert.deepEqual(plan(made, 8), plan(policyOf(strategy), 8), name);
    policies++;
    if (tab !== 'delays') continue;
    assert.equal(waits.length, strategy.maxAttempts === Infinity ? 10 : strategy.maxAttempts - 1, name);
    // Presets of systems that cap the backoff before the jitter exceed the cap by its share.
    const most = strategy.capRule === 'ceiling' ? strategy.capMs * (1 + strategy.ratio) : strategy.capMs;
    for (const wait of waits) assert.ok(wait >= strategy.minMs && wait <= most, `${name}: ${wait}`);
    if (strategy.jitter === 'none') assert.deepEqual(waits, [...policyOf(strategy).delays()], name);
  }
  assert.ok(policies > 16 * 2 + 12 * 2);
});

test('all of them have the right types; one with a wrong option has not', async () => {
  const flags =
    '--strict --exactOptionalPropertyTypes --noEmit --skipLibCheck --target es2022 --module nodenext --types node';
  const complaints = async (codes) => {
    const files = codes.map((_, i) => path.join(FOLDER, `p${i}.ts`));
    await Promise.all(files.map((file, i) => writeFile(file, codes[i])));
    const tsc = path.join(WWW, 'node_modules/.bin/tsc');
    return spawnSync(tsc, ['--ignoreConfig', ...flags.split(' '), ...files], { cwd: WWW, encoding: 'utf8' }).stdout;
  };
  assert.equal(await complaints([...grid, ...others].map(({ code }) => code)), '');
  assert.match(await complaints([grid[0].code.replace('maxAttempts', 'retries')]), /retries/);
});

test('each engine has what the package returns, with its losses', () => {
  const strategy = { ...INITIAL, maxAttempts: 10 };
  const policy = policyOf(strategy);
  const { bullmq, ...exporters } = engines;
  for (const name of ENGINES) {
    const jobs = { config: bullmq.jobOptions(policy), losses: [] };
    const { config, losses } = name === 'bullmq' ? jobs : exporters[name](policy);
    const printed = engineText(name, { ...INITIAL_STATE, strategy });
    // JSON drops functions: the sentence names them.
    if (!/^import /.test(printed.text))
      assert.deepEqual(new Function(`return (${printed.text})`)(), JSON.parse(JSON.stringify(config)), name);
    for (const [i, { text }] of losses.entries()) assert.equal(printed.losses[i], text, name);
    assert.equal(printed.losses.length, losses.length);
  }
});

test('the tabs of engines that draw the waits themselves are whole programs', async () => {
  const strategy = { ...INITIAL, baseMs: 2000, maxAttempts: 4 };
  const policy = policyOf(strategy);
  /** Runs a printed program with these in the place of what it imports from others. */
  const runs = (name, others, exported) => {
    const { text } = engineText(name, { ...INITIAL_STATE, strategy });
    const imported = [...text.matchAll(/^import \{ (.*) \} from/gm)].flatMap(([, names]) => names.split(', '));
    const known = { RetryPolicy, fromData, ...engines, ...others };
    const body = text.replace(/^import .*$/gm, '').replaceAll('export ', '');
    const program = `return (async () => { ${body}\nreturn ${exported}; })()`;
    return new Function(...imported, program)(...imported.map((one) => known[one]));
  };
  const seen = {};
  class Queue {
    add(...args) {
      seen.added = args;
    }
  }
  function Worker(...args) {
    seen.worker = args;
  }
  await runs('bullmq', { Queue, Worker }, '{}');
  assert.deepEqual(seen.added[2], engines.bullmq.jobOptions(policy));
  assert.equal(typeof seen.worker[2].settings.backoffStrategy, 'function');
  const ChangeMessageVisibilityCommand = function (input) {
    Object.assign(this, input);
  };
  const { attributes, failed } = await runs('sqs', { ChangeMessageVisibilityCommand }, '{ attributes, failed }');
  const { visibilityTimeout, ...own } = engines.sqs(policy).config;
  assert.deepEqual(attributes, own);
  const message = { MessageId: 'm', ReceiptHandle: 'r', Attributes: { ApproximateReceiveCount: '2' } };
  await failed({ send: async (command) => Object.assign(seen, { command: { ...command } }) }, 'q', message);
  const expected = { QueueUrl: 'q', ReceiptHandle: 'r', VisibilityTimeout: visibilityTimeout(2, 'm') };
  assert.deepEqual(seen.command, expected);
});

/** For how long a server rejects: longer than three calls take to arrive, so that none is late on most machines. */
const LIMITED_MS = 5000;
const [ok, unavailable] = [{ status: 200 }, { status: 503 }];
const limited = { status: 429, headers: { 'Retry-After': `${LIMITED_MS / 1000}` } };

/** How many of three calls the limit meets: a limiter holds the later two, a cooldown all but a probe. */
const limitedIn = ({ parts }) => (parts.cooldown ? 2 : parts.limiter ? 1 : 3);

/**
 * Servers, by what they answer to the n-th request, so long after the first, if it is the first one of so many calls;
 * what is changed in the program; and what comes of it: how the calls end, and after how many requests, or rejections.
 */
const SERVERS = {
  '503 twice': { ends: () => '200 after 3' },
  // A call says what it is for: it sends again what it is told to.
  'a POST': { init: "method: 'POST'", ends: ({ tab }) => (tab === 'fetch' ? '503 after 1' : '200 after 3') },
  'a POST with a key': {
    init: "method: 'POST', headers: { 'Idempotency-Key': 'order 7' }",
    ends: () => '200 after 3',
  },
  'connections that break twice': { answer: (n) => (n <= 2 ? { breaks: true } : ok), ends: () => '200 after 3' },
  'a 404, which no retry mends': { answer: () => ({ status: 404 }), ends: () => '404 after 1' },
  // Those whose waits end within seconds.
  '503 always': {
    answer: () => unavailable,
    only: ({ strategy }) => strategy.baseMs <= 20 && strategy.maxAttempts <= 8,
    ends: ({ tab, strategy }) => `${tab === 'fetch' ? '' : 'Error: HTTP '}503 after ${strategy.maxAttempts}`,
  },
  // Once its first call has been rejected, a program makes two more. However late these are, as many calls are rejected
  // as are right, and more if any request comes before the end of the limit.
  '429 with Retry-After': {
    more: 2,
    answer: (_, sinceMs, calls, one) => (sinceMs < LIMITED_MS || calls <= limitedIn(one) ? limited : ok),
    ends: (one) => `200,200,200 after ${limitedIn(one)}`,
  },
};

for (const [server, { init = '', more = 0, answer, only = () => true, ends }] of Object.entries(SERVERS))
  test(`every program that calls, against ${server}`, async () => {
    const calling = [...grid, ...others].filter((one) => one.tab !== 'delays' && only(one));
    for (const { tab, code } of calling)
      if (tab === 'call') assert.match(code, /^\/\/ For requests that may be sent twice/m);
    const programs = calling.map(({ code }, i) =>
      code
        .replace(/'(https:.*)\/orders'(?:, \{ (signal) \})?/, (_, origin, signal) => {
          const options = [signal, init].filter(Boolean).join(', ');
          return `\`${origin}/${i}/\${call}\`${options && `, { ${options} }`}`;
        })
        .replace('const response = await ', 'const send = (call) => ')
        // A busy machine must not pass a deadline.
        .replace(/\b(totalTimeoutMs|attemptTimeoutMs): [\d_]+/g, '$1: 600_000')
        .concat(
          '\nexport default async (answerOf) => {',
          `\n  const first = send('first');\n  if (${more}) await answerOf('/${i}/first');`,
          `\n  const all = await Promise.all([first, ...Array.from({ length: ${more} }, (_, k) => send(k))]);`,
          '\n  return all.map(({ status }) => status).join();\n};\n',
        ),
    );
    const reply = answer ?? ((n) => (n <= 2 ? unavailable : ok));
    const { ended, statuses } = await against(programs, (n, ms, calls, i) => reply(n, ms, calls, calling[i]));
    for (const [i, one] of calling.entries()) {
      const counted = statuses[i].filter((status) => !more || status === 429).length;
      assert.equal(`${ended[i]} after ${counted}`, ends(one), `${one.name}: ${statuses[i]}\n${one.code}`);
    }
  });

/** What all modules run in. It tells them that a program has got an answer of a path, and has had its turn with it. */
const HOST = `
  import { EventEmitter, once } from 'node:events';
  const answers = new EventEmitter();
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    setImmediate(() => answers.emit(new URL(response.url).pathname));
    return response;
  };
  const ended = loaded.map(({ default: run }) => run((path) => once(answers, path)).catch(String));
  console.log(JSON.stringify(await Promise.all(ended)));
  process.exit();`;

/**
 * Runs all modules in one process, each against its own path of a server that answers by the number of the request, its
 * time since the first one, the number of calls if it is the first of a call, and the module. Returns what the
 * functions that they export return, or their errors, and what the requests were answered. All are loaded before the
 * first calls.
 */
async function against(modules, answer) {
  const [statuses, since, calls] = [modules.map(() => []), modules.map(() => NaN), modules.map(() => new Set())];
  const server = createServer((request, response) => {
    const [, i, call] = request.url.split('/');
    if (statuses[i].length === 0) since[i] = performance.now();
    const order = calls[i].has(call) ? Infinity : calls[i].add(call).size;
    const { status, headers, breaks } = answer(statuses[i].length + 1, performance.now() - since[i], order, i);
    statuses[i].push(status);
    if (breaks) return request.socket.destroy();
    return response.writeHead(status, headers).end();
  });
  const { origin, close } = await onLoopback(server);
  try {
    const files = modules.map((_, i) => path.join(FOLDER, `r${i}.mjs`));
    await Promise.all(files.map((file, i) => writeFile(file, modules[i].replaceAll('https://example.com', origin))));
    const urls = JSON.stringify(files.map((file) => pathToFileURL(file).href));
    const load = `const loaded = await Promise.all(${urls}.map((url) => import(url)));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', load + HOST], { cwd: WWW });
    return { ended: JSON.parse(stdout), statuses };
  } finally {
    await close();
  }
}
