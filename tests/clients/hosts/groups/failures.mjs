// Failures of fetch: each made for real on each host, at servers of this process. The four that decide about an error
// agree about each, and the servers count the requests.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { EdgeVM } from '@edge-runtime/vm';

import { serveFailures } from '../../../package/engine/failures/servers.mjs';
import { inFolder, titleOf } from '../browser.mjs';
import { differences } from '../cells.mjs';
import { printedBy } from '../row.mjs';
import { MARK } from '../suite.mjs';

const TESTS = new URL('../../../', import.meta.url);
const SHARED = ['package/engine/failures/fetches.mjs', 'package/engine/failures/rows.mjs', 'vectors/failures.json'];
const shared = () =>
  Object.fromEntries(SHARED.map((path) => [basename(path), readFileSync(new URL(path, TESTS), 'utf8')]));

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

/** The module that makes all failures on a host. The rows of failures.json need no server. */
const suiteOf = (url, { mute, hides, only }) => `
import { isProgrammingError, isTransientError } from 'rejitter';
import { createFetch } from 'rejitter/fetch';
import { createFetch as light } from 'rejitter/light/fetch';
import { compare } from './fetches.mjs';
import { misjudged } from './rows.mjs';
// A POST, which nobody answers from memory.
const ask = async (path) => (await fetch('${url}' + path, { method: 'POST' })).json();
const take = (what) => ask('/take?what=' + encodeURIComponent(what));
const mute = ${JSON.stringify(mute)};
const isMute = ({ what, is }) => (${hides} && is === 'stays') || mute.includes(what);
const only = ${JSON.stringify(only)};
const isWanted = ({ what }) => only === null || only.includes(what);
export async function suite() {
  const deciders = { createFetch, light, isTransientError, isProgrammingError };
  const failures = (await ask('/failures')).filter(isWanted);
  const { wrong, cells, said } = await compare(deciders, { failures, take, isMute });
  const { real, made } = ${JSON.stringify(JSON.parse(shared()['failures.json']))};
  wrong.push(...(await misjudged(deciders, [...real, ...made])));
  return { c: wrong.join('; ') || 'ok', cells, said };
}
`;

/**
 * A host, which has a column of the table.
 * @param {string} host
 * @param {{ mute?: string[], hides?: boolean, only?: string[], files?: object, build?: string, browser?: string,
 *   daily?: boolean, results: (folder: any) => Promise<any> }} options
 *   failures that it does not tell apart from others, whether it tells of none why it failed, and the ones to make
 */
const failing = (host, { mute = [], hides = false, only = null, files = {}, build, results, ...more }) => ({
  name: `${host}, failures`,
  parts: 'c',
  column: host,
  ...more,
  async run(folder) {
    const { url, close } = await serveFailures();
    folder.closing(close);
    folder.write({ ...shared(), 'suite.mjs': suiteOf(url, { mute, hides, only }), ...files });
    if (build) await folder.exec(build);
    const { c, cells, said } = await results(folder);
    if (process.env.SHOW) console.log(said.join('\n'));
    const wrong = [...(c === 'ok' ? [] : [c]), ...differences(host, cells)];
    return { c: wrong.join('\n') || 'ok' };
  },
});

const MAIN = `import process from 'node:process';
import { suite } from './suite.mjs';
console.log('${MARK}' + JSON.stringify(await suite()));
process.exit();
`;
const program = (host, line, more) => failing(host, { files: { 'main.mjs': MAIN }, results: printedBy(line), ...more });

/** happy-dom as test runners install it: what it has takes the place of Node's. */
const HAPPY = `import { Window } from 'happy-dom';
const window = new Window({ url: 'http://127.0.0.1/', settings: { fetch: { disableSameOriginPolicy: true } } });
for (const name of ['fetch', 'Request', 'Response', 'Headers', 'AbortController', 'AbortSignal', 'ReadableStream'])
  globalThis[name] = name === 'fetch' ? window.fetch.bind(window) : window[name];
const { suite } = await import('./suite.mjs');
console.log('${MARK}' + JSON.stringify(await suite()));
process.exit();
`;

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

const PAGE = "import { suite } from './suite.mjs';\nglobalThis.results = suite();\n";
const HTML = '<!doctype html><title>failures</title><script type="module" src="page.js"></script>\n';
const page = (browser) =>
  failing(titleOf(browser), {
    browser,
    hides: true,
    mute: MUTE_IN_BROWSERS[browser],
    files: { 'page.mjs': PAGE, 'out/index.html': HTML },
    build: 'esbuild page.mjs --bundle --format=esm --outfile=out/page.js',
    results: inFolder('out', browser),
  });

/** Stands in for the native module under Expo's fetch: Node sends, and fails in the words of Android's OkHttp. */
const EXPO_NATIVE = `
import { EventEmitter } from 'node:events';
import http from 'node:http';
import https from 'node:https';
const wordsOf = ({ code, message }) => {
  if (code === 'ECONNREFUSED') return 'java.net.ConnectException: Failed to connect to /127.0.0.1:1';
  if (code === 'ENOTFOUND') return 'java.net.UnknownHostException: Unable to resolve host "x"';
  if (message === 'socket hang up') return 'java.io.IOException: unexpected end of stream on http://127.0.0.1:1/...';
  if (code === 'ECONNRESET') return 'java.net.SocketException: Connection reset';
  if (/^HPE_/.test(code)) return 'java.net.ProtocolException: Unexpected status line: SSH-2.0-OpenSSH';
  return 'javax.net.ssl.SSLHandshakeException: Trust anchor for certification path not found.';
};
class NativeResponse extends EventEmitter {
  text = async () => Buffer.concat(await this.answer.toArray()).toString();
  get status() { return this.answer.statusCode; }
  get _rawHeaders() { return Object.entries(this.answer.headers); }
}
class NativeRequest {
  constructor(response) { this.response = response; }
  start(url, { method, headers }, body) {
    return new Promise((done, reject) => {
      const { request } = url.startsWith('https:') ? https : http;
      this.request = request(url, { method, headers: Object.fromEntries(headers), agent: false }, (answer) => {
        this.response.answer = answer;
        done();
      });
      this.request.on('error', (error) => {
        reject(new Error(this.cancelled ? 'Fetch request has been canceled' : wordsOf(error)));
      });
      this.request.end(body ?? undefined);
    });
  }
  cancel() {
    this.cancelled = true;
    this.request.destroy();
  }
}
export const requireNativeModule = () => ({ NativeRequest, NativeResponse });
`;
const EXPO_MADE = [
  ...['refused', 'an unknown host', 'closed before an answer', 'reset before an answer', 'no HTTP', 'a timeout'],
  ...['status 408, then closed', 'a certificate that signed itself', 'an abort during the request'],
];

/** Expo alone, without what it depends on. */
export const FAILURES_IN_EXPO = {
  name: 'Failures of fetch in Expo',
  versions: 'The JavaScript of expo 58.0.26; the native module under it is a stand-in that says what OkHttp says.',
  async install(folder) {
    await folder.install({ esbuild: '0.28.2' });
    await folder.exec('npm pack --silent expo@58.0.26');
    await folder.exec('tar -xzf expo-58.0.26.tgz');
  },
  rows: [
    failing('Expo', {
      only: EXPO_MADE,
      // Of a cancelled request it says the same, whoever cancelled it; light knows no words.
      mute: ['a timeout', 'an abort during the request'],
      files: {
        'main.mjs': `import './expo.mjs';\n${MAIN}`,
        'expo.mjs': "import { fetch } from './fetch.mjs';\nglobalThis.fetch = fetch;\n",
        'native.mjs': EXPO_NATIVE,
      },
      build:
        'esbuild package/build/winter/fetch/fetch.js --bundle --platform=node --format=esm --outfile=fetch.mjs ' +
        '--alias:expo-modules-core=./native.mjs --external:react-native',
      results: printedBy('node main.mjs'),
    }),
  ],
};

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
    program('Bun', 'bun main.mjs', { daily: false, mute: MUTE_IN_BUN }),
    failing('workerd', {
      mute: MUTE_IN_WORKERD,
      files: { 'worker.mjs': WORKER, 'config.capnp': CONFIG },
      build: 'esbuild worker.mjs --bundle --format=esm --conditions=workerd --outfile=out/worker.js',
      async results(folder) {
        const port = await folder.serve('workerd serve config.capnp --control-fd=1', /"event":"listen".*"port":(\d+)/);
        return (await fetch(`http://127.0.0.1:${port}/`)).json();
      },
    }),
    failing('edge-runtime', {
      files: { 'main.mjs': "export { suite } from './suite.mjs';\n" },
      build:
        'esbuild main.mjs --bundle --format=iife --global-name=bundle --conditions=edge-light --outfile=out/edge.js',
      async results(folder) {
        const { context } = new EdgeVM({ initialCode: folder.read('out/edge.js') });
        return JSON.parse(JSON.stringify(await context.bundle.suite()));
      },
    }),
    failing('happy-dom', {
      mute: MUTE_IN_HAPPY_DOM,
      files: { 'main.mjs': HAPPY },
      results: printedBy('node@20 main.mjs'),
    }),
    ...['Chromium', 'Firefox', 'WebKit'].map(page),
  ],
};

/** Those that they do not. */
export const FAILURES_ELSEWHERE = {
  name: 'Failures of fetch, further hosts',
  packages: { deno: '2.9.6' },
  rows: [
    ...['22', '24', '26'].map((major) => program(`Node ${major}`, `node@${major} main.mjs`)),
    program('Deno', 'deno run -A --no-prompt main.mjs'),
  ],
};
