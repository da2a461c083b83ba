#!/bin/sh
# Guess: The SDKs of OpenAI and Anthropic, which look alike, obey the same values of Retry-After.
# Found: OpenAI's obeys 0 to 60 s, and waits half a second for 61. Anthropic's waits 300 s, and does not obey 0.
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
let hint;
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(429, { 'retry-after': hint }).end('{}'));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const options = { apiKey: 'none', baseURL: `http://127.0.0.1:${server.address().port}`, maxRetries: 1 };
const call = { model: 'any', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] };
const openai = () => new OpenAI(options).chat.completions.create(call);
const anthropic = () => new Anthropic(options).messages.create(call);

// Their waits pass at once. Their other timer limits a request to ten minutes.
let wait;
const { setTimeout: start } = globalThis;
globalThis.setTimeout = (callback, ms, ...rest) => {
  const isWait = /node_modules/.test(new Error().stack.split('\n')[2]) && ms !== 600_000;
  if (isWait) wait = ms;
  return start(callback, isWait ? 1 : ms, ...rest);
};
Math.random = () => 0;
for (hint of ['0', '60', '61', '300']) {
  const waits = [];
  for (const send of [openai, anthropic]) {
    await send().catch(() => {});
    waits.push(wait);
  }
  console.log(`Retry-After: ${hint}: openai waits ${waits[0]} ms, anthropic ${waits[1]} ms`);
}
process.exit(0);
EOF
node run.mjs | tee seen
diff - seen <<'EOF'
Retry-After: 0: openai waits 0 ms, anthropic 500 ms
Retry-After: 60: openai waits 60000 ms, anthropic 60000 ms
Retry-After: 61: openai waits 500 ms, anthropic 61000 ms
Retry-After: 300: openai waits 500 ms, anthropic 300000 ms
EOF
