#!/bin/sh
# Guess: With undici's RetryAgent as dispatcher, `fetch` repeats a PUT after a 503, as `request` does.
# Found: The repeat has no body, so `fetch` rejects with a mismatch of lengths. The 503 is lost.
# Versions: undici@8.13.1 node@24.21.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent undici@8.13.1 node@24.21.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, RetryAgent, fetch, request } from 'undici';

setTimeout(process.exit, 30_000, 1);
const requests = {};
const server = createServer((request, response) => {
  requests[request.url] = (requests[request.url] ?? 0) + 1;
  request.resume().on('end', () => response.writeHead(503, { 'retry-after': '0' }).end());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const codes = {};
for (const [name, send] of Object.entries({ fetch, request }))
  for (const init of [{ method: 'GET' }, { method: 'PUT', body: 'text' }]) {
    const path = `/${name}-${init.method}`;
    const dispatcher = new RetryAgent(new Agent(), { maxRetries: 2 });
    const error = await send(url + path, { dispatcher, ...init }).catch((thrown) => thrown.cause ?? thrown);
    codes[path] = error.code;
  }
for (const [path, code] of Object.entries(codes)) console.log(`${path}: requests ${requests[path]}, ${code}`);
process.exit(0);
EOF
node_modules/.bin/node run.mjs | tee seen
diff - seen <<'EOF'
/fetch-GET: requests 3, UND_ERR_REQ_RETRY
/fetch-PUT: requests 2, UND_ERR_REQ_CONTENT_LENGTH_MISMATCH
/request-GET: requests 3, UND_ERR_REQ_RETRY
/request-PUT: requests 3, UND_ERR_REQ_RETRY
EOF
