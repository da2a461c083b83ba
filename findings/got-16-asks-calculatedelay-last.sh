#!/bin/sh
# Guess: A `calculateDelay` that returns a wait makes got try again: it decides alone, as in version 14.
# Found: In 16 the limit of 2, the methods and the statuses come first, unless `enforceRetryRules` is false.
# Versions: got@14.6.6 got@16.1.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent --prefix old got@14.6.6
npm install --silent --prefix new got@16.1.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';

setTimeout(process.exit, 30_000, 1);
let requests = 0;
const server = createServer((_, response) => {
  requests++;
  response.writeHead(503).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const calculateDelay = ({ attemptCount }) => (attemptCount > 4 ? 0 : 1);
for (const [folder, retry] of [
  ['old', { calculateDelay }],
  ['new', { calculateDelay }],
  ['new', { calculateDelay, enforceRetryRules: false }],
]) {
  const { default: got } = await import(`./${folder}/node_modules/got/dist/source/index.js`);
  const counts = [];
  for (const method of ['GET', 'POST']) {
    requests = 0;
    await got(url, { method, retry }).catch(() => {});
    counts.push(`${requests} of a ${method}`);
  }
  console.log(`${folder}, enforceRetryRules ${retry.enforceRetryRules}: requests ${counts.join(', ')}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
old, enforceRetryRules undefined: requests 5 of a GET, 5 of a POST
new, enforceRetryRules undefined: requests 3 of a GET, 1 of a POST
new, enforceRetryRules false: requests 5 of a GET, 5 of a POST
EOF
