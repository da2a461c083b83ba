// A registry of npm packages on the loopback, for the rehearsal: Verdaccio, which asks no other registry.

import { join } from 'node:path';

import { runServer } from 'verdaccio';

/** Starts the registry, whose files are in a folder. Resolves with its address and what closes it. */
export async function startNpm(folder) {
  const config = {
    storage: join(folder, 'storage'),
    configPath: join(folder, 'config.yaml'),
    self_path: join(folder, 'config.yaml'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    packages: { '**': { access: '$all', publish: '$anonymous' } },
    web: { enable: false },
    middlewares: {},
    log: { type: 'file', path: join(folder, 'log'), level: 'warn' },
  };
  const server = (await runServer(config)).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
