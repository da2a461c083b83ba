#!/bin/sh
# Guess: A ConnectionError of Elasticsearch's client has the code of undici or Node, or one of its causes has.
# Found: None has: its cause is a ConnectionError with the same message. What it was is in the words of the message.
# Versions: @elastic/elasticsearch@9.5.1
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @elastic/elasticsearch@9.5.1

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client } from '@elastic/elasticsearch';

setTimeout(process.exit, 30_000, 1);
let answer;
const server = createServer((socket) => socket.once('data', () => answer(socket))).listen(0, '127.0.0.1');
await once(server, 'listening');
const nodes = { listening: `http://127.0.0.1:${server.address().port}`, refused: 'http://127.0.0.1:1' };
const stalls = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{');
for (const [name, how, node] of [
  ['refused', undefined, nodes.refused],
  ['closed', (socket) => socket.destroy(), nodes.listening],
  ['a body that stalls', stalls, nodes.listening],
]) {
  answer = how;
  const error = await new Client({ node, maxRetries: 0, requestTimeout: 500 }).info().catch((thrown) => thrown);
  const chain = [error];
  while (chain.at(-1).cause) chain.push(chain.at(-1).cause);
  const [words] = error.message.split(/ - | 127/);
  console.log(`${name}: ${chain.map((each) => `${each.name} ${each.code}`).join(' < ')}: ${words}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
refused: ConnectionError undefined < ConnectionError undefined: connect ECONNREFUSED
closed: ConnectionError undefined < ConnectionError undefined: other side closed
a body that stalls: ConnectionError undefined < ConnectionError undefined: Body Timeout Error
EOF
