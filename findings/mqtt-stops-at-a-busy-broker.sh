#!/bin/sh
# Guess: MQTT.js goes on reconnecting if a broker refuses it as unavailable (CONNACK 3), since that passes.
# Found: A CONNACK that refuses ends the reconnecting: `reconnectOnConnackError` is off by default.
# Versions: mqtt@5.16.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent mqtt@5.16.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:net';
import mqtt from 'mqtt';

setTimeout(process.exit, 30_000, 1);
let connections = 0;
const server = createServer((socket) => {
  connections++;
  // CONNACK, MQTT 3.1.1: no session, server unavailable.
  socket.on('error', () => {}).once('data', () => socket.end(Uint8Array.of(0x20, 2, 0, 3)));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `mqtt://127.0.0.1:${server.address().port}`;
for (const reconnectOnConnackError of [undefined, true]) {
  connections = 0;
  const client = mqtt.connect(url, { reconnectPeriod: 20, reconnectOnConnackError });
  const errors = [];
  client.on('error', ({ code }) => errors.push(code));
  await new Promise((done) => client.once('close', done));
  // Twenty times as long as the wait before a connection.
  const patience = AbortSignal.timeout(reconnectOnConnackError ? 20_000 : 400);
  while (!patience.aborted && connections < 3) await new Promise((done) => setTimeout(done, 10));
  const reconnects = connections > 1 ? 'connects again' : 'does not connect again';
  console.log(`reconnectOnConnackError ${reconnectOnConnackError}: ${reconnects}, first error ${errors[0]}`);
  client.end(true);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
reconnectOnConnackError undefined: does not connect again, first error 3
reconnectOnConnackError true: connects again, first error 3
EOF
