#!/bin/sh
# Guess: With its retries off, `error.retriable` of KafkaJS tells whether the caller should try again.
# Found: What comes out is a KafkaJSNumberOfRetriesExceeded with `retriable: false`. Its cause has the answer.
# Versions: kafkajs@2.2.4
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent kafkajs@2.2.4

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';

setTimeout(process.exit, 30_000, 1);
const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
await once(server, 'listening');
const brokers = [`127.0.0.1:${server.address().port}`];
const kafka = new Kafka({ brokers, retry: { retries: 0 }, logLevel: logLevel.NOTHING });
const error = await kafka.producer().connect().catch((thrown) => thrown);
for (const { name, retriable } of [error, error.cause]) console.log(`${name}: retriable ${retriable}`);
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
KafkaJSNumberOfRetriesExceeded: retriable false
KafkaJSConnectionClosedError: retriable true
EOF
