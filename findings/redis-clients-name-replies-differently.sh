#!/bin/sh
# Guess: The error of a reply such as LOADING is named ReplyError in ioredis and in node-redis.
# Found: In node-redis 6 it is named Error, and has no code: only the message tells.
# Versions: ioredis@6.0.0 redis@6.3.1
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent ioredis@6.0.0 redis@6.3.1

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

setTimeout(process.exit, 30_000, 1);
const server = createServer((socket) => {
  // Each command is a list, and each gets the same answer.
  socket.on('data', (data) => {
    for (const _ of `${data}`.matchAll(/^\*\d+\r$/gm)) socket.write('-LOADING the dataset is loaded\r\n');
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const ioredis = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false, lazyConnect: true });
const redis = createClient({ socket: { port, host: '127.0.0.1', reconnectStrategy: false } });
for (const client of [ioredis, redis]) client.on('error', () => {});
for (const [name, call] of Object.entries({ ioredis: () => ioredis.get('key'), redis: () => redis.connect() })) {
  const error = await call().catch((thrown) => thrown);
  console.log(`${name}: ${error.name}, class ${error.constructor.name}, code ${error.code}, ${error.message}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
ioredis: ReplyError, class SimpleError, code undefined, LOADING the dataset is loaded
redis: Error, class SimpleError, code undefined, LOADING the dataset is loaded
EOF
