#!/bin/sh
# Guess: Node's `fetch` speaks HTTP/1.1, unless a dispatcher with `allowH2` is set.
# Found: Since Node 26 it takes HTTP/2 from a server that offers it.
# Versions: node@24.21.0 node@26.10.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent --prefix 24 node@24.21.0
npm install --silent --prefix 26 node@26.10.0
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout key.pem -out cert.pem 2> log

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

setTimeout(process.exit, 30_000, 1);
const files = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') };
const server = createSecureServer({ ...files, allowHTTP1: true }, ({ httpVersion }, response) => {
  response.end(`HTTP/${httpVersion}`);
}).listen(0, 'localhost');
await once(server, 'listening');
const response = await fetch(`https://localhost:${server.address().port}`);
console.log(`Node ${process.versions.node}, undici ${process.versions.undici}: ${await response.text()}`);
process.exit(0);
EOF
export NODE_EXTRA_CA_CERTS="$PWD/cert.pem"
for version in 24 26; do $version/node_modules/.bin/node run.mjs; done | tee seen
diff - seen <<'EOF'
Node 24.21.0, undici 7.29.1: HTTP/1.1
Node 26.10.0, undici 8.10.2: HTTP/2.0
EOF
