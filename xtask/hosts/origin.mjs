// The server on loopback that every suite calls.

import { createServer } from 'node:http';

/**
 * Returns what a request gets: a response, or how it fails. A host without a network has the text of this function.
 * @param {string} path its first folder says what the first request gets
 * @param {number} count of the requests to this path, this one included
 */
export function answerTo(path, count) {
  if (count > 1) return { status: 200, headers: {}, body: 'request ' + count };
  if (/^\/(silent|closed)\//.test(path)) return path.split('/')[1];
  return { status: 503, headers: /^\/later\//.test(path) ? { 'retry-after': '120' } : {}, body: 'request 1' };
}

const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after',
  'cache-control': 'no-store',
  'content-type': 'text/plain',
};

export async function startOrigin() {
  const requests = new Map();
  const server = createServer(({ method, url }, response) => {
    // A preflight, which some hosts send before the request.
    if (method === 'OPTIONS') {
      const allow = { 'access-control-allow-headers': '*', 'access-control-allow-origin': '*' };
      response.writeHead(204, allow).end();
      return;
    }
    requests.set(url, (requests.get(url) ?? 0) + 1);
    const answer = answerTo(url, requests.get(url));
    if (answer === 'closed') response.destroy();
    if (typeof answer !== 'object') return;
    response.writeHead(answer.status, { ...HEADERS, ...answer.headers }).end(answer.body);
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
