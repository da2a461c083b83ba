#!/bin/sh
# Guess: The `performance.now()` of a worker starts at zero with it, so times of two threads need `timeOrigin`.
# Found: In Deno and Bun it does. In Node all threads share one clock, and one `timeOrigin`.
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
import { Worker, isMainThread, parentPort } from 'node:worker_threads';

setTimeout(process.exit, 30_000, 1);
const now = performance.now();
if (isMainThread) {
  // Half a second older than the worker.
  await new Promise((done) => setTimeout(done, 500));
  const started = performance.now();
  const [worker] = await once(new Worker(new URL(import.meta.url)), 'message');
  const origin = worker.origin === performance.timeOrigin ? 'the same' : 'a later';
  console.log(`  worker: ${origin} timeOrigin, its clock ${worker.now > started ? 'goes on' : 'starts again'}`);
  process.exit(0);
}
parentPort.postMessage({ now, origin: performance.timeOrigin });
EOF
for host in 'node --no-warnings' 'deno run -A' 'bun run'; do
  echo "${host%% *}:"
  node_modules/.bin/$host run.mjs 2> log
done | tee seen
diff - seen <<'EOF'
node:
  worker: the same timeOrigin, its clock goes on
deno:
  worker: a later timeOrigin, its clock starts again
bun:
  worker: a later timeOrigin, its clock starts again
EOF
