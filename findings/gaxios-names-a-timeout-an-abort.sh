#!/bin/sh
# Guess: gaxios, on which Google's clients stand, rejects with a TimeoutError when its `timeout` passes.
# Found: The error is named Error, and its cause AbortError, as after the caller's abort. Only `code` tells them apart.
# Versions: gaxios@8.3.3
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent gaxios@8.3.3

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'gaxios';

setTimeout(process.exit, 30_000, 1);
const server = createServer(() => {}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const aborted = new AbortController();
server.once('request', () => server.once('request', () => aborted.abort()));
for (const [name, limit] of Object.entries({ timeout: { timeout: 100 }, abort: { signal: aborted.signal } })) {
  const error = await request({ url, retry: false, ...limit }).catch((thrown) => thrown);
  console.log(`${name}: name ${error.name}, cause ${error.cause.name}, code ${error.code}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
timeout: name Error, cause AbortError, code TimeoutError
abort: name Error, cause AbortError, code AbortError
EOF
