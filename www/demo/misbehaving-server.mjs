/**
 * The outside world of the demo: an HTTP server on loopback that misbehaves by a seed.
 *
 *   /flaky/:id   answers, or fails in one of four ways (fate.mjs)
 *   /stats       what the server received, as JSON
 *   other paths  what `site` answers, else 404
 *
 * Any web page can send requests to it. So it answers only requests whose Host names this machine,
 * survives any request, and keeps a bounded number of counts.
 *
 * The fate of a request depends on the seed, its id and how many there were for that id, not on
 * the order of arrival: see fate.mjs.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fate } from './fate.mjs';

const RETRY_AFTER_S = 1;

/** Ids: short, and safe in a URL and in a log. */
const FLAKY = /^\/flaky\/([\w.-]{1,64})(?:\?|$)/;

/** Other programs choose ids: beyond this number, the server forgets those used longest ago. */
const KEPT_IDS = 2000;

/**
 * @param {object} options
 * @param {string | number} options.seed
 * @param {number} [options.port] 0, the default, takes a free one
 * @param {number} [options.failureRate] share of requests that fail, 0 to 1
 * @param {readonly [number, number]} [options.latencyMs] least and most time that an answer takes
 * @param {number} [options.slowMs] how long a slow answer takes
 * @param {(request: any, response: any, next: () => void) => void} [options.site] answers on all other paths
 * @param {readonly string[]} [options.hosts] the names that it answers to
 */
export async function startServer({
  seed,
  port = 0,
  failureRate = 0.5,
  latencyMs = [4, 30],
  slowMs = 3000,
  site = (_request, _response, next) => next(),
  hosts = ['127.0.0.1', 'localhost'],
}) {
  const total = { requests: 0, notFound: 0, ok: 0, unavailable: 0, limited: 0, dropped: 0, slow: 0 };
  /** The requests for each id. @type {Map<string, number>} */
  const counts = new Map();

  const server = createServer((request, response) => {
    request.resume();
    if (!isFor(hosts, request))
      return json(response, 421, { error: `the Host header must be ${hosts.join(' or ')} with the port` });
    const id = FLAKY.exec(`${request.url}`)?.[1];
    if (id !== undefined) return flaky(id, response);
    if (request.url === '/stats') return json(response, 200, total);
    site(request, response, () => {
      total.notFound++;
      json(response, 404, { error: 'not found' });
    });
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
