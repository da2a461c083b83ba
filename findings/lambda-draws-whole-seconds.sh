#!/bin/sh
# Guess: Full jitter of AWS's durable functions spreads a wait of one second over that second.
# Found: Waits are whole seconds, at least one: after a delay of one second all callers return together.
# Versions: @aws/durable-execution-sdk-js@2.4.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @aws/durable-execution-sdk-js@2.4.0

cat > run.mjs <<'EOF'
import { JitterStrategy, createRetryStrategy } from '@aws/durable-execution-sdk-js';

for (const seconds of [1, 5]) {
  const strategy = createRetryStrategy({ initialDelay: { seconds }, jitter: JitterStrategy.FULL });
  const count = {};
  // All draws, in steps of a hundredth.
  for (let i = 0; i < 100; i++) {
    Math.random = () => i / 100;
    const { delay } = strategy(new Error('busy'), 1);
    count[delay.seconds] = (count[delay.seconds] ?? 0) + 1;
  }
  const parts = Object.entries(count).map(([wait, share]) => `${wait} s: ${share}%`);
  console.log(`full jitter of ${seconds} s: ${parts.join(', ')}`);
}
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
full jitter of 1 s: 1 s: 100%
full jitter of 5 s: 1 s: 30%, 2 s: 20%, 3 s: 20%, 4 s: 20%, 5 s: 10%
EOF
