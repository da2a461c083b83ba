// Failures of fetch in apps, whose own fetch stands over native code. That code is not here: Node or Chromium sends the
// requests, and the failures have the words of the native code.

import { until } from '../../../package/lib/until.mjs';
import { ALL, visit } from '../../lib/browsers.mjs';
import { serveFolder } from '../browser.mjs';
import { PRINTS, failing, once } from './failing.mjs';
import { HTML, PAGE } from './failures.mjs';

/** What each of them can meet. */
export const MADE = [
  ...['refused', 'an unknown host', 'closed before an answer', 'reset before an answer', 'no HTTP', 'a timeout'],
  ...['status 408, then closed', 'a certificate that signed itself', 'an abort during the request'],
];

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
/** Expo alone, without what it depends on. */
export const EXPO = {
  name: 'Failures of fetch in Expo',
  versions: 'The JavaScript of expo 58.0.26; the native module under it is a stand-in that says what OkHttp says.',
  async install(folder) {
    await folder.install({ esbuild: '0.28.2' });
    await folder.exec('npm pack --silent expo@58.0.26');
    await folder.exec('tar -xzf expo-58.0.26.tgz');
  },
  rows: [
    failing('Expo', {
      only: MADE,
      // Of a cancelled request it says the same, whoever cancelled it; light knows no words.
      mute: ['a timeout', 'an abort during the request'],
      files: {
        'main.mjs': `import './expo.mjs';\n${PRINTS}`,
        'expo.mjs': "import { fetch } from './fetch.mjs';\nglobalThis.fetch = fetch;\n",
        'native.mjs': EXPO_NATIVE,
      },
      build:
        'esbuild package/build/winter/fetch/fetch.js --bundle --platform=node --format=esm --outfile=fetch.mjs ' +
        '--alias:expo-modules-core=./native.mjs --external:react-native',
      results: once('node main.mjs'),
    }),
  ],
};

/** Answers what the plugin asks of Rust, where reqwest words all that happens before an answer alike. */
const TAURI_NATIVE = `
import http from 'node:http';
import https from 'node:https';
import { mockIPC } from '@tauri-apps/api/mocks';
import { fetch } from '@tauri-apps/plugin-http';
globalThis.window = globalThis;
const kept = [];
const keep = (resource) => kept.push(resource) - 1;
const send = (of) =>
  new Promise((done, reject) => {
    const { method, url, headers, data } = of.config;
    const { request } = url.startsWith('https:') ? https : http;
    of.request = request(url, { method, headers: Object.fromEntries(headers), agent: false }, async (answer) => {
      const bytes = [...Buffer.concat(await answer.toArray())];
      const entries = Object.entries(answer.headers);
      done({ status: answer.statusCode, statusText: '', url, headers: entries, rid: keep({ bytes }) });
    });
    of.request.on('error', () => {
      reject(of.isCancelled ? 'Request canceled' : 'error sending request for url (' + url + ')');
    });
    of.request.end(data ? Buffer.from(data) : undefined);
  });
const COMMANDS = {
  fetch: (_, { clientConfig }) => keep({ config: clientConfig }),
  fetch_send: send,
  fetch_cancel(of) {
    of.isCancelled = true;
    of.request?.destroy();
  },
  // The last byte says whether this is the end.
  fetch_read_body: ({ bytes }) => (bytes.length > 0 ? [...bytes.splice(0), 0] : [1]),
};
mockIPC((command, args) => COMMANDS[command.split('|')[1]](kept[args.rid], args));
globalThis.fetch = fetch;
`;

export const TAURI = {
  name: 'Failures of fetch in Tauri',
  packages: { '@tauri-apps/api': '2.12.5', '@tauri-apps/plugin-http': '2.7.0' },
  versions:
    'The JavaScript of @tauri-apps/plugin-http 2.7.0; the Rust under it is a stand-in that says what reqwest says, in ' +
    'strings, of which `isTransientError` knows none.',
  rows: [
    failing('Tauri', {
      only: MADE,
      // It rejects with strings, and words a certificate as all else.
      unasked: ['isTransientError'],
      mute: ['a timeout', 'an abort during the request', 'a certificate that signed itself'],
      files: { 'main.mjs': `import './tauri.mjs';\n${PRINTS}`, 'tauri.mjs': TAURI_NATIVE },
      results: once('node main.mjs'),
    }),
  ],
};

/** Rejects as `net.fetch` does: with an Error of Chromium's word, which pages are not told. */
const NET_FETCH = `const { fetch } = globalThis;
globalThis.fetch = async (...args) => {
  try {
    return await fetch(...args);
  } catch (error) {
    throw error.message === 'Failed to fetch' ? new Error(await wordOf()) : error;
  }
};
`;

export const ELECTRON = {
  name: 'Failures of fetch in Electron',
  packages: { esbuild: '0.28.2' },
  versions:
    'What `net.fetch` of Electron 45 rejects with, an Error of the word that Chromium has for a failure; the words are ' +
    "those of the tests' Chromium, since Electron's program is in no package of npm.",
  rows: [
    failing('Electron', {
      browser: 'Chromium',
      only: [
        ...MADE,
        ...['an invalid header', 'two lengths', 'HTTP at a port of TLS'],
        ...['closed instead of TLS', 'reset instead of TLS', 'a redirect to a refused connection'],
        ...['headers that are too large', 'TLS at a port of HTTP', 'no shared cipher', 'redirects without end'],
        'a forbidden port',
      ],
      files: { 'page.mjs': `import './net.mjs';\n${PAGE}`, 'net.mjs': NET_FETCH, 'out/index.html': HTML },
      build: 'esbuild page.mjs --bundle --format=esm --outfile=out/page.js',
      async results(folder) {
        const { page, close } = await ALL.Chromium();
        folder.closing(close);
        const words = [];
        page.on('requestfailed', (request) => words.push(request.failure().errorText));
        await page.exposeFunction('wordOf', () => until('Chromium says why', () => words.pop()));
        const { results } = await visit(page, await serveFolder(folder, 'out'));
        return [results];
      },
    }),
  ],
};
