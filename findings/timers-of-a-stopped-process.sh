#!/bin/sh
# Guess: A process that was stopped reads the answers that came in the meantime before timers that are due.
# Found: Timers come first: `AbortSignal.timeout` discards an answer that was there in time, in all three hosts.
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
const text = await fetch(process.argv[2], { signal: AbortSignal.timeout(2000) }).then(
  (response) => response.text(),
  (error) => error.name,
);
console.log(`  ${text}`);
process.exit(0);
EOF
cat > run.mjs <<'EOF'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

setTimeout(process.exit, 30_000, 1);
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const [host, ...args] = process.argv.slice(2);
const all = [...args, 'child.mjs', `http://127.0.0.1:${server.address().port}`];
const child = spawn(`node_modules/.bin/${host}`, all, { stdio: 'inherit' });
const [, response] = await once(server, 'request');
// It stops before the answer is written, for longer than its limit.
child.kill('SIGSTOP');
response.end('the answer');
await new Promise((done) => setTimeout(done, 3000));
child.kill('SIGCONT');
await once(child, 'exit');
process.exit(0);
EOF
for host in 'node --no-warnings' 'deno run -A' 'bun run'; do
  echo "${host%% *}:"
  node_modules/.bin/node run.mjs $host
done | tee seen
diff - seen <<'EOF'
node:
  TimeoutError
deno:
  TimeoutError
bun:
  TimeoutError
EOF
