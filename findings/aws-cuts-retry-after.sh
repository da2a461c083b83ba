#!/bin/sh
# Guess: All clients of AWS's SDK make three attempts, and wait as long as `x-amz-retry-after` says.
# Found: DynamoDB's makes four. A minute is cut to five seconds and the wait that the client would draw itself.
# Versions: @aws-sdk/client-dynamodb@3.1169.0 @aws-sdk/client-s3@3.1169.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @aws-sdk/client-dynamodb@3.1169.0 @aws-sdk/client-s3@3.1169.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';

setTimeout(process.exit, 30_000, 1);
let hint;
let requests = 0;
const server = createServer((request, response) => {
  requests++;
  request.resume().on('end', () => response.writeHead(503, hint ? { 'x-amz-retry-after': hint } : {}).end());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const endpoint = `http://127.0.0.1:${server.address().port}`;
const options = { endpoint, region: 'none', credentials: { accessKeyId: 'none', secretAccessKey: 'none' } };

// Their waits pass at once. Their other timers, of the sockets, have whole seconds.
const waits = [];
const { setTimeout: start } = globalThis;
globalThis.setTimeout = (callback, ms, ...rest) => {
  const isWait = ms !== 3000 && ms !== 1000;
  if (isWait) waits.push(ms);
  return start(callback, isWait ? 1 : ms, ...rest);
};
// The longest wait that each may draw.
Math.random = () => 1 - 2 ** -53;
for (hint of [undefined, '2000', '60000'])
  for (const [Client, Command] of [
    [DynamoDBClient, ListTablesCommand],
    [S3Client, ListBucketsCommand],
  ]) {
    requests = waits.length = 0;
    await new Client(options).send(new Command({})).catch(() => {});
    console.log(`${Client.name}, x-amz-retry-after ${hint}: requests ${requests}, waits [${waits}] ms`);
  }
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
DynamoDBClient, x-amz-retry-after undefined: requests 4, waits [24,49,99] ms
S3Client, x-amz-retry-after undefined: requests 3, waits [49,99] ms
DynamoDBClient, x-amz-retry-after 2000: requests 4, waits [2000,2000,2000] ms
S3Client, x-amz-retry-after 2000: requests 3, waits [2000,2000] ms
DynamoDBClient, x-amz-retry-after 60000: requests 4, waits [5024,5049,5099] ms
S3Client, x-amz-retry-after 60000: requests 3, waits [5049,5099] ms
EOF
