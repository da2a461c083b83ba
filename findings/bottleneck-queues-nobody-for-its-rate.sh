#!/bin/sh
# Guess: Bottleneck's `highWater: 3` drops what comes while three jobs wait, whatever they wait for.
# Found: A job that waits for `minTime` has left the queue, is counted as RUNNING, and `minTime` alone drops none.
# Versions: bottleneck@2.19.5
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent bottleneck@2.19.5

cat > run.mjs <<'EOF'
import Bottleneck from 'bottleneck';
import { setTimeout as sleep } from 'node:timers/promises';

const OVERFLOW = { highWater: 3, strategy: Bottleneck.strategy.OVERFLOW };
for (const limit of [{ maxConcurrent: 1 }, { minTime: 1_000_000 }]) {
  const bottleneck = new Bottleneck({ ...limit, ...OVERFLOW });
  let dropped = 0;
  bottleneck.on('dropped', () => dropped++);
  let executing = 0;
  for (let i = 0; i < 10; i++) {
    const job = () => {
      executing++;
      return new Promise(() => {});
    };
    bottleneck.schedule(job).catch(() => {});
    await sleep(20);
  }
  const { QUEUED, RUNNING, EXECUTING } = bottleneck.counts();
  console.log(JSON.stringify(limit), `started ${executing}, dropped ${dropped}:`, { QUEUED, RUNNING, EXECUTING });
}
process.exit(0);
EOF
node run.mjs | tee seen
diff - seen <<'EOF'
{"maxConcurrent":1} started 1, dropped 6: { QUEUED: 3, RUNNING: 0, EXECUTING: 1 }
{"minTime":1000000} started 1, dropped 0: { QUEUED: 0, RUNNING: 9, EXECUTING: 1 }
EOF
