/** Lighthouse on the built page: prints the median scores, and fails if one is below its bar. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';

const HELP = `npm run lighthouse [-- options]        (in www, after npm run build)

Measures www/dist as a web server with compression would serve it, once as a desktop and once as a phone.
Needs a Chromium: set CHROME_BIN or CHROME_PATH. Scores of performance depend on the machine: let nothing else run.

  --runs N     runs of each kind, of which the median counts; 3 by default
  --dist DIR   the built page
  --help       prints this
`;

/** The least score in each category. */
const BARS = { desktop: 100, mobile: 95 };
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.txt': 'text/plain',
};
/** How long the page itself takes, in ms; layout shift has no unit. */
const TIMES = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'];

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs must be a positive integer, got ${values.runs}`);

/** Each file is compressed once, as a web server does. */
const packed = new Map();
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const file = path.join(values.dist, path.normalize(pathname === '/' ? '/index.html' : pathname));
  const content = await readFile(file).catch(() => undefined);
  if (!content) return response.writeHead(404).end();
  const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
  // Files with a hash in their names never change.
  const headers = {
    'content-type': type,
    'cache-control': pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache',
  };
  if (!/^text\//.test(type)) return response.writeHead(200, headers).end(content);
  if (!packed.has(file))
    packed.set(file, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  response.writeHead(200, { ...headers, 'content-encoding': 'br' }).end(packed.get(file));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

const chrome = await launch({
  chromePath: process.env.CHROME_BIN ?? process.env.CHROME_PATH,
  chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'],
});
let isBelow = false;
try {
  for (const [kind, bar] of Object.entries(BARS)) {
    const results = [];
    for (let i = 0; i < runs; i++) {
      const { lhr } = await lighthouse(
        url,
        { port: chrome.port, onlyCategories: CATEGORIES, logLevel: 'error' },
        kind === 'desktop' ? desktopConfig : undefined,
      );
      if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
      results.push(lhr);
    }
    const scores = CATEGORIES.map((name) => [
      name,
      median(results.map(({ categories }) => Math.round(100 * categories[name].score))),
    ]);
    console.log(`${kind}: ${scores.map(([name, score]) => `${name} ${score}`).join(', ')}`);
    const times = TIMES.map((name) => median(results.map(({ audits }) => audits[name].numericValue)));
    console.log(`  ${TIMES.map((name, i) => `${name} ${Number(times[i].toFixed(3))}`).join(', ')}`);
    // Failed audits, once for all runs.
    const failed = results.flatMap(({ audits, categories }) =>
      CATEGORIES.flatMap((name) =>
        categories[name].auditRefs
          .filter(({ id, weight }) => weight > 0 && (audits[id].score ?? 1) < 0.9)
          .map(({ id }) => `${name}: ${audits[id].title} ${audits[id].displayValue ?? ''}`),
      ),
    );
    for (const text of new Set(failed)) console.log(`  ${text}`);
    isBelow ||= scores.some(([, score]) => score < bar);
  }
} finally {
  chrome.kill();
  server.close();
}
if (isBelow) {
  console.error(
    `A score is below its bar: ${Object.entries(BARS)
      .map(([kind, bar]) => `${kind} ${bar}`)
      .join(', ')}`,
  );
  process.exitCode = 1;
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
