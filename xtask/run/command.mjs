// Commands: what runs, where its output goes, and how it ends.
//
// Each runs in a process group of its own, so a Ctrl-C in the terminal reaches xtask alone. It ends the groups of the
// commands that run, and returns the normal way: no browser or bundler's service outlives the command that started it.

import { spawn, spawnSync } from 'node:child_process';
import { env, stdout } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

import { root } from './places.mjs';

/** How long a command may take to end once it was asked to. */
const GRACE_MS = 5000;
/** Ten times what the slowest build or test takes: a machine may do other things first, but a CI run must not hang. */
export const LIMIT_MS = 40 * 60_000;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * @typedef {object} More
 * @property {string} [dir]
 * @property {Record<string, string | undefined>} [env] `undefined` removes a variable
 * @property {string} [remedy] advice to the reader when it fails
 * @property {number} [limitMs]
 * @typedef {More & { line: string[] }} Command
 */

/** Why something ended without success; without a message, the reader has seen it. */
export class Failure extends Error {
  /** @param {string} [message] @param {{ command?: string, remedy?: string }} [more] */
  constructor(message = '', { command, remedy } = {}) {
    super(message + (command ? `\n  command: ${command}` : '') + (remedy ? `\n  remedy:  ${remedy}` : ''));
  }
}

/** A command line: words of a text, with values in it that stay what they are. A list is as many words. */
export function sh(texts, ...values) {
  let words = [''];
  for (const [i, text] of texts.entries()) {
    const [first, ...others] = text.split(/\s+/);
    words = [...words.slice(0, -1), words[words.length - 1] + first, ...others];
    const value = values[i] ?? '';
    if (Array.isArray(value)) words = [...words.slice(0, -1), ...value, ''];
    else words.push(words.pop() + value);
  }
  return words.filter((word) => word !== '');
}

export const command = (line, more) => ({ line: typeof line === 'string' ? line.split(' ') : line, ...more });

/** The cargo that runs us, or the one on PATH. */
export const cargo = (line, more) => command([env.CARGO ?? 'cargo', ...command(line).line], { dir: root, ...more });

/** The cargo of another toolchain. */
export const cargoOf = (toolchain, line, more) =>
  command(sh`rustup run ${toolchain} cargo ${command(line).line}`, { dir: root, ...more });

const running = new Set();
let received;

/** The signal that asked xtask to stop, if one came. */
export const signalReceived = () => received;

/** From here on signals end the commands that run, instead of this process. */
export function listen() {
  // The caller of a command whose output goes to a file wants it to outlive the terminal.
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) {
    process.on(signal, () => {
      if (signal === 'SIGHUP' && !stdout.isTTY) return;
      received ??= signal;
      for (const child of running) endGroup(child);
    });
  }
}

/** Sends each process of a command's group a signal; with 0, returns whether there is one. */
export const send = (/** @type {ChildProcess} */ { pid }, signal) => pid !== undefined && kill(-pid, signal);

/** Sends a process, or a group, a signal. Returns whether there is one. */
function kill(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** The processes of a command's group, and those that they started: browsers have groups of their own. */
function processesOf(/** @type {ChildProcess} */ { pid: group }) {
  const lines = (answer(sh`ps -A -o pid= -o ppid= -o pgid=`) ?? '').trim().split('\n');
  const all = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const found = new Set(all.filter(([, , of]) => of === group).map(([pid]) => pid));
  for (const one of found) for (const [pid, parent] of all) if (parent === one) found.add(pid);
  return found;
}

/** Asks the group of a command to end, and ends all of it when it does not. @param {ChildProcess} child */
async function endGroup(child) {
  send(child, 'SIGTERM');
  for (const since = Date.now(); send(child, 0) && Date.now() < since + GRACE_MS; ) await pause(20);
  for (const pid of processesOf(child)) kill(pid, 'SIGKILL');
  send(child, 'SIGKILL');
}

/** A shell that writes to a third stream how long the processors worked for the command. */
const TIMED = ['sh', '-c', '"$@" 3>&-; code=$?; times >&3; exit $code', 'sh'];

/** The seconds in what it wrote: its own, and in the second line those of its children. */
const cpuSeconds = (times) => {
  const [, children = ''] = times.split('\n');
  const seconds = Array.from(children.matchAll(/(\d+)m([\d.]+)s/g), ([, m, s]) => 60 * Number(m) + Number(s));
  return seconds.reduce((a, b) => a + b, 0);
};

/**
 * Runs to the end: in the terminal, or with both streams going to an open file. Resolves with the seconds of processors
 * that it took, if the output goes to a file.
 * @param {Command} it
 * @param {number | 'inherit'} [output]
 * @param {boolean} [givesWay] whether it takes what others leave of the cores
 */
export async function run(it, output = 'inherit', givesWay = false) {
  const { line, dir, env: more, limitMs = LIMIT_MS, remedy } = it;
  const timed = output === 'inherit' ? [] : TIMED;
  const [program, ...args] = [...(givesWay ? ['nice', '-n', '10'] : []), ...timed, ...line];
  // Nothing here may ask a question.
  const stdio = /** @type {any} */ (['ignore', output, output, 'pipe']);
  const child = spawn(program, args, { cwd: dir, env: { ...env, ...more }, detached: true, stdio });
  let times = '';
  child.stdio[3]?.on('data', (chunk) => {
    times += chunk;
  });
  running.add(child);
  let late = false;
  const end = () => {
    late = true;
    endGroup(child);
  };
  const timer = limitMs === Infinity ? undefined : setTimeout(end, limitMs);
  let problem = await new Promise((done) => {
    child.once('error', (error) => done(`${program} could not be started: ${error.message}`));
    child.once(output === 'inherit' ? 'exit' : 'close', (code, signal) => {
      if (code === 0) done(undefined);
      else done(code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`);
    });
  });
  clearTimeout(timer);
  running.delete(child);
  // Processes left running in the command's group would disturb the next one.
  if (!late && received === undefined) send(child, 'SIGKILL');
  else await endGroup(child);
  if (late) problem = `still running after ${limitMs / 1000} s`;
  if (received !== undefined) problem = 'stopped';
  if (problem !== undefined) throw new Failure(problem, { command: shown(it), remedy });
  return cpuSeconds(times);
}

/**
 * The output of a short question such as `node --version`; `undefined` when it cannot be had.
 * @param {string[]} line
 */
export function answer([program, ...args]) {
  const { status, stdout: text } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? text.trim() : undefined;
}

const quoted = (word) => (/^[\w\-./=:@%+,]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The command line for a shell, without the environment. @param {Command} command */
export const shown = ({ line, dir }) => `${dir ? `cd ${quoted(dir)} && ` : ''}${line.map(quoted).join(' ')}`;

/** The first of these programs that is on PATH, or a path of one. */
export const findOnPath = (names) =>
  names.map((name) => answer(['sh', '-c', 'command -v "$0"', name])).find((path) => path !== undefined);
