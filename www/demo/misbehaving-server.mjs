/**
 * The outside world of the demo: an HTTP server on loopback that misbehaves by a seed.
 *
 *   /flaky/:id   answers, or fails in one of four ways (fate.mjs)
 *   /stats       what the server received, as JSON
 *   other paths  a file of `staticDir` if there is one, else 404
 *
 * Any web page can send requests to it. So it answers only requests whose Host names this machine,
 * survives any request, keeps a bounded number of counts, and serves nothing outside of `staticDir`.
 *
 * The fate of a request depends on the seed, its id and how many there were for that id, not on
 * the order of arrival: see fate.mjs.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fate } from './fate.mjs';
import { PAGE_HEADERS } from './page-policy.mjs';

const RETRY_AFTER_S = 1;

/** Ids: short, and safe in a URL and in a log. */
const NAME = /^[\w.-]{1,64}$/;

/** Other programs choose ids: beyond this number, the server forgets those used longest ago. */
const KEPT_IDS = 2000;

const MIME = /** @type {Record<string, string>} */ ({
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
});

/**
 * @param {object} options
 * @param {string | number} options.seed
 * @param {number} [options.port] 0, the default, takes a free one
 * @param {number} [options.failureRate] share of requests that fail, 0 to 1
 * @param {readonly [number, number]} [options.latencyMs] least and most time that an answer takes
 * @param {number} [options.slowMs] how long a slow answer takes
 * @param {string} [options.staticDir] served for all other paths
 * @param {readonly string[]} [options.hosts] the names that it answers to
 */
export async function startServer({
  seed,
  port = 0,
  failureRate = 0.5,
  latencyMs = [4, 30],
  slowMs = 3000,
  staticDir,
  hosts = ['127.0.0.1', 'localhost'],
}) {
  const total = { requests: 0, notFound: 0, ok: 0, unavailable: 0, limited: 0, dropped: 0, slow: 0 };
  /** The requests for each id. @type {Map<string, number>} */
  const counts = new Map();

  const server = createServer((request, response) => {
    request.resume();
    if (!isFor(hosts, request))
      return json(response, 421, { error: `the Host header must be ${hosts.join(' or ')} with the port` });
    const url = urlOf(request.url ?? '');
    if (!url) return json(response, 400, { error: 'the request target must be a path' });
    const id = /^\/flaky\/([^/]+)$/.exec(url.pathname)?.[1];
    if (id !== undefined && NAME.test(id)) flaky(id, response);
    else if (url.pathname === '/stats') json(response, 200, total);
    else void file(url.pathname, response);
  });

  function flaky(id, response) {
    const n = (counts.get(id) ?? 0) + 1;
    counts.delete(id);
    counts.set(id, n);
    const [oldest] = counts.keys();
    if (counts.size > KEPT_IDS && oldest !== undefined) counts.delete(oldest);
    const { kind, latencyMs: answerMs } = fate({ seed, id, n, failureRate, latencyMs });
    total.requests++;
    total[kind]++;
    const timer = setTimeout(
      () => {
        if (kind === 'dropped') response.socket?.destroy();
        else if (kind === 'unavailable') json(response, 503, { error: 'unavailable', id, n });
        else if (kind === 'limited')
          json(response, 429, { error: 'too many requests', id, n }, { 'Retry-After': RETRY_AFTER_S });
        else json(response, 200, { id, n });
      },
      kind === 'slow' ? slowMs : answerMs,
    );
    // Also when the client goes away first, and when the server is closed.
    response.once('close', () => clearTimeout(timer));
  }

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

  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: own } = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    url: `http://127.0.0.1:${own}`,
    port: own,
    /** What `/flaky/` received. */
    stats: () => ({ ...total }),
    /** Ends every connection and pending answer. */
    async close() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * A response that also closes its connection. Browsers silently send a request again when a
 * *reused* connection is dropped; without reuse each attempt is one request, and both sides
 * count the same.
 */
function json(response, status, value, headers) {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...headers,
  });
  response.end(`${JSON.stringify(value)}\n`);
}

/**
 * Whether the request was meant for this server: a page of another site that rebinds its name to 127.0.0.1 sends that
 * name.
 */
function isFor(hosts, { headers: { host = '' }, socket: { localPort = 0 } }) {
  return hosts.some((name) => host === `${name}:${localPort}` || (localPort === 80 && host === name));
}

/**
 * Undefined unless the target is a path. Resolved against a base, `//` would be an invalid URL and `//host` another
 * host.
 */
function urlOf(target) {
  const text = `http://localhost${target}`;
  return target.startsWith('/') && URL.canParse(text) ? new URL(text) : undefined;
}

/** The file for a path inside `root`, or undefined. Neither `..` nor a symbolic link leads out of it. */
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
