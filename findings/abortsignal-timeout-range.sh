#!/bin/sh
# Guess: `AbortSignal.timeout(2 ** 31)` waits 25 days in every host: the parameter is an `unsigned long long`.
# Found: Node and Deno abort at once. From `2 ** 32` on Node throws a RangeError, Deno still aborts. Bun waits.
# Versions: node@24.21.0 deno@2.9.6 bun@1.4.5
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent node@24.21.0 deno@2.9.6 bun@1.4.5

cat > run.mjs <<'EOF'
for (const exponent of [31, 32]) {
  let state;
  try {
    const signal = AbortSignal.timeout(2 ** exponent);
    await new Promise((done) => setTimeout(done, 300));
    state = signal.aborted ? 'aborted at once' : 'waits';
  } catch ({ name }) {
    state = `throws ${name}`;
  }
  console.log(`  2 ** ${exponent} ms: ${state}`);
}
process.exit(0);
EOF
for host in 'node --no-warnings' 'deno run -A' 'bun run'; do
  echo "${host%% *}:"
  node_modules/.bin/$host run.mjs 2> log
done | tee seen
diff - seen <<'EOF'
node:
  2 ** 31 ms: aborted at once
  2 ** 32 ms: throws RangeError
deno:
  2 ** 31 ms: aborted at once
  2 ** 32 ms: aborted at once
bun:
  2 ** 31 ms: waits
  2 ** 32 ms: waits
EOF
