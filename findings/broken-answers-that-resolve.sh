#!/bin/sh
# Guess: Octokit rejects if a body breaks off, and Stripe's client if the answer is a 503.
# Found: Octokit resolves with 200 and an empty text, Stripe's with the JSON of the 503 if that has no member `error`.
# Versions: @octokit/request@10.0.16 stripe@23.1.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @octokit/request@10.0.16 stripe@23.1.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from '@octokit/request';
import Stripe from 'stripe';

setTimeout(process.exit, 30_000, 1);
const JSON_TYPE = { 'content-type': 'application/json' };
const server = createServer(({ url }, response) => {
  if (url === '/repos') {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 }).write('[{"id":1},', () => response.destroy());
  } else response.writeHead(503, JSON_TYPE).end('{"message":"no healthy upstream"}');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const { status, data } = await request('GET /repos', { baseUrl: `http://127.0.0.1:${port}` });
console.log(`octokit, a body that broke off: resolved, status ${status}, data ${JSON.stringify(data)}`);
const address = { host: '127.0.0.1', port, protocol: 'http' };
const stripe = new Stripe('none', { ...address, telemetry: false, maxNetworkRetries: 0 });
const balance = await stripe.balance.retrieve();
console.log(`stripe, a proxy's 503: resolved, ${JSON.stringify(balance)}, status ${balance.lastResponse.statusCode}`);
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
octokit, a body that broke off: resolved, status 200, data ""
stripe, a proxy's 503: resolved, {"message":"no healthy upstream"}, status 503
EOF
