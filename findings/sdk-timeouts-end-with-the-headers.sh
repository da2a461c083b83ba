#!/bin/sh
# Guess: `timeout` is the same in the SDKs of OpenAI and Anthropic: it bounds a request until its answer is read.
# Found: OpenAI's bounds an answer that is not streamed, Anthropic's its headers alone. Neither bounds a stream.
# Versions: openai@7.59.0 @anthropic-ai/sdk@1.14.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent openai@7.59.0 @anthropic-ai/sdk@1.14.0

cat > run.mjs <<'EOF'
import { once } from 'node:events';
import { createServer } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

setTimeout(process.exit, 30_000, 1);
const EVENTS = {
  '/chat/completions': 'data: {"choices":[{"index":0,"delta":{"content":"Once"}}]}\n\n',
  '/v1/messages': 'event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\n',
};
// It sends the start of an answer, and then no more.
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { stream } = JSON.parse(body);
  response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  response.write(stream ? EVENTS[request.url] : '{"id":');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const baseURL = `http://127.0.0.1:${server.address().port}`;
const options = { apiKey: 'none', baseURL, timeout: 500, maxRetries: 0 };
const call = { model: 'any', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] };
for (const [name, api] of Object.entries({
  openai: new OpenAI(options).chat.completions,
  anthropic: new Anthropic(options).messages,
}))
  for (const stream of [false, true]) {
    const read = async () => {
      const answer = await api.create({ ...call, stream });
      if (stream) for await (const _ of answer);
    };
    const late = new Promise((done) => setTimeout(done, 4000, 'still waits after eight times its timeout'));
    const end = await Promise.race([read().catch((error) => error.constructor.name), late]);
    console.log(`${name}, ${stream ? 'streamed' : 'whole'}: ${end}`);
  }
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
openai, whole: APIConnectionTimeoutError
openai, streamed: still waits after eight times its timeout
anthropic, whole: still waits after eight times its timeout
anthropic, streamed: still waits after eight times its timeout
EOF
