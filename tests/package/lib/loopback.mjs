/** Servers on loopback, at ports that nobody uses. */

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Starts a server. Returns where it listens, its open connections, and what ends both.
 */
export async function onLoopback(server) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    // Clients break connections, too.
    sockets.add(socket.on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    sockets,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(done);
      }),
  };
}

/** A port without a listener at this moment. */
export async function freePort() {
  const { port, close } = await onLoopback(createServer());
  await close();
  return port;
}
