/**
 * The outside world of the demo: an HTTP server on loopback that misbehaves by a seed.
 *
 *   /flaky/:id   answers, or fails in one of four ways (fate.mjs)
 *   /stats       what the server received, as JSON (`?run=` for one run)
 *   other paths  a file of `staticDir` if there is one, else 404
 *
 * Any web page can send requests to it. So it answers only requests whose Host names this machine,
 * survives any request, keeps a bounded number of counts, and serves nothing outside of `staticDir`.
 *
 * The fate of a request depends on the seed, its id and how many there were for that id, not on
 * the order of arrival: see fate.mjs.
 *
 * `/flaky/:id` reads four optional query parameters: `run` names a separate count, so that the
 * same ids can be sent again from n = 1; `seed` and `rate` replace the server's own; `failure`
 * chooses one of the ways to fail, instead of all.
 */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { FAILURES, fate } from './fate.mjs';
import { PAGE_HEADERS } from './page-policy.mjs';

const RETRY_AFTER_S = 1;

/** Ids and run names: short, and safe in a URL and in a log. */
const NAME = /^[\w.-]{1,64}$/;

/** Other pages choose the names of runs and ids: beyond these numbers, the server forgets those used longest ago. */
const KEPT_RUNS = 20;
const KEPT_IDS = 2000;

export const MIME = /** @type {Record<string, string>} */ ({
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
});

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Expose-Headers': 'Retry-After',
};

/** @typedef {import('./fate.mjs').Kind} Kind */
/** @typedef {{ requests: number, notFound: number } & Record<Kind, number>} Stats */
/**
 * @typedef {object} MisbehavingServer
 * @property {string} url `http://127.0.0.1:port`, without a slash at the end
 * @property {number} port
 * @property {(run?: string) => Stats} stats what `/flaky/` received, in all or for one run
 * @property {() => Promise<void>} close ends every connection and pending answer
 */

/**
 * @param {object} options
 * @param {string | number} options.seed
 * @param {number} [options.port] 0, the default, takes a free one
 * @param {number} [options.failureRate] share of requests that fail, 0 to 1
 * @param {readonly [number, number]} [options.latencyMs] least and most time that an answer takes
 * @param {number} [options.slowMs] how long a slow answer takes
 * @param {string} [options.staticDir] served for all other paths
 * @returns {Promise<MisbehavingServer>}
 */
export async function startServer({
  seed,
  port = 0,
  failureRate = 0.5,
  latencyMs = [4, 30],
  slowMs = 3000,
  staticDir,
}) {
  const total = emptyStats();
  /** @type {Map<string, { stats: Stats, counts: Map<string, { n: number }> }>} */
  const runs = new Map();

  const server = createServer((request, response) => {
    request.resume();
    if (!isOwnHost(request))
      return json(response, 421, { error: 'the Host header must be 127.0.0.1 or localhost with the port' });
    const url = urlOf(request.url ?? '');
    if (!url) return json(response, 400, { error: 'the request target must be a path' });
    const id = /^\/flaky\/([^/]+)$/.exec(url.pathname)?.[1];
    if (request.method === 'OPTIONS') response.writeHead(204, CORS).end();
    else if (id !== undefined && NAME.test(id)) flaky(id, url.searchParams, response);
    else if (url.pathname === '/stats') json(response, 200, stats(url.searchParams.get('run') ?? undefined));
    else void file(url.pathname, response);
  });

  /**
   * @param {string} id
   * @param {URLSearchParams} query
   * @param {import('node:http').ServerResponse} response
   */
  function flaky(id, query, response) {
    const name = query.get('run') ?? '';
    if (name !== '' && !NAME.test(name)) return json(response, 400, { error: 'bad run' });
    const rate = Number(query.get('rate') ?? failureRate);
    if (!(rate >= 0 && rate <= 1)) return json(response, 400, { error: 'rate must be 0 to 1' });
    const failure = FAILURES.find((known) => known === (query.get('failure') ?? 'mixed'));
    if (!failure) return json(response, 400, { error: `failure must be one of ${FAILURES.join(', ')}` });

    const run = recent(runs, name, KEPT_RUNS, () => ({ stats: emptyStats(), counts: new Map() }));
    const n = ++recent(run.counts, id, KEPT_IDS, () => ({ n: 0 })).n;
    const met = fate({ seed: query.get('seed') ?? seed, id, n, failure, failureRate: rate, latencyMs });
    const kind = met.kind;
    for (const counted of [total, run.stats]) {
      counted.requests++;
      counted[kind]++;
    }

    const timer = setTimeout(
      () => {
        if (kind === 'dropped') response.socket?.destroy();
        else if (kind === 'unavailable') json(response, 503, { error: 'unavailable', id, n });
        else if (kind === 'limited')
          json(response, 429, { error: 'too many requests', id, n }, { 'Retry-After': RETRY_AFTER_S });
        else json(response, 200, { id, n });
      },
      kind === 'slow' ? slowMs : met.latencyMs,
    );
    // Also when the client goes away first, and when the server is closed.
    response.once('close', () => clearTimeout(timer));
  }

  /**
   * @param {string} pathname
   * @param {import('node:http').ServerResponse} response
   */
  async function file(pathname, response) {
    const found = staticDir === undefined ? undefined : await findFile(staticDir, pathname);
    if (found === undefined) {
      total.notFound++;
      return json(response, 404, { error: 'not found' });
    }
    const type = MIME[path.extname(found)] ?? 'application/octet-stream';
    response.writeHead(200, {
      ...PAGE_HEADERS,
      'Content-Type': type,
      'Cache-Control': 'no-cache',
      Connection: 'close',
    });
    createReadStream(found)
      .on('error', () => response.destroy())
      .pipe(response);
  }

  /** @param {string} [run] */
  function stats(run) {
    return { ...(run === undefined ? total : (runs.get(run)?.stats ?? emptyStats())) };
  }

  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    stats,
    close() {
      return new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      });
    },
  };
}

/**
 * A response that also closes its connection. Browsers silently send a request again when a
 * *reused* connection is dropped; without reuse each attempt is one request, and both sides
 * count the same.
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {unknown} value
 * @param {import('node:http').OutgoingHttpHeaders} [headers]
 */
function json(response, status, value, headers) {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...CORS,
    ...headers,
  });
  response.end(`${JSON.stringify(value)}\n`);
}

/**
 * Whether the request was meant for this server: a page of another site that rebinds its name to 127.0.0.1 sends that
 * name.
 * @param {import('node:http').IncomingMessage} request
 */
function isOwnHost({ headers: { host }, socket: { localPort } }) {
  const hosts = ['127.0.0.1', 'localhost'];
  return hosts.some((name) => host === `${name}:${localPort}` || (localPort === 80 && host === name));
}

/**
 * Undefined unless the target is a path. Resolved against a base, `//` would be an invalid URL and `//host` another
 * host.
 * @param {string} target
 */
function urlOf(target) {
  const text = `http://localhost${target}`;
  return target.startsWith('/') && URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Returns the value for `key`, which is created if missing. The map keeps the `limit` values that were used last.
 * @template V
 * @param {Map<string, V>} map
 * @param {string} key
 * @param {number} limit
 * @param {() => V} make
 */
function recent(map, key, limit, make) {
  const value = map.get(key) ?? make();
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > limit && oldest !== undefined) map.delete(oldest);
  return value;
}

/**
 * The file for a path inside `root`, or undefined. Neither `..` nor a symbolic link leads out of it.
 * @param {string} root
 * @param {string} pathname
 */
async function findFile(root, pathname) {
  try {
    const decoded = decodeURIComponent(pathname);
    const folder = await realpath(root);
    // Throws for a NUL byte and for a file that does not exist.
    const wanted = await realpath(path.join(folder, decoded.endsWith('/') ? `${decoded}index.html` : decoded));
    if (path.relative(folder, wanted).startsWith('..')) return undefined;
    return (await stat(wanted)).isFile() ? wanted : undefined;
  } catch {
    return undefined;
  }
}

/** @returns {Stats} */
function emptyStats() {
  return { requests: 0, notFound: 0, ok: 0, unavailable: 0, limited: 0, dropped: 0, slow: 0 };
}
