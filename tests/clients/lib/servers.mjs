// A Redis and a PostgreSQL of a test's own, on loopback, in a temporary folder. The set-up (xtask/steps/programs.mjs)
// says where the programs are.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { freePort } from '../../package/lib/loopback.mjs';
import { LIMIT_MS } from '../../package/lib/until.mjs';

/** Options of a test with servers: on a busy machine, `until` gives up before, and says what did not happen. */
export const limit = { timeout: 3 * LIMIT_MS };

const HOST = '127.0.0.1';
/** How long a server waits for its clients to leave. */
const PATIENCE_MS = 5_000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server. Resolves once it says that it is ready: both listen before, while they read their data. */
async function started(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let text = '';
  await new Promise((done, failed) => {
    child.once('error', failed).once('exit', () => failed(new Error(`${command} ended: ${text}`)));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (more) => {
        text += more;
        if (/ready to accept connections/i.test(text)) done();
      });
  });
  return child;
}

async function stopped(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** The path of a program, which the set-up has found. */
function program(variable) {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is not set: run the tests with cargo xtask test`);
  return path;
}

const folder = (name) => mkdtempSync(join(tmpdir(), `rejitter-${name}-`));

/** Starts a Redis that keeps each write, so that `restart` loses none. */
export async function redis() {
  const dir = folder('redis');
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', HOST, '--dir', dir, '--appendonly', 'yes', '--appendfsync', 'always'];
  const start = () => started(program('REDIS_BIN'), [...args, '--save', '', '--maxmemory-policy', 'noeviction']);
  let child = await start();
  return {
    host: HOST,
    port,
    async restart() {
      await stopped(child, 'SIGKILL');
      child = await start();
    },
    async stop() {
      await stopped(child, 'SIGTERM');
      rmSync(dir, { recursive: true });
    },
  };
}

/** Starts a PostgreSQL; its address has the user who owns it. */
export async function postgres() {
  const dir = folder('postgres');
  const port = await freePort();
  const bin = program('POSTGRES_BIN');
  const isRoot = process.getuid?.() === 0;
  // PostgreSQL does not run as root.
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const user = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (isRoot) chownSync(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const init = ['-D', data, '-U', 'postgres', '--auth', 'trust', '--no-sync', '--encoding', 'UTF8', '--locale', 'C'];
  execFileSync(join(dirname(bin), 'initdb'), init, { ...user, cwd: dir, stdio: 'ignore' });
  const settings = { listen_addresses: HOST, port, unix_socket_directories: dir, fsync: 'off' };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = await started(bin, ['-D', data, ...args], { ...user, cwd: dir });
  return {
    url: `postgres://postgres@${HOST}:${port}/postgres`,
    async stop() {
      // It lets those clients go that are about to close: to end their connections would be an error of theirs, which
      // some have nobody to tell. Whoever stays is sent away.
      const patience = setTimeout(() => child.kill('SIGINT'), PATIENCE_MS);
      await stopped(child, 'SIGTERM');
      clearTimeout(patience);
      rmSync(dir, { recursive: true });
    },
  };
}
