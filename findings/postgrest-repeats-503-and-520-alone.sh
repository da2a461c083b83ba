#!/bin/sh
# Guess: Supabase's client makes one request, or repeats 429, 502, 503 and 504 as others do.
# Found: It repeats a GET after 503, 520 and no answer, three times within 7 s, and none of 429, 502 and 504.
# Versions: @supabase/postgrest-js@2.119.1
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @supabase/postgrest-js@2.119.1

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { PostgrestClient } from '@supabase/postgrest-js';

setTimeout(process.exit, 30_000, 1);
let status;
let requests = 0;
const server = createServer((_, response) => {
  requests++;
  if (status === 'cut') response.destroy();
  else response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const table = new PostgrestClient(`http://127.0.0.1:${server.address().port}`).from('any');

// The waits of the client pass at once.
const waits = [];
const { setTimeout: start } = globalThis;
globalThis.setTimeout = (callback, ms, ...rest) => {
  const isItsOwn = /node_modules/.test(new Error().stack.split('\n')[2]);
  if (isItsOwn) waits.push(ms);
  return start(callback, isItsOwn ? 1 : ms, ...rest);
};
for (status of [429, 500, 502, 503, 504, 520, 'cut']) {
  const counts = [];
  for (const send of [() => table.select(), () => table.insert({})]) {
    requests = waits.length = 0;
    await send();
    counts.push(`${requests} [${waits}]`);
  }
  console.log(`${status}: requests and waits of a GET ${counts[0]}, of a POST ${counts[1]}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
429: requests and waits of a GET 1 [], of a POST 1 []
500: requests and waits of a GET 1 [], of a POST 1 []
502: requests and waits of a GET 1 [], of a POST 1 []
503: requests and waits of a GET 4 [1000,2000,4000], of a POST 1 []
504: requests and waits of a GET 1 [], of a POST 1 []
520: requests and waits of a GET 4 [1000,2000,4000], of a POST 1 []
cut: requests and waits of a GET 4 [1000,2000,4000], of a POST 1 []
EOF
