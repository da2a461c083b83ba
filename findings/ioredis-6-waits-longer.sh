#!/bin/sh
# Guess: ioredis reconnects after 50 ms times the attempt, and after two seconds at most.
# Found: Since version 6 the wait doubles up to five seconds, and a random part of up to 199 ms is added.
# Versions: ioredis@5.11.1 ioredis@6.0.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent --prefix five ioredis@5.11.1
npm install --silent --prefix six ioredis@6.0.0

cat > run.mjs <<'EOF'
for (const draw of [0, 1 - 2 ** -53])
  for (const version of ['five', 'six']) {
    const { Redis } = await import(`./${version}/node_modules/ioredis/built/index.js`);
    const { retryStrategy } = new Redis({ lazyConnect: true }).options;
    Math.random = () => draw;
    const waits = [1, 2, 3, 5, 8, 12, 50].map(retryStrategy);
    console.log(`${version}, draw of ${Math.round(draw)}: attempts 1 2 3 5 8 12 50 wait ${waits.join(' ')} ms`);
  }
EOF
node --no-warnings run.mjs | tee seen
diff - seen <<'EOF'
five, draw of 0: attempts 1 2 3 5 8 12 50 wait 50 100 150 250 400 600 2000 ms
six, draw of 0: attempts 1 2 3 5 8 12 50 wait 50 100 200 800 5000 5000 5000 ms
five, draw of 1: attempts 1 2 3 5 8 12 50 wait 50 100 150 250 400 600 2000 ms
six, draw of 1: attempts 1 2 3 5 8 12 50 wait 249 299 399 999 5199 5199 5199 ms
EOF
