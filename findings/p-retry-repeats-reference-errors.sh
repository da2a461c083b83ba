#!/bin/sh
# Guess: p-retry stops at programming errors, and repeats a callback that throws a string.
# Found: Of the errors it stops at a TypeError alone, unless that looks like one of `fetch`. A string ends it.
# Versions: p-retry@9.0.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent p-retry@9.0.0

cat > run.mjs <<'EOF'
import pRetry from 'p-retry';

const values = [TypeError, ReferenceError, RangeError, SyntaxError].map((Type) => new Type('a mistake'));
for (const value of [...values, new TypeError('fetch failed'), 'a string']) {
  let calls = 0;
  const call = () => {
    calls++;
    throw value;
  };
  const error = await pRetry(call, { retries: 2, minTimeout: 1 }).catch((thrown) => thrown);
  console.log(`${value}: calls ${calls}, rejects with ${error === value ? 'the same' : error.name}`);
}
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
TypeError: a mistake: calls 1, rejects with the same
ReferenceError: a mistake: calls 3, rejects with the same
RangeError: a mistake: calls 3, rejects with the same
SyntaxError: a mistake: calls 3, rejects with the same
TypeError: fetch failed: calls 3, rejects with the same
a string: calls 1, rejects with TypeError
EOF
