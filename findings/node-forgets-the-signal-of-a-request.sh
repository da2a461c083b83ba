#!/bin/sh
# Guess: `fetch(new Request(url, { signal }))` is aborted with `signal`, as `fetch(url, { signal })` is.
# Found: In Node, after a collection of garbage, it is not: it waits on, and its connection stays open.
# Versions: node@20.20.2 node@24.21.0 node@26.10.0 deno@2.9.6 bun@1.4.5
# Day: 2026-11-29
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
mkdir 20 24 26 others
for folder in 20 24 26 others; do echo '{}' > $folder/package.json; done
npm install --silent --prefix 20 node@20.20.2
npm install --silent --prefix 24 node@24.21.0
npm install --silent --prefix 26 node@26.10.0
npm install --silent --prefix others deno@2.9.6 bun@1.4.5

cat > run.mjs <<'EOF'
import { createServer } from 'node:http';
import process from 'node:process';

setTimeout(process.exit, 30_000, 1);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
// No answer ever comes.
const server = createServer(() => {});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${server.address().port}`;
const WAYS = {
  'url, { signal }': (signal) => fetch(url, { signal }),
  'new Request(url, { signal })': (signal) => fetch(new Request(url, { signal })),
  'request.clone()': (signal) => fetch((globalThis.request = new Request(url, { signal })).clone()),
};
for (const [way, send] of Object.entries(WAYS)) {
  const controller = new AbortController();
  const ended = send(controller.signal).catch(({ name }) => name);
  for (let i = 0; i < 5; i++) {
    await pause(50);
    globalThis.Bun ? globalThis.Bun.gc(true) : globalThis.gc();
  }
  controller.abort();
  console.log(`  fetch(${way}): ${await Promise.race([ended, pause(2000).then(() => 'goes on')])}`);
}
process.exit(0);
EOF
{
  for major in 20 24 26; do
    echo "node $major"
    $major/node_modules/.bin/node --expose-gc run.mjs
  done
  echo deno
  others/node_modules/.bin/deno run -A --v8-flags=--expose-gc run.mjs
  echo bun
  others/node_modules/.bin/bun run run.mjs
} 2> log | tee seen
diff - seen <<'EOF'
node 20
  fetch(url, { signal }): AbortError
  fetch(new Request(url, { signal })): goes on
  fetch(request.clone()): goes on
node 24
  fetch(url, { signal }): AbortError
  fetch(new Request(url, { signal })): goes on
  fetch(request.clone()): goes on
node 26
  fetch(url, { signal }): AbortError
  fetch(new Request(url, { signal })): goes on
  fetch(request.clone()): goes on
deno
  fetch(url, { signal }): AbortError
  fetch(new Request(url, { signal })): AbortError
  fetch(request.clone()): AbortError
bun
  fetch(url, { signal }): AbortError
  fetch(new Request(url, { signal })): AbortError
  fetch(request.clone()): AbortError
EOF
