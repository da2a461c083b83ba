#!/bin/sh
# Guess: A proxy's 503 to CONNECT reaches the caller of `fetch` as a failure of the network.
# Found: In Node its cause is an AbortError, so who retries all but aborts gives up. Bun's error has the status.
# Versions: node@24.21.0 deno@2.9.6 bun@1.4.5
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent node@24.21.0 deno@2.9.6 bun@1.4.5

cat > child.mjs <<'EOF'
const error = await fetch('https://origin.test/').catch((thrown) => thrown);
const chain = [];
for (let cause = error; cause; cause = cause.cause) chain.push([cause.name, cause.code ?? '-', cause.status ?? '-']);
console.log(`  name, code, status: ${chain.map((all) => all.join(' ')).join(' < ')}`);
process.exit(0);
EOF
cat > run.mjs <<'EOF'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

setTimeout(process.exit, 30_000, 1);
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
server.on('connect', (_, socket) => {
  socket.on('error', () => {}).end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n');
});
const HTTPS_PROXY = `http://127.0.0.1:${server.address().port}`;
const proxies = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY, https_proxy: HTTPS_PROXY, NO_PROXY: '', no_proxy: '' };
const env = { ...process.env, ...proxies };
const [host, ...args] = process.argv.slice(2);
await once(spawn(`node_modules/.bin/${host}`, [...args, 'child.mjs'], { env, stdio: 'inherit' }), 'exit');
process.exit(0);
EOF
for host in 'node --no-warnings' 'deno run -A' 'bun run'; do
  echo "${host%% *}:"
  node_modules/.bin/node run.mjs $host
done | tee seen
diff - seen <<'EOF'
node:
  name, code, status: TypeError - - < Error 0 - < AbortError UND_ERR_ABORTED -
deno:
  name, code, status: TypeError - - < Error - -
bun:
  name, code, status: Error ERR_PROXY_TUNNEL 503
EOF
