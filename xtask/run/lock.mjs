// One command at a time in a checkout: each assembles and installs what the others read.

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { signalReceived, stopped } from './command.mjs';
import { target } from './places.mjs';

/**
 * Waits until no other command runs in this checkout, or for Ctrl-C. Returns a function that lets the next one run.
 *
 * A socket is the lock: it closes with its process, however that ends.
 * @param {string} folder
 */
export async function take(folder = target) {
  // In a temporary folder: paths of sockets must be short.
  const path = join(tmpdir(), `xtask-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`);
  for (let waits = false; ; waits = true) {
    const server = createServer((socket) => socket.end()).unref();
    const taken = await new Promise((done) => {
      server.once('error', () => done(false)).listen(path, () => done(true));
    });
    if (taken) return () => void server.close();
    const alive = await new Promise((done) => {
      const socket = connect(path, () => done(true)).once('error', () => done(false));
      socket.resume().once('end', () => socket.destroy());
    });
    if (!alive) rmSync(path, { force: true });
    else if (!waits) console.log('another cargo xtask command runs in this checkout; waiting for its end');
    if (signalReceived()) throw stopped();
    await pause(100);
  }
}
