#!/bin/sh
# Guess: Jest 30 can `require` an ES module on Node 24.9 and newer, as its own error message says.
# Found: It can with `--experimental-vm-modules`. Without, Node 24 and 26 give that message themselves.
# Versions: jest@30.5.2 p-retry@9.0.0 node@24.21.0 node@26.10.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent jest@30.5.2 p-retry@9.0.0
npm install --silent --prefix 24 node@24.21.0
npm install --silent --prefix 26 node@26.10.0

echo "test('require', () => expect(typeof require('p-retry').default).toBe('function'));" > p-retry.test.js
for version in 24 26; do
  node="$version/node_modules/.bin/node --no-warnings"
  echo "Node $version: require() gives a $($node -p "typeof require('p-retry').default")"
  for flag in --no-deprecation --experimental-vm-modules; do
    $node $flag node_modules/jest/bin/jest.js > log 2>&1 || true
    grep -Eo 'Must use import.*Module|v24.9.*natively|^Tests: .*' log | sed "s/  */ /; s/^/$flag: /"
  done
done | tee seen
diff - seen <<'EOF'
Node 24: require() gives a function
--no-deprecation: Must use import to load ES Module
--no-deprecation: v24.9+ where Jest supports require(esm) natively
--no-deprecation: Tests: 1 failed, 1 total
--experimental-vm-modules: Tests: 1 passed, 1 total
Node 26: require() gives a function
--no-deprecation: Must use import to load ES Module
--no-deprecation: v24.9+ where Jest supports require(esm) natively
--no-deprecation: Tests: 1 failed, 1 total
--experimental-vm-modules: Tests: 1 passed, 1 total
EOF
