#!/bin/sh
# Guess: grpc-js makes no retry if `grpc-retry-pushback-ms` is no whole number, as gRPC's design of retries asks.
# Found: It takes such a value for a wait of zero: all retries follow at once, without their backoff.
# Versions: @grpc/grpc-js@1.14.7
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @grpc/grpc-js@1.14.7

cat > run.mjs <<'EOF'
import grpc from '@grpc/grpc-js';

setTimeout(process.exit, 30_000, 1);
const identity = (value) => value;
const method = {
  ...{ path: '/house.Door/Open', requestStream: false, responseStream: false, requestSerialize: identity },
  ...{ requestDeserialize: identity, responseSerialize: identity, responseDeserialize: identity },
};
let pushback;
const times = [];
const open = (_, done) => {
  times.push(performance.now());
  const trailers = new grpc.Metadata();
  if (pushback !== undefined) trailers.set('grpc-retry-pushback-ms', pushback);
  done({ code: grpc.status.UNAVAILABLE }, null, trailers);
};
const server = new grpc.Server();
server.addService({ open: method }, { open });
const port = await new Promise((done) => {
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_, found) => done(found));
});
// Without it, a random wait could be short.
Math.random = () => 0.5;
const waits = { maxAttempts: 3, initialBackoff: '2s', maxBackoff: '2s', backoffMultiplier: 1 };
const retryPolicy = { ...waits, retryableStatusCodes: ['UNAVAILABLE'] };
const config = JSON.stringify({ methodConfig: [{ name: [{ service: 'house.Door' }], retryPolicy }] });
const Client = grpc.makeGenericClientConstructor({ open: method }, 'Door');
const options = { 'grpc.service_config': config };
for (pushback of [undefined, '-1', 'soon', '0.5']) {
  times.length = 0;
  const client = new Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options);
  await new Promise((done) => client.open(Buffer.alloc(0), done));
  const waited = times.at(-1) - times[0] > 2000 ? 'after waits' : 'at once';
  console.log(`pushback ${pushback}: requests ${times.length}${times.length > 1 ? `, ${waited}` : ''}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
pushback undefined: requests 3, after waits
pushback -1: requests 1
pushback soon: requests 3, at once
pushback 0.5: requests 3, at once
EOF
