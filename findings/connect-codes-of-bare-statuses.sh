#!/bin/sh
# Guess: Connect reads a proxy's bare 408 as DeadlineExceeded, 429 as ResourceExhausted, 500 as Internal.
# Found: Without a body of its protocol 408 and 500 are Unknown, 429 is Unavailable, and 400 is Internal.
# Versions: @connectrpc/connect@2.3.0 @connectrpc/connect-node@2.3.0 @bufbuild/protobuf@2.10.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @connectrpc/connect@2.3.0 @connectrpc/connect-node@2.3.0 @bufbuild/protobuf@2.10.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { EmptySchema, file_google_protobuf_empty } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';

setTimeout(process.exit, 30_000, 1);
let status;
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>proxy</h1>'));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const transport = createConnectTransport({ baseUrl, httpVersion: '1.1' });
const method = {
  ...{ kind: 'rpc', name: 'Open', localName: 'open', methodKind: 'unary', input: EmptySchema, output: EmptySchema },
  ...{ parent: { typeName: 'house.Door', file: file_google_protobuf_empty } },
};
for (status of [400, 408, 413, 429, 500, 502, 503, 504]) {
  const error = await transport.unary(method, undefined, undefined, undefined, {}).catch(ConnectError.from);
  console.log(`${status}: ${Code[error.code]}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
400: Internal
408: Unknown
413: Unknown
429: Unavailable
500: Unknown
502: Unavailable
503: Unavailable
504: Unavailable
EOF
