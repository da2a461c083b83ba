#!/bin/sh
# Guess: Fake timers that move `setTimeout` move `AbortSignal.timeout` and `performance.now` with it.
# Found: Sinon's leave the signal alone. Those of node:test know it since Node 24, and leave the clock alone.
# Versions: @sinonjs/fake-timers@15.5.0 node@22.23.3 node@24.21.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent @sinonjs/fake-timers@15.5.0
npm install --silent --prefix 22 node@22.23.3
npm install --silent --prefix 24 node@24.21.0

cat > run.mjs <<'EOF'
import { mock } from 'node:test';
import { install } from '@sinonjs/fake-timers';

const version = process.version.split('.')[0];
/** Five seconds of `tick`: whether a signal of one second is aborted, and how far the clock went. */
const show = (name, tick) => {
  const before = performance.now();
  const signal = AbortSignal.timeout(1000);
  tick(5000);
  const passed = Math.round((performance.now() - before) / 1000);
  console.log(`${version}, ${name}: AbortSignal.timeout(1000) aborted ${signal.aborted}, performance.now +${passed} s`);
};
const clock = install();
show('sinon', (ms) => clock.tick(ms));
clock.uninstall();
try {
  mock.timers.enable({ apis: ['setTimeout', 'Date', 'AbortSignal.timeout'] });
} catch ({ code }) {
  console.log(`${version}, node:test: AbortSignal.timeout is ${code}`);
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
}
show('node:test', (ms) => mock.timers.tick(ms));
process.exit(0);
EOF
for version in 22 24; do $version/node_modules/.bin/node --no-warnings run.mjs; done | tee seen
diff - seen <<'EOF'
v22, sinon: AbortSignal.timeout(1000) aborted false, performance.now +5 s
v22, node:test: AbortSignal.timeout is ERR_INVALID_ARG_VALUE
v22, node:test: AbortSignal.timeout(1000) aborted false, performance.now +0 s
v24, sinon: AbortSignal.timeout(1000) aborted false, performance.now +5 s
v24, node:test: AbortSignal.timeout(1000) aborted true, performance.now +0 s
EOF
