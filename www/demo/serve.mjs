/**
 * Serves the built page and the misbehaving endpoints on one origin, until it is stopped.
 *
 *   node serve.mjs [--port N] [--seed 42] [--dist ../dist]
 *
 * Prints the address once it answers. Without `--port` it is 4173, or a free one if that is taken. Ctrl-C or SIGTERM
 * ends every connection and exits with 0.
 */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { siteOf } from './lib/site.mjs';
import { startServer } from './misbehaving-server.mjs';

const USUAL_PORT = 4173;

const { values: args } = parseArgs({
  options: {
    port: { type: 'string' },
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

const options = { seed: args.seed, site: siteOf(args.dist), latencyMs: /** @type {const} */ ([60, 160]) };
const on = (/** @type {number} */ port) => startServer({ ...options, port });
// The port that was asked for; else the usual one, or a free one where that is taken.
const started = args.port === undefined ? on(USUAL_PORT).catch(() => on(0)) : on(Number(args.port));
const server = await started.catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
console.log(`${server.url}/`);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => void server.close().then(() => process.exit(0)));
}
