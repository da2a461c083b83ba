/**
 * The programs that the page prints: each is type-checked, and run against a server that fails.
 * Expects `rejitter` in `www/node_modules`.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RetryPolicy } from 'rejitter';
import { startServer } from './misbehaving-server.mjs';
import { pageModule } from './page-module.mjs';

const run = promisify(execFile);
const WWW = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ name: string, tab: string, code: string, strategy: any }} Printed */

/** @type {Printed[]} */
const all = [];
/** @type {(value: unknown) => string} */
let source;
/** @type {(strategy: any) => any} */
let policyOptions;

before(async () => {
  const state = await pageModule('state/strategy.ts');
  const code = await pageModule('take-away/code.ts');
  ({ source } = code);
  ({ policyOptions } = state);
  for (const choice of state.CHOICES) {
    // Without a deadline and with one, which is printed.
    for (const totalTimeoutMs of [Infinity, 20_000]) {
      const strategy = { ...state.INITIAL, ...choice, baseMs: 20, capMs: 12_345, maxAttempts: 8, totalTimeoutMs };
      for (const [tab, text] of Object.entries(code.programs(strategy))) {
        all.push({ name: `${choice.backoff} ${choice.jitter}, ${tab}`, tab, code: text, strategy });
      }
    }
  }
  // The other policies that the page draws.
  const further = [
    { capRule: 'draw' }, { capRule: 'ceiling', jitter: 'proportional' }, { backoff: 'list', list: [10, 20, 30] }, { backoff: 'fibonacci', jitter: 'additiveMax', spreadMs: 5 },
    { backoff: 'linear', stepMs: 7, minMs: 3 }, { jitter: 'pollyV2' }, { jitter: 'slotted' }, { jitter: 'decorrelatedBounded', capRule: 'draw' },
  ];
  for (const part of further) {
    const strategy = { ...state.INITIAL, baseMs: 20, capMs: 12_345, maxAttempts: 8, totalTimeoutMs: 20_000, ...part };
    for (const [tab, text] of Object.entries(code.programs(strategy))) all.push({ name: `${JSON.stringify(part)}, ${tab}`, tab, code: text, strategy });
  }
});

test('sixteen strategies, each in three programs; each function of the family has its strategy', () => {
  assert.equal(all.length, 16 * 3 * 2 + 8 * 3);
  const first = new Set(all.slice(0, 16 * 3 * 2).filter(({ tab }) => tab === 'TypeScript').map(({ code }) => code.split('\n')[0]));
  assert.equal(first.size, 8);
});

test('every option that acts is printed, as a person would write it', () => {
  for (const { name, code, strategy } of all) {
    const { backoff, jitter, ...numbers } = policyOptions(strategy);
    for (const [option, value] of Object.entries(numbers)) {
      assert.match(code, new RegExp(`^ +${option}: ${source(value)},$`, 'm'), name);
    }
    assert.equal(code.includes('totalTimeoutMs'), strategy.totalTimeoutMs < Infinity, name);
    assert.match(code, /capMs: 12_345,/, name);
  }
  assert.equal(source([1000, 10_000, 1_234_567.25, Infinity, 0.5]), '[1000, 10_000, 1_234_567.25, Infinity, 0.5]');
  assert.equal(source("it's"), String.raw`'it\'s'`);
});

describe('in a project of their own', () => {
  /** @type {string} */
  let folder;
  before(async () => {
    // Within www, where `rejitter` is found as it is by anyone who installed it.
    folder = await mkdtemp(join(WWW, 'node_modules/.programs-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The complaints of the compiler about these programs. @param {string[]} programs */
  async function complaints(programs) {
    await Promise.all(programs.map((code, i) => writeFile(join(folder, `p${i}.ts`), code)));
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
    const files = programs.map((_, i) => join(folder, `p${i}.ts`));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    return run(join(WWW, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...strict, ...files], { cwd: WWW }).then(
      () => '',
      (/** @type {{ stdout: string }} */ { stdout }) => stdout,
    );
  }

  test('all of them have the right types; one with a wrong option has not', async () => {
    assert.equal(await complaints(all.map(({ code }) => code)), '');
    const [{ code }] = /** @type {[Printed]} */ (/** @type {unknown} */ (all));
    assert.match(await complaints([code.replace('maxAttempts', 'retries')]), /retries/);
  });

  test('all of them run: what calls the server has its answer, what lists the waits has as many as the policy', async () => {
    const server = await startServer({ seed: 7, slowMs: 50 });
    try {
      // Those with a deadline: more options.
      const chosen = all.filter(({ strategy }) => strategy.totalTimeoutMs < Infinity);
      const programs = chosen.map(({ name, tab, code, strategy }, i) => async () => {
        const aimed = code.replace('https://example.com/orders', `${server.url}/flaky/${i}?run=programs&seed=7&rate=0.3`);
        assert.equal(aimed !== code, tab !== 'Delays only', name);
        const printed = tab === 'Delays only' ? aimed : `${aimed}console.log(response.status, response.ok);`;
        const { stdout } = await run(process.execPath, ['--input-type=module', '-e', printed], { cwd: import.meta.dirname });
        if (tab !== 'Delays only') return assert.equal(stdout, '200 true\n', `${name}\n${code}`);
        const waits = stdout.trim().split('\n').map(Number);
        assert.equal(waits.length, strategy.maxAttempts - 1, name);
        for (const wait of waits) assert.ok(wait >= 0 && wait <= strategy.capMs, `${name}: ${wait}`);
        if (strategy.jitter === 'none') assert.deepEqual(waits, [...new RetryPolicy(policyOptions(strategy)).delays()], name);
      });
      // Four at a time: the machine has other work.
      await Promise.all(Array.from({ length: 4 }, async () => {
        for (let next = programs.pop(); next; next = programs.pop()) await next();
      }));
      assert.ok(server.stats('programs').requests > 16 * 2, 'some of them retried');
    } finally {
      await server.close();
    }
  });
});
