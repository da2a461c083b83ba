// React Native: Metro bundles the suite with React Native's own polyfills, Hermes and Node run it. Timers and the
// module that sends requests are native code, which has stand-ins here.

import { answerTo } from '../origin.mjs';
import { ONE_INSTANCE, printedBy, row } from '../row.mjs';
import { PRINT } from '../suite.mjs';
import { blocks, documents } from '../../../package/lib/readers.mjs';
import { MADE } from './apps.mjs';
import { failing } from './failing.mjs';

const METRO = (exports_) => ({
  'metro.config.js': `
const { getDefaultConfig } = require('metro-config');
module.exports = (async () => {
  const config = await getDefaultConfig(__dirname);
  config.transformer.babelTransformerPath = require.resolve('@react-native/metro-babel-transformer');
  config.resolver.unstable_enablePackageExports = ${exports_};
  config.resolver.unstable_conditionNames = ['react-native'];
  config.resolver.resolverMainFields = ['react-native', 'browser', 'main'];
  config.resolver.sourceExts = ['js', 'json', 'mjs', 'cjs'];
  return config;
})();
`,
  'babel.config.js': "module.exports = { presets: ['@react-native/babel-preset'] };\n",
  'host.cjs': NODE_HOST,
});
/** The one program of a page of the guide. */
const programOf = (page) => blocks(documents.get(`docs/guide/${page}.md`))[0].code;

const SET_UP = "import 'react-native/Libraries/Core/setUpXHR';\n";
const BUILD = 'metro build index.js --out out --platform android --dev false --reset-cache';

/** The native module that sends requests, by the functions `send` and `abort` of a host. */
const MODULES = `
globalThis.RN$Bridgeless = true;
globalThis.nativeModuleProxy = {
  PlatformConstants: { getConstants: function () { return {}; } },
  Networking: {
    addListener: function () {},
    removeListeners: function () {},
    abortRequest: function (id) { abort(id); },
    sendRequest: function (method, url, id, headers, data) {
      function emit(name, args) { globalThis.__rctDeviceEventEmitter.emit(name, [id].concat(args)); }
      send(id, url, function (status, headers, base64) {
        emit('didReceiveNetworkResponse', [status, headers, url]);
        emit('didReceiveNetworkData', [base64]);
        emit('didCompleteNetworkResponse', ['']);
      }, function (message) { emit('didCompleteNetworkResponse', [message]); }, method, data && data.string);
    },
  },
};
`;

/**
 * Hermes' own `setTimeout` does not wait. Here each of its turns runs the timer that is due first, and the clock says
 * that timer's time. The last two functions are in Hermes since versions that npm does not have.
 */
const HERMES_HOST = `
var requests = {}, enqueue = setTimeout, time = 0, ids = 0, timers = [];
function turn() {
  timers.sort(function (a, b) { return a.at - b.at || a.id - b.id; });
  var next = timers.shift();
  if (next) { time = next.at; next.run(); }
}
globalThis.setTimeout = function (run, ms) {
  timers.push({ id: ids += 1, at: time + Math.max(1, ms || 0), run: run });
  enqueue(turn);
  return ids;
};
globalThis.clearTimeout = function (id) { timers = timers.filter(function (timer) { return timer.id !== id; }); };
globalThis.performance = { now: function () { return time; } };
Date.now = function () { return time; };
globalThis.console = { log: print, warn: print, error: print, assert: function () {} };
${answerTo}
function abort() {}
function send(id, url, respond, fail) {
  requests[url] = (requests[url] || 0) + 1;
  var answer = answerTo(url.replace(/^http:..[^/]*/, ''), requests[url]);
  if (answer === 'silent') return;
  setTimeout(function () {
    if (answer === 'closed') fail('unexpected end of stream');
    else respond(answer.status, answer.headers, answer.text === 'request 1' ? 'cmVxdWVzdCAx' : 'cmVxdWVzdCAy');
  }, 1);
}
globalThis.AggregateError = (function () {
  function AggregateError(errors, message) { this.errors = errors; this.message = message; }
  AggregateError.prototype = Object.create(Error.prototype);
  return AggregateError;
})();
Array.prototype.at = function (n) { return this[n < 0 ? this.length + n : n]; };
`;

/** A context of Node has the language, and nothing of the web. */
const NODE_HOST = `
const { readFileSync } = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const { createContext, runInContext } = require('node:vm');
const running = new Map();
const abort = (id) => running.get(id)?.destroy();
const send = (id, url, respond, fail, method, body) => {
  const { request } = url.startsWith('https:') ? https : http;
  const sent = request(url, { method, agent: false }, async (response) => {
    const chunks = await response.toArray();
    respond(response.statusCode, response.headers, Buffer.concat(chunks).toString('base64'));
  });
  sent.on('error', (error) => fail(error.message)).end(body);
  running.set(id, sent);
};
const later = (run, ms) => Number(setTimeout(run, ms));
const context = createContext({ abort, send, console, performance, setTimeout: later, clearTimeout });
runInContext(readFileSync('all.js', 'utf8'), context);
`;

const FOLDERS = { darwin: 'osx-bin', linux: 'linux64-bin' };
const ON_HERMES = `node_modules/hermes-engine-cli/${FOLDERS[process.platform]}/hermes -w -Xmicrotask-queue all.js`;

const native = (name, remark, { exports_ = true, before = '', run = ON_HERMES } = {}) => {
  const parts = 'abcfghi';
  return row(name, {
    ...ONE_INSTANCE,
    parts,
    remark,
    files: (folder) => ({
      ...METRO(exports_),
      'index.js': `${SET_UP}${folder.suite({ parts, dependency: true })}${PRINT}`,
    }),
    build: BUILD,
    results(folder) {
      folder.write({ 'all.js': before + MODULES + folder.read('out.js') });
      return printedBy(run)(folder);
    },
  });
};

/** The program of the page about React Native; its server is busy at first. */
const guide = (name, { before = '', run = ON_HERMES }) =>
  row(name, {
    parts: 'c',
    remark: 'It prints the status of an answer that came after a retry.',
    files: ({ origin }) => ({
      ...METRO(true),
      'index.js': SET_UP + programOf('react-native').replace('https://example.com/prices', `${origin}/flaky/guide`),
    }),
    build: BUILD,
    async results(folder) {
      folder.write({ 'all.js': before + MODULES + folder.read('out.js') });
      const printed = (await folder.exec(run)).trim();
      return { c: printed === '200' ? 'ok' : printed };
    },
  });

const SCRIPTED = 'A script answers the requests and fires the timers: the `hermes` program has neither.';

export const HERMES = {
  name: 'React Native',
  versions:
    'React Native 0.86.3 with its own `fetch`, `XMLHttpRequest` and `AbortController` (no `reason`, no ' +
    '`DOMException`); the native module under them is a stand-in.',
  further:
    'Metro 0.84.6 bundles; a CommonJS dependency of the app shares its instance. Hermes 0.12.0 runs, the newest that ' +
    'npm has as a program, with `AggregateError` and ' +
    "`Array.prototype.at` of newer versions added; and V8, in a context of Node 24 without Node's globals. The lab " +
    'needs WebAssembly, which Hermes does not have. React Native has no `crypto`: ' +
    "`idempotencyKey: 'auto'` needs a polyfill, or pass a function that returns the key.",
  packages: {
    '@babel/core': '7.28.6',
    '@react-native/babel-preset': '0.86.3',
    '@react-native/metro-babel-transformer': '0.86.3',
    'hermes-engine-cli': '0.12.0',
    metro: '0.84.6',
    'metro-config': '0.84.6',
    react: '19.2.3',
    'react-native': '0.86.3',
  },
  rows: [
    failing('React Native', {
      only: MADE,
      // It has no AbortSignal.timeout. All failures but a timeout of its own are `Network request failed`.
      mute: ['a timeout', 'a certificate that signed itself'],
      files: { ...METRO(true), 'index.js': `${SET_UP}import { suite } from './suite.mjs';\n${PRINT}` },
      build: BUILD,
      async results(folder) {
        folder.write({ 'all.js': MODULES + folder.read('out.js') });
        return [await printedBy('node host.cjs')(folder)];
      },
    }),
    guide('Hermes, program of the guide', { before: HERMES_HOST }),
    guide('V8, program of the guide', { run: 'node host.cjs' }),
    native('Metro and Hermes', SCRIPTED, { before: HERMES_HOST }),
    native('Metro and Hermes, without package exports', SCRIPTED, { before: HERMES_HOST, exports_: false }),
    native('Metro and V8', 'Requests go over sockets.', { run: 'node host.cjs' }),
  ],
};
