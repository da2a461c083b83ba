// wasm-pack build --target nodejs: a CommonJS package for Node.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { expected, use } from './use.mjs';

const out = process.env.WASM_PACK_OUT;
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const folder = mkdtempSync(join(process.env.REJITTER_TARGET_DIR, 'wasm-pack', 'types-'));
after(() => rmSync(folder, { recursive: true }));

test('retries when it is required', async () => {
  assert.deepEqual(await use(createRequire(import.meta.url)(out)), expected);
});

test('retries when it is imported', async () => {
  const { main } = createRequire(import.meta.url)(join(out, 'package.json'));
  const { default: api } = await import(pathToFileURL(join(out, main)).href);
  assert.deepEqual(await use(api), expected);
});

test('its types are complete', () => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(out, join(folder, 'node_modules/rejitter'), 'dir');
  const compiled = (statement) => {
    writeFileSync(
      join(folder, 'main.ts'),
      `
      import { RetryPolicy, retry, retryWithFullJitter } from 'rejitter';
      import type { Attempt, FailureEvent, PolicyOptions, RetryReport } from 'rejitter';
      const options: PolicyOptions = { baseMs: 50, jitter: 'equal', onFailure: (event: FailureEvent) =>
        console.log(event.attempt) };
      const attemptsOf = (report: RetryReport | undefined) => report?.records.length;
      const text: Promise<string> =
        retryWithFullJitter(async ({ attempt }: Attempt) => \`\${attempt} \${attemptsOf(undefined)}\`, { capMs: 5 });
      const number: Promise<number> = new RetryPolicy(options).run(() => retry(() => 1));
      ${statement}
      export { number, text };
    `,
    );
    const flags = '--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom';
    const args = [tsc, ...flags.split(' '), '--pretty', 'false', '--types', '', 'main.ts'];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
  };
  assert.equal(compiled(''), '');
  assert.match(compiled("retry(() => 1, { baseMs: '5' });"), /TS2\d+: /, 'the control: a wrong one is rejected');
});
