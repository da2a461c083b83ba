#!/bin/sh
# Guess: In workerd, `fetch` names what went wrong, and marks failures that may pass by `retryable`.
# Found: A lost connection is `retryable`. An unknown host and an invalid certificate are both an `internal error`.
# Versions: workerd@1.20261117.1 node@24.21.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent workerd@1.20261117.1 node@24.21.0
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout key.pem -out cert.pem 2> log

cat > config.capnp <<'EOF'
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-06-01",
    )),
    (name = "internet", network = (allow = ["private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
EOF
cat > worker.js <<'EOF'
export default {
  async fetch({ url }) {
    const error = await fetch(new URL(url).searchParams.get('url')).catch((thrown) => thrown);
    return new Response(`${error.message.replace(/= \w+/, '= …')} retryable: ${error.retryable}`);
  },
};
EOF
cat > run.mjs <<'EOF'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createSecure } from 'node:https';
import { createServer } from 'node:net';

setTimeout(process.exit, 30_000, 1);
const files = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') };
const portOf = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address().port;
};
const [closing, secure] = [await portOf(createServer((socket) => socket.destroy())), await portOf(createSecure(files))];
const args = ['serve', 'config.capnp', '--control-fd=1'];
const workerd = spawn('node_modules/.bin/workerd', args, { stdio: ['ignore', 'pipe', 'ignore'] });
process.once('exit', () => workerd.kill());
const [event] = await once(workerd.stdout, 'data');
for (const [what, url] of Object.entries({
  'a lost connection': `http://127.0.0.1:${closing}/`,
  'an unknown host': 'http://nowhere.invalid/',
  'a certificate that signed itself': `https://127.0.0.1:${secure}/`,
})) {
  const response = await fetch(`http://127.0.0.1:${JSON.parse(event).port}/?url=${encodeURIComponent(url)}`);
  console.log(`${what}: ${await response.text()}`);
}
process.exit(0);
EOF
node_modules/.bin/node run.mjs | tee seen
diff - seen <<'EOF'
a lost connection: Network connection lost. retryable: true
an unknown host: internal error; reference = … retryable: undefined
a certificate that signed itself: internal error; reference = … retryable: undefined
EOF
