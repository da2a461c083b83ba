// The run of the steps that a command wants: each after those that it needs, the longest first, within the machine's
// cores, and of a group one at a time.

import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

import { Failure, answer, run as runCommand, shown, signalReceived } from './command.mjs';
import { inTarget } from './places.mjs';

/** Cargo locks its build folder: of the commands that use `target/debug`, all but one would only wait. */
export const DEBUG = 'target/debug';
/** Two installations at once would wait for each other, or fail. */
export const INSTALLATIONS = 'installations';
/** Each of these builds uses all cores: one after the other, they leave some for the tests. */
export const TOOL_BUILDS = 'builds of tools';
/**
 * A test starts one or two browsers, each of several processes: of the page's tests one runs at a time, and of the
 * package's. Their pages wait half of the time, so two groups share two cores.
 */
export const BROWSERS = 'browsers';
export const PAGES = 'browsers of the page';
/** Their tests kill and restart servers and have jobs wait: more at once would be too slow for their own limits. */
export const SERVERS = 'servers';
/** Tests with limits of time, which fail where others are only late. */
const URGENT = [BROWSERS, PAGES, SERVERS];

/** How often a line says what runs. */
const QUIET_MS = 30_000;

/** @typedef {import('./command.mjs').Command} Command */

/**
 * What the steps of a run know of it.
 * @typedef {object} Run
 * @property {boolean} [quick] random tests have fewer cases
 * @property {string[]} names of all its steps
 * @property {Record<string, string>} found paths of programs, by the name of the variable that a reader can set; a step
 *   needs the one that finds its programs
 *
 * A step of the set-up has a function, one that tests has commands.
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} [needs] names of the steps that must succeed before
 * @property {string} [group]
 * @property {boolean} [urgent] whether it runs before what others leave of the cores
 * @property {boolean} [quick] whether `cargo xtask test --quick` runs it
 * @property {number} [seconds] about how long it runs, compared with others
 * @property {(log: Log, run: Run) => unknown} [setUp]
 * @property {keyof typeof COUNTS} [runner] who prints the summary; without it, the commands are one test
 * @property {Command[] | ((run: Run) => Command[])} [commands]
 *
 * How a step ended. Skipped tests are neither passed nor failed, but not to be overlooked.
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ counts: Counts, seconds: number, cpu: number, ran: boolean, again?: boolean }} Done `cpu`: seconds that
 *   processors worked for it; `again`: it failed, and this is how it ended when it ran once more, alone
 */

/** The numbers that a pattern finds before or after a word. */
const numbers = (text, pattern) => Array.from(text.matchAll(pattern), ([, number]) => Number(number));

/** How many tests a runner says it ran. */
const COUNTS = {
  /** `cargo test` and wasm-bindgen's runner: a line per test binary, progress may stand before it. */
  cargo(output) {
    // The log has the command too.
    const lines = output.split('\n').filter((line) => !line.startsWith('$ ') && line.includes('test result: '));
    const of = (word) => numbers(lines.join('\n'), new RegExp(`(\\d+) ${word}\\b`, 'g')).reduce((a, b) => a + b, 0);
    return { passed: of('passed'), failed: of('failed'), skipped: of('ignored') };
  },
  /** `node --test`: the last summary, because a test that prints that of a runner of its own comes before it. */
  node(output) {
    const of = (word) => numbers(output, new RegExp(`^ℹ ${word} (\\d+)$`, 'gm')).at(-1) ?? 0;
    return { passed: of('pass'), failed: of('fail') + of('cancelled'), skipped: of('skipped') + of('todo') };
  },
  /** A command that is right or wrong as a whole. */
  check: (_, good) => ({ passed: Number(good), failed: 0, skipped: 0 }),
};

/** A failure is never lost: a runner that died before its summary counts as one failed test. */
export function count(runner, output, good) {
  // Without the colours and cursor movements of terminals.
  const counts = COUNTS[runner](output.replaceAll(/\x1b\[[^@-~]*[@-~]/g, ''), good);
  return { ...counts, failed: Math.max(counts.failed, Number(!good)) };
}

/** The log of a step, to which its commands write. */
export class Log {
  /** A few words next to the time of the step. */
  note = '';
  /** Seconds that processors worked for its commands. */
  cpu = 0;

  constructor({ name, group = '', urgent = false }, folder) {
    this.givesWay = !urgent && !URGENT.includes(group);
    const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    this.path = join(folder, `${words.join('-')}.log`);
    closeSync(openSync(this.path, 'a'));
  }

  /** Runs a command and returns what it printed. */
  async run(command) {
    // A signal between two commands stops here.
    if (signalReceived()) throw new Failure('stopped');
    const file = openSync(this.path, 'a');
    try {
      writeSync(file, `$ ${shown(command)}\n`);
      const before = this.printed().length;
      this.cpu += await runCommand(command, file, this.givesWay);
      return this.printed().slice(before);
    } finally {
      closeSync(file);
    }
  }

  printed() {
    return readFileSync(this.path, 'utf8');
  }
}

/** Whether a step tests something. @param {Step} step */
export const isTest = ({ setUp }) => setUp === undefined;

/** The steps that are wanted and all that these need, in the order of `steps`. */
export function withNeeds(steps, wanted) {
  const kept = new Set(steps.filter(wanted));
  for (const { name, needs = [] } of kept) {
    for (const need of needs) {
      const step = steps.find((each) => each.name === need);
      // A mistake in the plan, not in the reader's machine.
      if (step === undefined) throw new Error(`${name} needs ${need}, which no step is called`);
      kept.add(step);
    }
  }
  return steps.filter((step) => kept.has(step));
}

/**
 * Others wait for the set-up, so it comes first. Of the rest, what the most seconds lie behind: its own, and then those
 * of what needs it, or of the others of its group.
 */
export function order(steps) {
  const sorted = (by) => steps.toSorted((a, b) => Number(isTest(a)) - Number(isTest(b)) || by(b) - by(a));
  const own = ({ seconds = 0 }) => seconds;
  const longest = sorted(own);
  const known = new Map();
  function behind(step) {
    const { name, group } = step;
    if (!known.has(name)) {
      const others = longest.filter((each) => group !== undefined && each.group === group);
      const following = others.slice(others.indexOf(step) + 1).slice(0, 1);
      const needing = steps.filter(({ needs = [] }) => needs.includes(name));
      known.set(name, own(step) + Math.max(0, ...[...following, ...needing].map(behind)));
    }
    return known.get(name);
  }
  return sorted(behind);
}

/**
 * The step to start now: what it needs has succeeded, and no other of its group runs. Builds of minutes may take all
 * places while most tests wait for what is urgent, so that is one job more.
 * @param {Map<string, 'running' | 'succeeded' | 'failed'>} states of the steps, by name; the others wait
 */
export function next(ordered, states, jobs) {
  const running = ordered.filter(({ name }) => states.get(name) === 'running');
  const left = jobs - running.length;
  return ordered.find(
    ({ name, needs = [], group, urgent }) =>
      !states.has(name) &&
      left > (urgent && jobs > 1 ? -1 : 0) &&
      needs.every((need) => states.get(need) === 'succeeded') &&
      (group === undefined || running.every((other) => other.group !== group)),
  );
}

/** Runs the steps of the set-up with these names and all that they need. Returns the programs that they found. */
export async function setUp(all, goals) {
  const found = {};
  const done = await run(
    withNeeds(all, ({ name }) => goals.includes(name)),
    { folder: 'logs', found },
  );
  if (done.some(({ counts }) => counts.failed > 0)) throw new Failure();
  return found;
}

/**
 * Runs steps, at most `jobs` at once, with their logs in a folder of target. Throws if it was asked to stop, not if a
 * step fails.
 *
 * A failure in a browser, or of a test with sockets and timers of the host, may come from what else ran on the machine.
 * Such a step runs once more at the end, alone. One that was alone the first time does not.
 * @param {Step[]} steps
 * @param {Partial<Run> & { folder: string, jobs?: number }} options by default three more jobs than there are cores,
 *   because each is one process for most of its time, and tests with browsers and servers wait half of theirs
 */
export async function run(steps, { folder, jobs = availableParallelism() + 3, found = {}, ...options }) {
  const logs = inTarget(folder);
  const again = join(logs, 'again');
  // Each of two runs in a checkout would delete what the other one writes. A process that was killed leaves the file.
  const holder = inTarget('xtask.pid');
  const isTaken = () => answer(['sh', '-c', 'p=$(cat "$0") && [ $p != $PPID ] && kill -0 $p', holder]) !== undefined;
  if (isTaken()) stdout.write(`  waits for a command that runs in this checkout; if none does: rm ${holder}\n`);
  while (isTaken() && !signalReceived()) await pause(500);
  if (signalReceived()) throw new Failure();
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(again, { recursive: true });
  writeFileSync(holder, `${process.pid}`);
  const known = { ...options, names: steps.map(({ name }) => name), found };
  const done = await pass(logs, steps, jobs, known);
  const hadCompany = jobs > 1 && steps.filter(isTest).length > 1;
  for (const [i, step] of steps.entries()) {
    const { ran, counts } = done[i];
    const mayBeLate = step.runner === 'node' || step.group === BROWSERS || step.group === PAGES;
    if (!ran || counts.failed === 0 || !hadCompany || !mayBeLate) continue;
    stdout.write('  again, alone:\n');
    const [second] = await pass(again, [{ ...step, needs: [] }], 1, known);
    done[i] = { ...second, again: true };
  }
  rmSync(holder, { force: true });
  return done;
}

/** Runs each of these steps once. @returns {Promise<Done[]>} */
async function pass(logs, steps, jobs, known) {
  const ordered = order(steps);
  const states = new Map();
  const done = new Map();
  const running = new Map();
  const start = async (step) => {
    const { name } = step;
    states.set(name, 'running');
    const ended = await outcomeOf(step, new Log(step, logs), known);
    done.set(name, ended);
    states.set(name, ended.counts.failed === 0 ? 'succeeded' : 'failed');
    running.delete(name);
  };
  const timer = setInterval(() => stdout.write(`  …       ${[...running.keys()].join(', ')}\n`), QUIET_MS);
  for (;;) {
    for (let step; !signalReceived() && (step = next(ordered, states, jobs)) !== undefined; )
      running.set(step.name, start(step));
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  clearInterval(timer);
  if (signalReceived()) throw new Failure();
  return steps.map(({ name, needs = [] }) => {
    const ended = done.get(name);
    if (ended) return ended;
    const missing = needs.filter((need) => states.get(need) !== 'succeeded');
    stdout.write(`  NOT RUN ${name}: it needs "${missing.join('", "')}"\n`);
    return { counts: { passed: 0, failed: 1, skipped: 0 }, seconds: 0, cpu: 0, ran: false };
  });
}

/**
 * Runs a step, counts its tests and says how it ended: if it failed, with its whole log.
 * @param {Step} step
 * @returns {Promise<Done>}
 */
async function outcomeOf({ name, setUp: body, runner = 'check', commands = [] }, log, known) {
  const begun = performance.now();
  let counts = { passed: 0, failed: 0, skipped: 0 };
  let failure;
  try {
    await body?.(log, known);
    for (const command of typeof commands === 'function' ? commands(known) : commands) await log.run(command);
  } catch (error) {
    failure = error;
  }
  if (!body) {
    counts = count(runner, log.printed(), failure === undefined);
    log.note = `${counts.passed} passed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`;
    if (counts.failed > 0) failure ??= new Failure('the command succeeded, but its summary counts failures');
    const remedy = 'a step that tests nothing is an error: see in its log what was omitted';
    if (counts.passed === 0) failure ??= new Failure('no test ran', { remedy });
  }
  if (failure !== undefined) counts.failed = Math.max(1, counts.failed);
  const seconds = (performance.now() - begun) / 1000;
  const line = `${name.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s`;
  if (failure === undefined) stdout.write(`  ok      ${line}  ${log.note}\n`);
  else if (signalReceived()) stdout.write(`  stopped ${line}\n`);
  else {
    // A mistake of ours has a stack.
    const text = failure instanceof Failure ? failure.message : failure.stack;
    const printed = log.printed().replaceAll(/^(?=.)/gm, '    | ');
    stdout.write(`  FAILED  ${line}\n${printed}step "${name}" failed: ${text}\n  log:     ${log.path}\n`);
  }
  return { counts, seconds, cpu: log.cpu, ran: true };
}
