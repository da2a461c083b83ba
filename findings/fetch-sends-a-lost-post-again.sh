#!/bin/sh
# Guess: If a kept connection breaks before the answer, `fetch` rejects or repeats a GET, and never repeats a POST.
# Found: Deno repeats every method, a POST that the server has read too. Bun repeats GET and PUT, Node nothing.
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
let requests;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    // The first opens the connection; the second is read, and gets no answer.
    if (++requests === 2) request.socket.destroy();
    else response.end('done');
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
for (const method of ['GET', 'PUT', 'POST']) {
  requests = 0;
  await (await fetch(url)).text();
  const body = method === 'GET' ? undefined : 'order';
  const end = await fetch(url, { method, body }).then(
    (response) => response.text(),
    () => 'rejected',
  );
  console.log(`  ${method}: the server read ${requests - 1}, fetch: ${end}`);
}
process.exit(0);
EOF
for host in 'node --no-warnings' 'deno run -A' 'bun run'; do
  echo "${host%% *}:"
  node_modules/.bin/$host run.mjs 2> log
done | tee seen
diff - seen <<'EOF'
node:
  GET: the server read 1, fetch: rejected
  PUT: the server read 1, fetch: rejected
  POST: the server read 1, fetch: rejected
deno:
  GET: the server read 2, fetch: done
  PUT: the server read 2, fetch: done
  POST: the server read 2, fetch: done
bun:
  GET: the server read 2, fetch: done
  PUT: the server read 2, fetch: done
  POST: the server read 1, fetch: rejected
EOF
