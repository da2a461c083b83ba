#!/bin/sh
# Guess: The loop over a stream of OpenAI's or Anthropic's SDK throws if the answer ends without its last events.
# Found: It ends as after a whole answer. Only the helpers that return the whole message reject.
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
const sse = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const choices = [{ index: 0, delta: { role: 'assistant', content: 'Once' } }];
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
const message = { id: 'm', type: 'message', role: 'assistant', content: [], stop_reason: null };
const usage = { input_tokens: 1, output_tokens: 1 };
const EVENTS = {
  '/chat/completions': `data: ${JSON.stringify(chunk)}\n\n`,
  '/v1/messages':
    sse({ type: 'message_start', message: { ...message, usage } }) +
    sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Once' } }),
};
// The connection ends in order, without a finish reason, and without the event that is the last.
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(EVENTS[request.url]);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const options = { apiKey: 'none', baseURL: `http://127.0.0.1:${server.address().port}`, maxRetries: 0 };
const call = { model: 'any', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] };
const openai = new OpenAI(options).chat.completions;
const anthropic = new Anthropic(options).messages;
const loop = async (stream) => {
  for await (const _ of await stream);
};
for (const [name, run] of Object.entries({
  'openai, the loop': () => loop(openai.create({ ...call, stream: true })),
  'openai, finalContent': () => openai.stream(call).finalContent(),
  'anthropic, the loop': () => loop(anthropic.create({ ...call, stream: true })),
  'anthropic, the loop of its helper': () => loop(anthropic.stream(call)),
  'anthropic, finalText': () => anthropic.stream(call).finalText(),
}))
  console.log(`${name}: ${await run().then(() => 'ends', () => 'rejects')}`);
process.exit(0);
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
openai, the loop: ends
openai, finalContent: rejects
anthropic, the loop: ends
anthropic, the loop of its helper: ends
anthropic, finalText: rejects
EOF
