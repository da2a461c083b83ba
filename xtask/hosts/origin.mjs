// The server on loopback that every suite calls: the first request to a path is answered with 503, later ones with 200.

import { createServer } from 'node:http';

export async function startOrigin() {
  const requests = new Map();
  const server = createServer(({ method, url }, response) => {
    // A preflight, which some hosts send before the request.
    if (method === 'OPTIONS') {
      const allow = { 'access-control-allow-headers': '*', 'access-control-allow-origin': '*' };
      response.writeHead(204, allow).end();
      return;
    }
    const count = (requests.get(url) ?? 0) + 1;
    requests.set(url, count);
    const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store', 'content-type': 'text/plain' };
    response.writeHead(count === 1 ? 503 : 200, headers).end(`request ${count}`);
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
