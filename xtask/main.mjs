// The project's own commands: `cargo xtask help`.

import { constants } from 'node:os';
import { parseArgs } from 'node:util';

import { Failure, command, listen, run as runCommand, signalReceived } from './run/command.mjs';
import { take } from './run/lock.mjs';
import { inRoot, root } from './run/places.mjs';
import { isTest, run, setUp } from './run/run.mjs';
import { withNeeds } from './run/schedule.mjs';
import { checks } from './steps/checks.mjs';
import * as crate from './steps/crate.mjs';
import * as demo from './steps/demo.mjs';
import { places } from './steps/node-tests.mjs';
import * as pkg from './steps/package.mjs';
import * as programs from './steps/programs.mjs';
import { releaseSteps } from './steps/release.mjs';
import * as setup from './steps/setup.mjs';
import { site } from './steps/site.mjs';

/** @typedef {import('./run/run.mjs').Step} Step */

export const HELP = `\
cargo xtask <command>

  demo [--once] [--port N]
      retries against a misbehaving server, in Node and then on a page;
      --once ends after the part in Node
  test [--quick] [--only NAME]... [--jobs N] [--list]
      every check there is, as steps that run at the same time
      --quick    only what needs no browser, random tests with fewer cases: for the daily loop
      --only     only the steps whose names contain NAME, and the set-up that these need
      --jobs     runs N steps at once; defaults to one more than the cores
      --list     prints the names of the steps
  watch [FILE]...
      after each change of src/js or pkg-template, assembles the package again, without Rust; after
      that, and after each change of the tests, runs these test files
  bench [--quick] [--only NAME]... [--world WORD] [--seed N] [--node MAJOR] [--docs]
      measures the packed package against its peers: speed, memory, bytes; --quick is over in two
      minutes; --only runs the parts whose names contain NAME, --world of the worlds those whose
      titles contain WORD, from seed N on; --docs writes docs/benchmarks.md
  hosts [--only NAME]... [--keep] [--docs]
      installs the packed package in the hosts and tools that users have, and runs one suite in each;
      some minutes. --only runs the hosts whose names contain NAME, --keep leaves their projects in
      target/hosts, --docs writes docs/hosts.md
  schedules [--count N] [--seed S]
      random hostile schedules against the packed package, half of them with protection; by
      default a million
  mutants [--rust] [--count N] [--seed S]
      a sample of small mistakes in src/js, or with --rust in core and retry of the crate, one at a time:
      names those that no test finds; an hour
  site [--out DIR]
      the page and the documentation as static files, in target/site or in DIR
  pkg
      builds the npm package into target/pkg and packs it
  crate [--only NAME]...
      packs the crate, builds it with all sets of features, for all kinds of targets, with the oldest
      compiler, and programs against it
  release --dry-run
      builds what a release publishes, twice, and checks it without publishing
  help
      prints this

Each command first installs any missing dependencies. Browsers for the tests are packages of the
system: before xtask installs these with sudo it shows the commands, and asks if there is a terminal.
`;

/** The tarball is where the measuring programs import it from. */
const IN_BENCH = 'install the tarball in the benchmarks';

/** All steps that set something up: tools, browsers, builds. @type {Step[]} */
export const SET_UP = [
  ...[setup, programs, pkg, crate, demo].flatMap(({ steps }) => steps),
  {
    name: IN_BENCH,
    needs: [setup.NPM_OF_BENCH, pkg.PACK],
    setUp: (log) => demo.unpack(log, inRoot('xtask/bench/node_modules/rejitter')),
  },
];

const TESTED = [pkg.PACK, setup.NPM_OF_TESTS];

/**
 * Commands that set something up and then run a script, which knows its options.
 * @type {Record<string, [string, string[]]>}
 */
const SCRIPTS = {
  bench: ['xtask/bench/main.mjs', [IN_BENCH]],
  hosts: ['tests/package/hosts/run.mjs', [...TESTED, programs.FOUND, programs.WEBKIT]],
  mutants: ['xtask/npm/mutants.mjs', [...TESTED, programs.SERVERS]],
  schedules: ['tests/package/schedules/run.mjs', TESTED],
  watch: ['xtask/npm/watch.mjs', TESTED],
};

const flag = /** @type {const} */ ({ type: 'boolean' });
const text = /** @type {const} */ ({ type: 'string' });
const texts = /** @type {const} */ ({ type: 'string', multiple: true });

/** The options of the other commands. @type {Record<string, import('node:util').ParseArgsConfig['options']>} */
const OPTIONS = {
  demo: { once: flag, port: text },
  test: { quick: flag, only: texts, jobs: text, list: flag },
  site: { out: text },
  pkg: {},
  crate: { only: texts },
  release: { 'dry-run': flag },
  help: {},
};

export const NAMES = [...Object.keys(SCRIPTS), ...Object.keys(OPTIONS)];

const usage = (/** @type {string} */ message) => new Failure(message, { remedy: 'cargo xtask help' });

/**
 * A command line as the name of a command and its options.
 * @param {string[]} args
 * @returns {{ name: string, options: Record<string, any>, rest: string[] }}
 */
export function read([name = 'help', ...rest]) {
  if (['--help', '-h'].includes(name)) return { name: 'help', options: {}, rest: [] };
  if (Object.hasOwn(SCRIPTS, name)) return { name, options: {}, rest };
  if (!Object.hasOwn(OPTIONS, name)) throw usage(`unknown command ${name}`);
  if (rest.some((arg) => ['--help', '-h'].includes(arg))) return { name: 'help', options: {}, rest: [] };
  /** @type {Record<string, any>} */
  let values;
  try {
    values = { ...parseArgs({ args: rest, options: OPTIONS[name] }).values };
  } catch (error) {
    throw usage(/** @type {Error} */ (error).message);
  }
  const numbers = { port: [0, 65_535], jobs: [1, Infinity] };
  for (const [key, [least, most]] of Object.entries(numbers)) {
    if (!(key in values)) continue;
    const number = Number(values[key]);
    if (!(Number.isInteger(number) && number >= least && number <= most)) {
      throw usage(`--${key} must be a whole number from ${least} to ${most}, got ${values[key]}`);
    }
    values[key] = number;
  }
  return { name, options: values, rest };
}

/** @param {string[]} args */
async function main(args) {
  const { name, options, rest } = read(args);
  const script = SCRIPTS[name];
  if (name === 'help') return void process.stdout.write(HELP);
  if (name === 'demo') return demo.demo(options, SET_UP);
  if (name === 'test' && options.list) return void console.log(chosen(checks(), options).join('\n'));
  const release = await take();
  if (script) {
    const [file, goals] = script;
    const found = await setUp(SET_UP, goals);
    // It runs for hours, and packs the package itself.
    if (name === 'watch') release();
    console.log();
    return runCommand(command(['node', file, ...rest], { dir: root, env: places(found), limitMs: Infinity }));
  }
  if (name === 'test') return test(checks(), options);
  if (name === 'site') return site(options, SET_UP);
  if (name === 'crate') return test(crate.allSteps, options);
  if (name === 'pkg') return void (await setUp(SET_UP, [pkg.PACK], { listFiles: true }));
  if (options['dry-run']) return test(releaseSteps);
  throw new Failure('a release is published by hand', {
    remedy: 'cargo xtask release --dry-run; CONTRIBUTING.md has the checklist',
  });
}

/**
 * The names of the steps that the options ask for.
 * @param {Step[]} steps
 * @param {{ quick?: boolean, only?: string[] }} options
 */
export function chosen(steps, { quick = false, only = [''] }) {
  const unknown = only.find((word) => !steps.some(({ name }) => name.includes(word)));
  if (unknown !== undefined) {
    throw new Failure(`no step name contains "${unknown}"`, { remedy: 'cargo xtask test --list prints the names' });
  }
  const wanted = steps.filter((step) => only.some((word) => step.name.includes(word)) && (!quick || step.quick));
  return wanted.map(({ name }) => name);
}

/**
 * Runs those of some steps that the options ask for, and prints their sum.
 * @param {Step[]} all
 * @param {{ quick?: boolean, only?: string[], jobs?: number }} [options]
 */
async function test(all, options = {}) {
  const names = chosen(all, options);
  const start = performance.now();
  const steps = withNeeds([...SET_UP, ...all], ({ name }) => names.includes(name));
  const done = await run(steps, { folder: 'test-logs', jobs: options.jobs, quick: options.quick });
  console.log(`\n${'step'.padEnd(36)} passed failed skipped       CPU      time`);
  const column = (/** @type {string | number} */ value, /** @type {number} */ width) => String(value).padStart(width);
  const sum = { passed: 0, failed: 0 };
  for (const [i, { counts, seconds, cpu }] of done.entries()) {
    sum.passed += counts.passed;
    sum.failed += counts.failed;
    // The tests, and the steps of the set-up that failed.
    if (!isTest(steps[i]) && counts.failed === 0) continue;
    const { passed, failed, skipped } = counts;
    const times = [cpu, seconds].map((each) => `${column(each.toFixed(1), 7)} s`);
    const cells = [column(passed, 6), column(failed, 6), column(skipped, 7), ...times];
    console.log(`${steps[i].name.padEnd(36)} ${cells.join(' ')}`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const cpu = done.reduce((sum, each) => sum + each.cpu, 0).toFixed(1);
  console.log(`${'with the set-up'.padEnd(58)} ${column(cpu, 7)} s ${column(seconds, 7)} s\n`);
  // Their first failure is not in the sum.
  for (const [i, { again, counts }] of done.entries()) {
    if (!again || counts.failed > 0) continue;
    console.log(`${steps[i].name}: failed while other steps ran, and passed alone. Its first log is above.`);
  }
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  if (sum.failed > 0) throw new Failure('', { reported: true });
}

if (process.argv[1] === import.meta.filename) {
  listen();
  let code = 0;
  await main(process.argv.slice(2)).catch((error) => {
    code = 1;
    if (!(error instanceof Failure)) console.error(error);
    else if (!error.reported && !signalReceived()) console.error(`error: ${error}`);
  });
  const signal = signalReceived();
  // A shell reports the end by a signal in this way.
  process.exit(code === 0 || signal === undefined ? code : 128 + constants.signals[signal]);
}
