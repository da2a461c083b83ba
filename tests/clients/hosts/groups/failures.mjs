// Failures of fetch, of each host that has it.

import { EdgeVM } from '@edge-runtime/vm';

import { inFolder, titleOf } from '../browser.mjs';
import { PRINTS, failing, once, program } from './failing.mjs';

/** What these do not tell apart from failures that pass. */
const MUTE_IN_BUN = [
  ...['about:', 'blob: of nothing', 'a forbidden port', 'user and password in a URL'],
  'a body that is not compressed as it says',
];
const MUTE_IN_WORKERD = [
  ...['headers that are too large', 'TLS at a port of HTTP', 'a certificate that signed itself', 'no shared cipher'],
  ...['a redirect to an unknown scheme', 'a forbidden port', 'user and password in a URL'],
];
/** Firefox calls a reset an abort, WebKit each timeout. */
const MUTE_IN_BROWSERS = { Firefox: ['a body that is reset', 'a body without duplex'], WebKit: ['a timeout'] };
const MUTE_IN_HAPPY_DOM = [
  ...['headers that are too large', 'no shared cipher', 'redirects without end', 'a redirect that is an error'],
  ...['a forbidden port', 'a used body'],
];

/** happy-dom as test runners install it: what it has takes the place of Node's. */
const HAPPY = `import { Window } from 'happy-dom';
const window = new Window({ url: 'http://127.0.0.1/', settings: { fetch: { disableSameOriginPolicy: true } } });
for (const name of ['fetch', 'Request', 'Response', 'Headers', 'AbortController', 'AbortSignal', 'ReadableStream'])
  globalThis[name] = name === 'fetch' ? window.fetch.bind(window) : window[name];
${PRINTS}`;

const WORKER =
  "import { suite } from './suite.mjs';\nexport default { fetch: async () => Response.json(await suite()) };\n";
const CONFIG = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (
    allow = ["private", "public", "local"], tlsOptions = (trustBrowserCas = true)))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "out/worker.js")],
  compatibilityDate = "2026-06-01",
);
`;

export const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
export const HTML = '<!doctype html><title>failures</title><script type="module" src="page.js"></script>\n';
const page = (browser) =>
  failing(titleOf(browser), {
    browser,
    hides: true,
    mute: MUTE_IN_BROWSERS[browser],
    files: { 'page.mjs': PAGE, 'out/index.html': HTML },
    build: 'esbuild page.mjs --bundle --format=esm --outfile=out/page.js',
    results: async (folder) => [await inFolder('out', browser)(folder)],
  });

/** Hosts that the tests install. */
export const FAILURES = {
  name: 'Failures of fetch',
  versions: 'Versions as elsewhere on this page; workerd with the date 2026-06-01.',
  packages: {
    '@edge-runtime/vm': '5.0.0',
    bun: '1.4.5',
    esbuild: '0.28.2',
    'happy-dom': '20.14.6',
    workerd: '1.20261023.1',
  },
  daily: true,
  rows: [
    program('Node 20', 'node@20 main.mjs'),
    program('Bun', 'bun main.mjs', {
      daily: false,
      mute: MUTE_IN_BUN,
      worlds: { proxy: 'bun main.mjs' },
    }),
    failing('workerd', {
      mute: MUTE_IN_WORKERD,
      files: { 'worker.mjs': WORKER, 'config.capnp': CONFIG },
      build: 'esbuild worker.mjs --bundle --format=esm --conditions=workerd --outfile=out/worker.js',
      async results(folder) {
        const port = await folder.serve('workerd serve config.capnp --control-fd=1', /"event":"listen".*"port":(\d+)/);
        return [await (await fetch(`http://127.0.0.1:${port}/`)).json()];
      },
    }),
    failing('edge-runtime', {
      files: { 'main.mjs': "export { suite } from './suite.mjs';\n" },
      build:
        'esbuild main.mjs --bundle --format=iife --global-name=bundle --conditions=edge-light --outfile=out/edge.js',
      async results(folder) {
        const { context } = new EdgeVM({ initialCode: folder.read('out/edge.js') });
        return [JSON.parse(JSON.stringify(await context.bundle.suite()))];
      },
    }),
    failing('happy-dom', {
      mute: MUTE_IN_HAPPY_DOM,
      files: { 'main.mjs': HAPPY },
      results: once('node@20 main.mjs'),
    }),
    ...['Chromium', 'Firefox', 'WebKit'].map(page),
  ],
};

const ON_DENO = 'deno run -A --no-prompt';

/** Those that they do not. */
export const FAILURES_ELSEWHERE = {
  name: 'Failures of fetch, further hosts',
  packages: { deno: '2.9.6' },
  rows: [
    program('Node 22', 'node@22 main.mjs', { worlds: { proxy: 'node@22 main.mjs' } }),
    program('Node 24', 'node@24 main.mjs', { worlds: { proxy: 'node@24 main.mjs' } }),
    program('Node 26', 'node@26 main.mjs', {
      worlds: {
        ...{ proxy: 'node@26 main.mjs', 'HTTP/2': 'node@26 main.mjs' },
        'no-rights': 'node@26 --permission --allow-fs-read=* main.mjs',
      },
    }),
    program('Deno', `${ON_DENO} main.mjs`, {
      // It does not say the status.
      mute: ['a proxy answers CONNECT with 403'],
      worlds: {
        ...{ proxy: `${ON_DENO} main.mjs`, 'HTTP/2': `${ON_DENO} main.mjs` },
        'no-rights': `${ON_DENO} --deny-net main.mjs`,
      },
    }),
  ],
};
