#!/bin/sh
# Guess: Bundlers drop an unused call that is marked pure, and what is destructured into or read from its result.
# Found: Rollup drops both. webpack keeps what is read. esbuild, Rolldown and Bun keep both.
# Versions: esbuild@0.28.2 rollup@4.68.8 rolldown@1.3.3 webpack@5.113.0 bun@1.4.5
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
echo '{}' > package.json
npm install --silent esbuild@0.28.2 rollup@4.68.8 rolldown@1.3.3 webpack@5.113.0 bun@1.4.5

make='function make() { return { unused: () => "unwanted" }; }'
echo "$make export const { unused } = /* @__PURE__ */ make(); export const used = 1;" > destructured.mjs
echo "$make const all = /* @__PURE__ */ make(); export const { unused } = all; export const used = 1;" > named.mjs
echo "$make const all = /* @__PURE__ */ make(); export const unused = all.unused; export const used = 1;" > read.mjs
echo "$make export const unused = /* @__PURE__ */ make(); export const used = 1;" > whole.mjs
for form in whole destructured named read; do
  echo "import { used } from './$form.mjs'; console.log(used);" > entry.mjs
  npx esbuild entry.mjs --bundle --format=esm --log-level=error --outfile=out/esbuild.js
  npx rollup entry.mjs --silent --file out/rollup.js
  npx rolldown entry.mjs --minify --file out/rolldown.js > log
  node --input-type=module -e "
    import webpack from 'webpack';
    const output = { path: process.cwd() + '/out', filename: 'webpack.js' };
    webpack({ mode: 'production', entry: './entry.mjs', output }, (error) => process.exit(error ? 1 : 0));"
  npx bun build entry.mjs --minify --outfile out/bun.js > log
  for bundler in esbuild rollup rolldown webpack bun; do
    if grep -q unwanted out/$bundler.js; then echo "$bundler keeps"; else echo "$bundler drops"; fi
  done | paste -sd , - | sed "s/^/$form: /"
done | tee seen
diff - seen <<'EOF'
whole: esbuild drops,rollup drops,rolldown drops,webpack drops,bun drops
destructured: esbuild keeps,rollup drops,rolldown keeps,webpack drops,bun keeps
named: esbuild keeps,rollup drops,rolldown keeps,webpack drops,bun keeps
read: esbuild keeps,rollup drops,rolldown keeps,webpack keeps,bun keeps
EOF
