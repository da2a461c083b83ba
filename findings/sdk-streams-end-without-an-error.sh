#!/bin/sh
# Guess: If a signal's timeout cuts a stream of OpenAI's or Anthropic's SDK, the loop that reads it throws.
# Found: The loop ends as after a whole answer, since both take any abort for a wish of the caller.
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
// It sends one event, and then no more.
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(EVENTS[request.url]);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const options = { apiKey: 'none', baseURL: `http://127.0.0.1:${server.address().port}` };
const call = { model: 'any', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }], stream: true };
for (const [name, create] of Object.entries({
  openai: (limits) => new OpenAI(options).chat.completions.create(call, limits),
  anthropic: (limits) => new Anthropic(options).messages.create(call, limits),
})) {
  const late = new AbortController();
  let events = 0;
  let end = 'the loop ended';
  try {
    for await (const _ of await create({ signal: late.signal })) {
      events++;
      late.abort(new DOMException('too late', 'TimeoutError'));
    }
  } catch (error) {
    end = `the loop threw ${error.name}`;
  }
  console.log(`${name}: events ${events}, ${end}, aborted ${late.signal.aborted}`);
}
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
openai: events 1, the loop ended, aborted true
anthropic: events 1, the loop ended, aborted true
EOF
