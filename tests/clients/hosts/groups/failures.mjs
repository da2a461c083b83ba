// Failures of fetch, of each host that has it.

import { inFolder, titleOf } from '../browser.mjs';
import { edge, workerd } from './engines.mjs';
import { PRINTS, failing, inOneWorld, once, program } from './failing.mjs';

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

export const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
export const HTML = '<!doctype html><title>failures</title><script type="module" src="page.js"></script>\n';
const page = (browser) =>
  failing(titleOf(browser), {
    browser,
    hides: true,
    mute: MUTE_IN_BROWSERS[browser],
    ...inOneWorld({
      files: { 'page.mjs': PAGE, 'out/index.html': HTML },
      build: 'esbuild page.mjs --bundle --format=esm --outfile=out/page.js',
      results: inFolder('out', browser),
    }),
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
    failing('workerd', { mute: MUTE_IN_WORKERD, ...inOneWorld(workerd('2026-06-01')) }),
    failing('edge-runtime', inOneWorld(edge())),
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
