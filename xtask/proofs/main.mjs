// Proofs and long searches, outside the daily tests. Each prints what it did; SECURITY.md has the results.
//
//   cargo xtask proofs [NAME]... [--runs N]

import { existsSync, mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { EVERY } from '../../tests/package/schedules/every.mjs';
import { Failure, cargo, cargoOf, command, listen, run, sh, signalReceived } from '../run/command.mjs';
import { inRoot } from '../run/places.mjs';
import { nodeTests } from '../steps/node-tests.mjs';
import { FOLDER, writeCrate } from './shared/crate.mjs';

/** The toolchain that fuzzers and Miri need. */
const NIGHTLY = 'nightly';
const CARGO_FUZZ = '0.13.2';
const MADE = inRoot('target/proofs');
/** The share of each target in the executions of the fuzzers, and the longest input in bytes. */
const TARGETS = { hints: [0.4, 120], data: [0.2, 400], decisions: [0.2, 200], machines: [0.2, 400] };

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '100000000' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
if (!(runs >= 1000)) throw new Failure(`--runs must be a number of at least 1000, got ${values.runs}`);

const NO_LIMIT = { limitMs: Infinity };
const node = (/** @type {string[]} */ ...line) => run(command(['node', ...line], { dir: inRoot('.'), ...NO_LIMIT }));

const RUST = 'run --release --manifest-path xtask/proofs/rust/Cargo.toml --example';
const example = (/** @type {string} */ name) =>
  run(cargo(`${RUST} ${name}`, { ...NO_LIMIT, env: { CARGO_TARGET_DIR: `${MADE}/build` } }));

/** Files of tests, by folder. */
const SAMPLED = [
  ['tests/package/schedules/schedules.test.mjs'],
  ['tests/package/worlds/worlds.slow.test.mjs'],
  sh`www/demo/before.test.mjs www/demo/states.test.mjs www/demo/strategy.test.mjs`,
];

/** @type {Record<string, () => Promise<void>>} */
const PROOFS = {
  /** All orders of a few events, against the reference of the random schedules. */
  async interleavings() {
    await node('tests/package/schedules/run.mjs', ...sh`--among every --seed 0 --count ${EVERY}`);
  },
  /** All cases of the random tests of which the daily run has a sample. */
  async samples() {
    for (const files of SAMPLED) {
      const paths = files.map((file) => inRoot(file));
      await run({ ...nodeTests(paths, { found: {} }, { REJITTER_FULL: '1' }), ...NO_LIMIT });
    }
  },
  /** All decisions at the places where one could go wrong. */
  async bounds() {
    await example('bounds');
  },
  async texts() {
    await node('xtask/proofs/texts.mjs', String(Math.ceil(runs / 10)));
  },
  async soak() {
    await node('xtask/proofs/soak.mjs');
    await example('soak');
  },
  async fuzz() {
    const tools = inRoot('target/tools/cargo-fuzz');
    if (!existsSync(`${tools}/bin/cargo-fuzz`))
      await run(cargo(sh`install --locked --root ${tools} cargo-fuzz@${CARGO_FUZZ}`, NO_LIMIT));
    const env = { CARGO_TARGET_DIR: `${MADE}/fuzz`, PATH: `${tools}/bin:${process.env.PATH}` };
    for (const [target, [share, longest]] of Object.entries(TARGETS)) {
      const [corpus, artifacts] = ['corpus', 'artifacts'].map((kind) => `${MADE}/${kind}/${target}/`);
      for (const folder of [corpus, artifacts]) mkdirSync(folder, { recursive: true });
      // The crate has no unsafe code: a sanitizer would find nothing, and take most of the time.
      const build = '--fuzz-dir xtask/proofs/rust --sanitizer none --release'.split(' ');
      const options = sh`-runs=${Math.ceil(runs * share)} -max_len=${longest} -artifact_prefix=${artifacts}`;
      const line = sh`fuzz run ${build} ${target} ${corpus} -- ${options} -verbosity=0 -print_final_stats=1`;
      await run(cargoOf(NIGHTLY, line, { ...NO_LIMIT, env }));
    }
  },
  /** Native tests in an interpreter that sees undefined behaviour and leaks. */
  async miri() {
    await run(command(sh`rustup component add miri rust-src --toolchain ${NIGHTLY}`));
    const env = { CARGO_TARGET_DIR: `${MADE}/miri`, MIRIFLAGS: '-Zmiri-disable-isolation' };
    await run(cargoOf(NIGHTLY, 'miri test --test native', { ...NO_LIMIT, env }));
  },
  /** The threads of one protection, in orders that a scheduler chooses. */
  async shared() {
    writeCrate();
    const env = { CARGO_TARGET_DIR: `${MADE}/build` };
    const tests = 'test --release --features protection --test protection';
    await run(cargo(tests, { ...NO_LIMIT, dir: FOLDER, env }));
  },
};

const unknown = positionals.find((name) => !(name in PROOFS));
if (unknown !== undefined)
  throw new Failure(`there is no proof ${unknown}`, { remedy: `one of ${Object.keys(PROOFS).join(', ')}` });

listen();
const failed = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(PROOFS)) {
  if (signalReceived() !== undefined) break;
  console.log(`\n${name}`);
  try {
    await PROOFS[name]();
  } catch (error) {
    console.log(error.message);
    failed.push(name);
  }
}
console.log(`\nfailed: ${failed.join(', ') || 'none'}`);
if (failed.length > 0) process.exitCode = 1;
