#!/bin/sh
# Guess: Stripe's client retries a 429, and waits as long as Retry-After says.
# Found: It does not retry a 429, and sends a request again half a second after a 503, whatever the header says.
# Versions: stripe@23.1.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent stripe@23.1.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import Stripe from 'stripe';

setTimeout(process.exit, 30_000, 1);
let status;
let requests = 0;
const server = createServer((_, response) => {
  requests++;
  response.writeHead(status, { 'retry-after': '30' }).end('{"error":{"type":"api_error"}}');
}).listen(0, '127.0.0.1');
await once(server, 'listening');

// The waits of the client pass at once.
const waits = [];
const { setTimeout: start } = globalThis;
globalThis.setTimeout = (callback, ms, ...rest) => {
  const isItsOwn = /node_modules/.test(new Error().stack.split('\n')[2]);
  if (isItsOwn) waits.push(ms);
  return start(callback, isItsOwn ? 1 : ms, ...rest);
};
const { port } = server.address();
const stripe = new Stripe('none', { host: '127.0.0.1', port, protocol: 'http', telemetry: false });
for (status of [429, 503]) {
  requests = waits.length = 0;
  const { type } = await stripe.balance.retrieve().catch((error) => error);
  console.log(`${status} with Retry-After: 30: requests ${requests}, waits [${waits}] ms, ${type}`);
}
process.exit(0);
EOF
node run.mjs | tee seen
diff - seen <<'EOF'
429 with Retry-After: 30: requests 1, waits [] ms, StripeRateLimitError
503 with Retry-After: 30: requests 3, waits [500,500] ms, StripeAPIError
EOF
