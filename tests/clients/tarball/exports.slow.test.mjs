// What one import weighs in an app, by bundler: the table of docs/benchmarks.md, and budgets. With
// REJITTER_WRITE_SIZES=1, the run writes the table.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
import { build as viteBuild } from 'vite';
import webpack from 'webpack';

import { transform } from '../../../xtask/npm/esbuild.mjs';
import { weigh } from '../../package/lib/budgets.mjs';
import { bundled } from '../../package/lib/bundle.mjs';
import { project, repo } from '../../package/lib/consumer.mjs';

/** Export → its entry, and the limit of brotli bytes in each bundler, for production. */
const EXPORTS = {
  TimeoutError: ['rejitter', 170],
  permanent: ['rejitter', 600],
  HttpStatusError: ['rejitter/fetch', 310],
  retryAfterMs: ['rejitter/fetch', 910],
  rateLimitHint: ['rejitter/fetch', 1_750],
  isTransientError: ['rejitter', 3_650],
  retry: ['rejitter', 10_600],
  createFetch: ['rejitter/fetch', 18_100],
};

const PRODUCTION = { 'process.env.NODE_ENV': '"production"' };

const esbuild = (dir, define) => bundled(dir, { entry: 'app.mjs', platform: 'browser', target: 'es2022', define });

/** Rollup alone neither minifies nor sets variables, which a plugin does. */
async function rolledUp(dir, define = {}) {
  const replaced = (code) => Object.entries(define).reduce((text, [name, value]) => text.replaceAll(name, value), code);
  const plugins = [nodeResolve({ browser: true }), { name: 'replace', transform: replaced }];
  const bundle = await rollup({ input: join(dir, 'app.mjs'), plugins, onLog() {} });
  const { output } = await bundle.generate({ format: 'es' });
  // As plugins that minify do, it may drop what no statement of the one module uses.
  const minified = { minify: true, treeShaking: true, format: /** @type {const} */ ('esm'), target: 'es2022' };
  return (await transform(output[0].code, minified)).code;
}

async function byVite(dir) {
  const build = { write: false, modulePreload: false, rollupOptions: { input: join(dir, 'app.mjs') } };
  const { output } = await viteBuild({ root: dir, configFile: false, logLevel: 'silent', build });
  return output[0].code;
}

const byWebpack = (dir) =>
  new Promise((done, fail) => {
    const output = { path: dir, filename: 'out.js' };
    const options = { context: dir, entry: './app.mjs', mode: 'production', target: 'web', output, performance: false };
    webpack(options, (error, stats) =>
      error || stats?.hasErrors()
        ? fail(error ?? new Error(stats.toString()))
        : done(readFileSync(join(dir, 'out.js'), 'utf8')),
    );
  });

const { platform, arch } = process;
const BUN = createRequire(createRequire(import.meta.url).resolve('bun/package.json')).resolve(
  `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`,
);

function byBun(dir, define = {}) {
  const variables = Object.entries(define).flatMap(([name, value]) => ['--define', `${name}=${value}`]);
  const args = ['build', 'app.mjs', '--minify', '--target=browser', '--outfile=out.js', ...variables];
  // Vite has set it in this process.
  execFileSync(BUN, args, { cwd: dir, stdio: 'pipe', env: { ...process.env, NODE_ENV: undefined } });
  return readFileSync(join(dir, 'out.js'), 'utf8');
}

/** For production; then, of those that do not set `NODE_ENV` themselves, without it. */
const BUNDLERS = {
  esbuild: (dir) => esbuild(dir, PRODUCTION),
  Rollup: (dir) => rolledUp(dir, PRODUCTION),
  'Rolldown (Vite)': byVite,
  webpack: byWebpack,
  Bun: (dir) => byBun(dir, PRODUCTION),
};
const UNSET = { 'Rollup, unset': (dir) => rolledUp(dir), 'Bun, unset': (dir) => byBun(dir) };
const COLUMNS = { ...BUNDLERS, ...UNSET };

const rows = [];
for (const [name, [entry, limit]] of Object.entries(EXPORTS))
  test(`${name} alone weighs what it needs, in each bundler`, async () => {
    const dir = project('export', { 'app.mjs': `import { ${name} } from '${entry}';\nconsole.log(${name});\n` });
    const sizes = {};
    for (const [bundler, build] of Object.entries(COLUMNS))
      sizes[bundler] = weigh(Buffer.from(await build(dir))).brotli;
    rows.push([name, ...Object.values(sizes)]);
    for (const bundler of Object.keys(BUNDLERS)) assert.ok(sizes[bundler] <= limit, `${bundler}: ${sizes[bundler]} B`);
    // Nor is the limit so wide that what comes back would not be seen.
    assert.ok(Math.max(...Object.values(sizes)) > 0.8 * limit, JSON.stringify(sizes));
  });

const PAGE = join(repo, 'docs/benchmarks.md');
const TABLE = /^\| one export \|[^]*?\n\n/m;
const kB = (bytes) => (bytes / 1000).toFixed(2);

test('docs/benchmarks.md has the table', () => {
  const lines = [
    ['one export', ...Object.keys(COLUMNS)],
    ['---', ...Object.keys(COLUMNS).map(() => '---:')],
    ...rows.map(([name, ...sizes]) => [`\`${name}\``, ...sizes.map(kB)]),
  ];
  const table = `${lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}\n`;
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.REJITTER_WRITE_SIZES)
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => table),
    );
  const numbers = (text) => text.split('\n').map((line) => line.split('|').map((cell) => Number(cell) || cell.trim()));
  const stated = numbers(TABLE.exec(readFileSync(PAGE, 'utf8'))?.[0] ?? '');
  for (const [i, cells] of numbers(table).entries())
    for (const [j, cell] of cells.entries()) {
      const there = stated[i]?.[j];
      if (typeof cell === 'number')
        assert.ok(Math.abs(Number(there) - cell) <= 0.1, `${cells[1]}: ${there} for ${cell}`);
      else assert.equal(there, cell);
    }
});
