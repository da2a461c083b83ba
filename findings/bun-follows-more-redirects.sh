#!/bin/sh
# Guess: `fetch` gives up after twenty redirects, as its standard says.
# Found: Node and Deno do, after 21 requests. Bun sends 127.
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
import { createServer } from 'node:http';

setTimeout(process.exit, 30_000, 1);
let requests = 0;
const server = createServer((_, response) => {
  response.writeHead(302, { location: `/${++requests}` }).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
await fetch(`http://127.0.0.1:${server.address().port}`).catch(() => {});
console.log(`  requests ${requests}`);
process.exit(0);
EOF
for host in 'node --no-warnings' 'deno run -A' 'bun run'; do
  echo "${host%% *}:"
  node_modules/.bin/$host run.mjs 2> log
done | tee seen
diff - seen <<'EOF'
node:
  requests 21
deno:
  requests 21
bun:
  requests 127
EOF
