// The run of the steps that a command wants.

import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stdout } from 'node:process';

import { Failure, run as runCommand, shown, signalReceived, stopped } from './command.mjs';
import { count } from './counts.mjs';
import { inTarget } from './places.mjs';
import { BROWSERS, SERVERS, blocked, next, order, withNeeds } from './schedule.mjs';
import { say, show } from './screen.mjs';

/** How often a terminal shows which steps run; elsewhere, a line says so less often. */
const TICK_MS = 200;
const QUIET_MS = 30_000;

/** @typedef {import('./command.mjs').Command} Command */
/** @typedef {import('./counts.mjs').Counts} Counts */

/**
 * What the steps of a run know of it.
 * @typedef {object} Run
 * @property {boolean} [quick] random tests have fewer cases
 * @property {boolean} [listFiles] the files of the package are listed
 * @property {string[]} names of all its steps
 * @property {Record<string, string>} found paths of programs, by the name of the variable that a reader can set; a step
 *   needs the one that finds its programs
 *
 * A step of the set-up has a function, one that tests has commands.
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} [needs] names of the steps that must succeed before
 * @property {string} [group]
 * @property {boolean} [quick] whether `cargo xtask test --quick` runs it
 * @property {number} [seconds] about how long it runs, compared with others
 * @property {(log: Log, run: Run) => unknown} [setUp]
 * @property {import('./counts.mjs').Runner} [runner] who prints the summary; without it, the commands are one test
 * @property {Command[] | ((run: Run) => Command[])} [commands]
 *
 * A step that has ended, or was not run because one that it needs failed.
 * @typedef {object} Done
 * @property {Counts} counts
 * @property {number} seconds
 * @property {number} cpu seconds that processors worked for it
 * @property {boolean} ran
 * @property {boolean} again it failed, and this is how it ended when it ran once more, alone
 */

/** The log of a step, to which its commands write. */
export class Log {
  /** A few words next to the time of the step. */
  note = '';
  /** Seconds that processors worked for its commands. */
  cpu = 0;
  /** Lines to print below the step once it has succeeded. */
  report = '';

  /** @param {Step} step @param {string} folder */
  constructor({ name, group = '' }, folder) {
    // Tests with browsers and servers have limits of time, and fail where others are only late.
    this.givesWay = ![BROWSERS, SERVERS].includes(group);
    const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    this.path = join(folder, `${words.join('-')}.log`);
    closeSync(openSync(this.path, 'a'));
  }

  /** Runs a command and returns what it printed. @param {Command} command */
  async run(command) {
    // A signal between two commands stops here.
    if (signalReceived()) throw stopped();
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

/** By default one more than there are cores, because tests with browsers and servers wait half of their time. */
export const defaultJobs = () => availableParallelism() + 1;

/**
 * Runs the steps of the set-up with these names and all that they need. Returns the programs that they found.
 * @param {Step[]} all
 * @param {string[]} goals
 * @param {{ listFiles?: boolean }} [options]
 */
export async function setUp(all, goals, options) {
  const steps = withNeeds(all, ({ name }) => goals.includes(name));
  const found = {};
  const done = await run(steps, { ...options, folder: 'logs', found });
  if (done.some(({ counts }) => counts.failed > 0)) throw new Failure('', { reported: true });
  return found;
}

/**
 * Runs steps, at most `jobs` at once, with their logs in a folder of target. Throws if it was asked to stop, not if a
 * step fails.
 *
 * A failure in a browser, or of a test with sockets and timers of the host, may come from what else ran on the machine.
 * Such a step runs once more at the end, alone. One that was alone the first time does not.
 * @param {Step[]} steps
 * @param {Partial<Run> & { folder: string, jobs?: number }} options
 */
export async function run(steps, { folder, jobs = defaultJobs(), found = {}, ...options }) {
  const names = steps.map(({ name }) => name);
  const logs = inTarget(folder);
  const again = join(logs, 'again');
  rmSync(logs, { recursive: true, force: true });
  mkdirSync(again, { recursive: true });
  const known = { ...options, names, found };
  const done = await pass(logs, steps, jobs, known);
  const hadCompany = jobs > 1 && steps.filter(isTest).length > 1;
  for (const [i, step] of steps.entries()) {
    const { ran, counts } = done[i];
    if (!ran || counts.failed === 0 || !hadCompany || !(step.group === BROWSERS || step.runner === 'node')) continue;
    say('  again, alone:\n');
    const [second] = await pass(again, [{ ...step, needs: [] }], 1, known);
    done[i] = { ...second, again: true };
  }
  return done;
}

/**
 * Runs each of these steps once, those after others that need them.
 * @param {string} logs
 * @param {Step[]} steps
 * @param {number} jobs
 * @param {Run} known
 */
async function pass(logs, steps, jobs, known) {
  const ordered = order(steps);
  /** @type {import('./schedule.mjs').States} */
  const states = new Map();
  /** @type {Map<string, Done>} */
  const done = new Map();
  /** @type {Map<string, { start: number, ended: Promise<void> }>} */
  const running = new Map();
  const since = (/** @type {number} */ start) => (performance.now() - start) / 1000;

  /** @param {Step} step */
  const start = async (step) => {
    const { name } = step;
    const begun = performance.now();
    const log = new Log(step, logs);
    const { counts, failure } = await outcomeOf(step, log, known);
    counts.failed = Math.max(counts.failed, Number(failure !== undefined));
    const seconds = since(begun);
    done.set(name, { counts, seconds, cpu: log.cpu, ran: true, again: false });
    say(ending(name, seconds, log, failure));
    states.set(name, failure === undefined ? 'succeeded' : 'failed');
    running.delete(name);
    for (let pair = blocked(steps, states); pair; pair = blocked(steps, states)) {
      const [waiting, by] = pair;
      say(`  NOT RUN ${waiting}: it needs "${by}"\n`);
      states.set(waiting, 'failed');
      const counts = { passed: 0, failed: 1, skipped: 0 };
      done.set(waiting, { counts, seconds: 0, cpu: 0, ran: false, again: false });
    }
  };
  const progress = () => {
    const now = [...running].map(([name, entry]) => `${name}, ${Math.floor(since(entry.start))} s`).join('; ');
    if (stdout.isTTY) show(`  …       ${now}`);
    else say(`  …       ${now}\n`);
  };
  const timer = setInterval(progress, stdout.isTTY ? TICK_MS : QUIET_MS);
  for (;;) {
    for (let step; !signalReceived() && (step = next(ordered, states, jobs)) !== undefined; ) {
      states.set(step.name, 'running');
      running.set(step.name, { start: performance.now(), ended: start(step) });
    }
    if (running.size === 0) break;
    await Promise.race([...running.values()].map(({ ended }) => ended));
  }
  clearInterval(timer);
  if (signalReceived()) throw new Failure('', { reported: true });
  return steps.map(({ name }) => /** @type {Done} */ (done.get(name)));
}

/**
 * Runs a step, and counts its tests.
 * @param {Step} step
 * @param {Log} log
 * @param {Run} known
 * @returns {Promise<{ counts: Counts, failure?: unknown }>}
 */
async function outcomeOf({ setUp: body, runner = 'check', commands = [] }, log, known) {
  let failure;
  try {
    await body?.(log, known);
    for (const command of typeof commands === 'function' ? commands(known) : commands) await log.run(command);
  } catch (error) {
    failure = error;
  }
  if (body) return { counts: { passed: 0, failed: 0, skipped: 0 }, failure };
  const counts = count(runner, log.printed(), failure === undefined);
  const { passed, failed, skipped } = counts;
  log.note = `${passed} passed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  if (failed > 0) failure ??= new Failure('the command succeeded, but its summary counts failures');
  if (passed === 0)
    failure ??= new Failure('no test ran', {
      remedy: 'a step that tests nothing is an error: see in its log what was omitted',
    });
  return { counts, failure };
}

/**
 * How a step ended. If it failed, with its whole log.
 * @param {string} name
 * @param {number} seconds
 * @param {Log} log
 * @param {unknown} failure
 */
function ending(name, seconds, log, failure) {
  const line = `${name.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s`;
  if (failure === undefined) return `  ok      ${line}  ${log.note}\n${log.report}`;
  if (failure instanceof Failure && failure.interrupted) return `  stopped ${line}\n`;
  // A mistake of ours has a stack.
  const text = failure instanceof Failure ? failure.toString() : /** @type {Error} */ (failure).stack;
  const printed = log.printed().replaceAll(/^(?=.)/gm, '    | ');
  return `  FAILED  ${line}\n${printed}step "${name}" failed: ${text}\n  log:     ${log.path}\n`;
}
