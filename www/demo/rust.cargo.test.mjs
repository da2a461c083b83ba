/** The programs of the crate that the page prints: all compile, and wait as long as the npm package does. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ALL_BACKOFFS, ALL_JITTERS, AT_ONCE, INITIAL, page } from './lib/node.mjs';

const { PRESETS, policyOf, programs } = await page('state/presets state/strategy take-away/code');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = await mkdtemp(path.join(tmpdir(), 'page-rust-'));
after(() => rm(FOLDER, { recursive: true, force: true }));

const odd = { ...INITIAL, baseMs: 12.5, capMs: 1234, minMs: 3, maxAttempts: 9, totalTimeoutMs: 20_000 };
const STRATEGIES = [
  AT_ONCE,
  ...ALL_BACKOFFS.flatMap((backoff) => [INITIAL, odd].map((one) => ({ ...one, backoff }))),
  ...ALL_JITTERS.map((jitter) => ({ ...odd, jitter, spreadMs: 40, factor: 1.5 })),
  ...PRESETS.map(({ strategy }) => strategy),
  { ...odd, capMs: Infinity, maxAttempts: Infinity },
  { ...odd, jitter: 'equal', capRule: 'ceiling' },
  { ...odd, jitter: 'decorrelatedBounded', capRule: 'draw' },
];

test('each Rust program compiles, and draws the waits of the npm package for the same seed', async () => {
  await mkdir(path.join(FOLDER, 'src'));
  // The versions of this repository's own lock file.
  await cp(path.join(ROOT, 'Cargo.lock'), path.join(FOLDER, 'Cargo.lock'));
  const dependency = `{ path = ${JSON.stringify(path.join(ROOT, 'crates/rejitter'))}, features = ["tokio", "serde"] }`;
  await writeFile(
    path.join(FOLDER, 'Cargo.toml'),
    `[package]\nname = "printed"\nedition = "2024"\n[dependencies]\nrejitter = ${dependency}\nserde_json = "1"\n`,
  );
  const modules = STRATEGIES.map((strategy, i) => {
    const { rust } = programs(strategy);
    const policy = rust.includes('fn policy()') ? 'policy()' : 'POLICY';
    const waits = `${policy}.delays(7).take(8).map(|wait| wait.as_secs_f64() * 1000.0).collect()`;
    return `mod m${i} {\n${rust}\npub fn waits() -> Vec<f64> {\n    ${waits}\n}\n}`;
  });
  const all = STRATEGIES.map((_, i) => `m${i}::waits()`).join(', ');
  const main = `#![deny(warnings)]\n#![allow(dead_code)]\n${modules.join('\n')}\nfn main() {\n    println!("{:?}", [${all}]);\n}\n`;
  await writeFile(path.join(FOLDER, 'src/main.rs'), main);
  const env = {
    ...process.env,
    CARGO_TARGET_DIR: path.join(process.env.REJITTER_TARGET_DIR ?? `${ROOT}/target`, 'page-rust'),
  };
  const { stdout } = await promisify(execFile)(process.env.CARGO || 'cargo', ['run', '--quiet', '--offline'], {
    ...{ cwd: FOLDER, env, maxBuffer: 2 ** 24 },
  });
  const printed = JSON.parse(stdout);
  for (const [i, strategy] of STRATEGIES.entries()) {
    const delays = policyOf(strategy).delays({ seed: 7 });
    const own = Array.from({ length: Math.min(8, strategy.maxAttempts - 1) }, () => delays.next().value);
    assert.equal(printed[i].length, own.length, JSON.stringify(strategy));
    // A duration has whole nanoseconds.
    for (const [k, ms] of own.entries())
      assert.ok(Math.abs(printed[i][k] - Number(ms)) < 1e-4, `${JSON.stringify(strategy)}: ${printed[i]} for ${own}`);
  }
});
