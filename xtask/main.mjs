// The project's own commands: `cargo xtask help`.

import { constants } from 'node:os';
import { parseArgs } from 'node:util';

import { Failure, command, listen, run as runCommand, signalReceived } from './run/command.mjs';
import { inRoot, root } from './run/places.mjs';
import { isTest, run, setUp, withNeeds } from './run/run.mjs';
import { checks } from './steps/checks.mjs';
import * as crate from './steps/crate.mjs';
import * as demo from './steps/demo.mjs';
import { places } from './steps/node-tests.mjs';
import * as pkg from './steps/package.mjs';
import * as programs from './steps/programs.mjs';
import * as release from './steps/release.mjs';
import * as setup from './steps/setup.mjs';
import { site } from './steps/site.mjs';

export const HELP = `\
cargo xtask <command>

  demo [--once] [--port N]
      retries against a misbehaving server, in Node and then on a page;
      --once ends after the part in Node
  test [--quick] [--only NAME]... [--jobs N] [--list]
      every check there is, as steps that run at the same time
      --quick    only what needs no browser, random tests with fewer cases: for the daily loop
      --only     only the steps whose names contain NAME, and the set-up that these need
      --jobs     runs N steps at once; defaults to three more than the cores
      --list     prints the names of the steps
  watch [FILE]...
      after each change of src/js, pkg-template or the tests, assembles the package again, without
      Rust, and runs these test files
  bench [--quick] [--only NAME]... [--seed N] [--node MAJOR] [--docs]
      measures the packed package against its peers: speed, memory, bytes; --quick is over in two
      minutes; --only runs the parts whose names contain NAME; --docs writes docs/benchmarks.md
  hosts [--only NAME]... [--keep] [--docs]
      installs the packed package in the hosts and tools that users have, and runs one suite in each;
      some minutes. --only runs the hosts whose names contain NAME, --keep leaves their projects in
      target/hosts, --docs writes docs/hosts.md
  findings [NAME]... [--docs]
      runs what findings/ holds about other people's software, or the scripts whose names contain
      NAME: prints versions, behaviour and output, and fails if one changed; needs the registries of
      packages. --docs writes docs/reference/findings.md
  schedules [--count N] [--seed S]
      random hostile schedules against the packed package, half of them with protection; by
      default a million
  mutants [--rust] [--count N] [--seed S]
      a sample of small mistakes in src/js, or with --rust in core and retry of the crate, one at a time:
      names those that no test finds; an hour
  proofs [NAME]... [--runs N]
      long searches, an hour in all: every order of a few events, all cases of the tests that try a
      sample, the bounds of decisions, texts of servers, a day of traffic, fuzzers, Miri, and threads
      that share protection; some need Rust's nightly toolchain. --runs is the number of executions of
      all fuzzers, 10^8 by default
  site [--out DIR]
      the page and the documentation as static files, in target/site or in DIR
  pkg
      builds the npm package into target/pkg and packs it
  lab
      the same of the npm package rejitter-lab, into target/lab-pkg
  crate [--only NAME]...
      packs the crate, builds it with all sets of features, for all kinds of targets, with the oldest
      compiler, and programs against it
  release --dry-run | --rehearse
      builds what a release publishes into target/release-files, twice, and checks it without
      publishing; --rehearse publishes it to registries on the loopback, by the script that
      the workflow runs, installs it from there, runs the READMEs, and publishes again
  help
      prints this

Each command first installs any missing dependencies: run one at a time in a checkout. Browsers for
the tests are packages of the system: before xtask installs these with sudo it shows the commands, and
asks if there is a terminal.
`;

/** The tarball is where the measuring programs import it from. */
const IN_BENCH = 'install the tarball in the benchmarks';

/** All steps that set something up: tools, the package, browsers, other builds. */
export const SET_UP = [
  ...[setup, pkg, programs, crate, demo, release].flatMap(({ steps }) => steps),
  ...setup.builds,
  {
    name: IN_BENCH,
    needs: [setup.NPM_OF_BENCH, pkg.PACK, pkg.PACK_LAB],
    setUp: (log) => demo.unpack(log, inRoot('xtask/bench/node_modules')),
  },
];

const WITH_CLIENTS = [pkg.PACK, pkg.PACK_LAB, setup.NPM_OF_CLIENTS];

/** Commands that set something up, which may depend on their options, and then run a script, which knows these. */
const SCRIPTS = {
  bench: ['xtask/bench/main.mjs', [IN_BENCH]],
  findings: ['xtask/findings/main.mjs', [setup.NODE]],
  hosts: ['tests/clients/hosts/run.mjs', [...WITH_CLIENTS, programs.FOUND, programs.WEBKIT]],
  mutants: ['xtask/npm/mutants.mjs', [...WITH_CLIENTS, programs.SERVERS]],
  // Some of the samples are the page's.
  proofs: [
    'xtask/proofs/main.mjs',
    (names) => [pkg.PACK, ...(names.includes('samples') || names.length === 0 ? [demo.IN_PAGE] : [])],
  ],
  schedules: ['tests/package/schedules/run.mjs', [pkg.PACK]],
  watch: [
    'xtask/npm/watch.mjs',
    (files) => (files.some((path) => /\bclients\b/.test(path)) ? WITH_CLIENTS : [pkg.PACK]),
  ],
};

const REHEARSAL = ['xtask/release/rehearse.mjs', [release.FILES, setup.NPM_OF_RELEASE]];

const flag = { type: 'boolean' };
const text = { type: 'string' };
const texts = { type: 'string', multiple: true };

/** The other commands, with their options. */
const COMMANDS = {
  demo: [{ once: flag, port: text }, (options) => demo.demo(options, SET_UP)],
  test: [{ quick: flag, only: texts, jobs: text, list: flag }, (options) => test(checks(), options)],
  site: [{ out: text }, (options) => site(options, SET_UP)],
  pkg: [{}, () => setUp(SET_UP, [pkg.PACK])],
  lab: [{}, () => setUp(SET_UP, [pkg.PACK, pkg.PACK_LAB])],
  crate: [{ only: texts }, (options) => test(crate.allSteps, options)],
  release: [
    { 'dry-run': flag, rehearse: flag },
    (options) => {
      if (options['dry-run']) return test(release.releaseSteps);
      if (options.rehearse) return runScript(REHEARSAL);
      const remedy = 'cargo xtask release --dry-run or --rehearse; CONTRIBUTING.md has the checklist';
      throw new Failure('a tag publishes a release', { remedy });
    },
  ],
  help: [{}, () => process.stdout.write(HELP)],
};

export const NAMES = [...Object.keys(SCRIPTS), ...Object.keys(COMMANDS)];

/** What a command line asks for. */
export function read([name = 'help', ...rest]) {
  if ([name, ...rest].some((arg) => arg === '--help' || arg === '-h')) return () => process.stdout.write(HELP);
  if (Object.hasOwn(SCRIPTS, name)) return () => runScript(SCRIPTS[name], rest);
  try {
    if (!Object.hasOwn(COMMANDS, name)) throw new Error(`unknown command ${name}`);
    const [options, act] = COMMANDS[name];
    const { values } = parseArgs({ args: rest, options });
    if ('jobs' in values && !(Number(values.jobs) >= 1)) throw new Error(`--jobs must be a number, got ${values.jobs}`);
    return () => act(values);
  } catch (error) {
    throw new Failure(error.message, { remedy: 'cargo xtask help' });
  }
}

async function runScript(/** @type {any} */ [file, goals], rest = []) {
  const found = await setUp(SET_UP, typeof goals === 'function' ? goals(rest) : goals);
  console.log();
  await runCommand(command(['node', file, ...rest], { dir: root, env: places(found), limitMs: Infinity }));
}

/** The names of the steps that the options ask for. */
export function chosen(steps, { quick = false, only = [''] }) {
  const unknown = only.find((word) => !steps.some(({ name }) => name.includes(word)));
  if (unknown !== undefined) {
    throw new Failure(`no step name contains "${unknown}"`, { remedy: 'cargo xtask test --list prints the names' });
  }
  const wanted = steps.filter((step) => only.some((word) => step.name.includes(word)) && (!quick || step.quick));
  return wanted.map(({ name }) => name);
}

/** Of the columns after the name of a step. */
const WIDTHS = [6, 6, 7, 9, 9];

/** Runs those of some steps that the options ask for, and prints their sum. */
async function test(all, options = {}) {
  const names = chosen(all, options);
  if (options.list) return console.log(names.join('\n'));
  const start = performance.now();
  const steps = withNeeds([...SET_UP, ...all], ({ name }) => names.includes(name));
  const jobs = options.jobs === undefined ? undefined : Number(options.jobs);
  const done = await run(steps, { folder: 'test-logs', jobs, quick: options.quick });
  const line = (name, ...cells) =>
    console.log(`${name.padEnd(36)} ${cells.map((cell, i) => String(cell).padStart(WIDTHS[i])).join(' ')}`);
  const inSeconds = (...times) => times.map((each) => `${each.toFixed(1)} s`);
  console.log();
  line('step', 'passed', 'failed', 'skipped', 'CPU', 'time');
  const sum = { passed: 0, failed: 0, cpu: 0 };
  for (const [i, { counts, seconds, cpu }] of done.entries()) {
    const { passed, failed, skipped } = counts;
    sum.passed += passed;
    sum.failed += failed;
    sum.cpu += cpu;
    // The tests, and the steps of the set-up that failed.
    if (isTest(steps[i]) || failed > 0) line(steps[i].name, passed, failed, skipped, ...inSeconds(cpu, seconds));
  }
  line('with the set-up', '', '', '', ...inSeconds(sum.cpu, (performance.now() - start) / 1000));
  console.log();
  // Their first failure is not in the sum.
  for (const [i, { again, counts }] of done.entries()) {
    if (!again || counts.failed > 0) continue;
    console.log(`${steps[i].name}: failed while other steps ran, and passed alone. Its first log is above.`);
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  if (sum.failed > 0) throw new Failure();
}

if (process.argv[1] === import.meta.filename) {
  listen();
  let code = 0;
  try {
    await read(process.argv.slice(2))();
  } catch (error) {
    code = 1;
    if (!(error instanceof Failure)) console.error(error);
    else if (error.message !== '' && !signalReceived()) console.error(`error: ${error.message}`);
  }
  const signal = signalReceived();
  // A shell reports the end by a signal in this way.
  process.exit(code === 0 || signal === undefined ? code : 128 + constants.signals[signal]);
}
