#!/bin/sh
# Guess: `structuredClone` keeps the `cause` of an error, the `errors` of an AggregateError, and a TimeoutError.
# Found: No host keeps `errors`, Bun drops `cause`, and in Node 20 a DOMException becomes an empty object.
# Versions: node@20.20.2 node@24.21.0 deno@2.9.6 bun@1.4.5
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent deno@2.9.6 bun@1.4.5
npm install --silent --prefix 20 node@20.20.2
npm install --silent --prefix 24 node@24.21.0

cat > run.mjs <<'EOF'
const clones = {
  cause: structuredClone(new Error('outer', { cause: new Error('inner') })).cause?.message,
  code: structuredClone(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })).code,
  errors: structuredClone(new AggregateError([new Error('first')])).errors,
  DOMException: structuredClone(new DOMException('too late', 'TimeoutError')).name,
};
console.log(`  ${Object.entries(clones).map(([name, value]) => `${name} ${value}`).join(', ')}`);
EOF
for folder in . 20 24; do ln -s node_modules/.bin $folder/bin; done
for host in 20/bin/node 24/bin/node 'bin/deno run' 'bin/bun run'; do
  echo "$host:"
  $host run.mjs
done | tee seen
diff - seen <<'EOF'
20/bin/node:
  cause inner, code undefined, errors undefined, DOMException undefined
24/bin/node:
  cause inner, code undefined, errors undefined, DOMException TimeoutError
bin/deno run:
  cause inner, code undefined, errors undefined, DOMException TimeoutError
bin/bun run:
  cause undefined, code undefined, errors undefined, DOMException TimeoutError
EOF
