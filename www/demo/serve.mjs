/**
 * Serves the built page and the misbehaving endpoints on one origin, until it is stopped.
 *
 *   node serve.mjs [--port 4173] [--seed 42] [--dist ../dist]
 *
 * Prints the address once it answers. `--port 0` takes a free port. Ctrl-C or SIGTERM ends every
 * connection and exits with 0.
 */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from './misbehaving-server.mjs';

const { values: args } = parseArgs({
  options: {
    port: { type: 'string', default: '4173' },
    seed: { type: 'string', default: '42' },
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
  },
});

try {
  await access(path.join(args.dist, 'index.html'));
} catch {
  console.error(`There is no index.html in ${args.dist}: build the page first, with "npm run build".`);
  process.exit(2);
}

try {
  const server = await startServer({ port: Number(args.port), seed: args.seed, staticDir: args.dist, latencyMs: [60, 160] });
  console.log(`${server.url}/`);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
