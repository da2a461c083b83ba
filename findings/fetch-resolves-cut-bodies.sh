#!/bin/sh
# Guess: `fetch` fails if a compressed body breaks off, or if a connection is reset in a body that states no length.
# Found: In Node both bodies just end. In Deno both are errors, in Bun only the first.
# Versions: node@24.21.0 deno@2.9.6 bun@1.4.5
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent node@24.21.0 deno@2.9.6 bun@1.4.5

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';

setTimeout(process.exit, 30_000, 1);
const numbers = Array.from({ length: 2000 }, (_, i) => i ** 3).join();
const HALF = gzipSync(numbers).subarray(0, 5000);
const HEAD = 'HTTP/1.1 200 OK\r\nconnection: close\r\n';
for (const [name, headers, body] of [
  ['gzip, closed in its middle', 'content-encoding: gzip\r\n', HALF],
  ['no length, reset', '', numbers.slice(0, 5000)],
]) {
  let connection;
  const server = createServer((socket) => {
    connection = socket.on('error', () => {}).once('data', () => {
      socket.write(`${HEAD}${headers}\r\n`);
      if (headers) socket.end(body);
      else socket.write(body);
    });
  }).listen(0, '127.0.0.1');
await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${server.address().port}`);
  const texts = [];
  let end = 'ended';
  try {
    for await (const chunk of response.body) {
      texts.push(new TextDecoder().decode(chunk));
      if (!headers) connection.resetAndDestroy();
    }
  } catch {
    end = 'threw';
  }
  console.log(`  ${name}: reading ${end}, got the beginning ${numbers.startsWith(texts.join(''))}`);
}
process.exit(0);
EOF
for host in 'node --no-warnings' 'deno run -A' 'bun run'; do
  echo "${host%% *}:"
  node_modules/.bin/$host run.mjs 2> log
done | tee seen
diff - seen <<'EOF'
node:
  gzip, closed in its middle: reading ended, got the beginning true
  no length, reset: reading ended, got the beginning true
deno:
  gzip, closed in its middle: reading threw, got the beginning true
  no length, reset: reading threw, got the beginning true
bun:
  gzip, closed in its middle: reading threw, got the beginning true
  no length, reset: reading ended, got the beginning true
EOF
