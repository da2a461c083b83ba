// React Native's tools: Metro bundles, Hermes runs.

import { PRINT, resultsIn } from '../suite.mjs';

const METRO = (exports_) => `
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
`;

/** React Native brings the first two lines. The others are in Hermes since versions that npm does not have. */
const BEFORE = `
globalThis.performance = { now: function () { return Date.now(); } };
globalThis.console = { log: print, warn: print };
globalThis.AggregateError = (function () {
  function AggregateError(errors, message) { this.errors = errors; this.message = message; }
  AggregateError.prototype = Object.create(Error.prototype);
  return AggregateError;
})();
Array.prototype.at = function (n) { return this[n < 0 ? this.length + n : n]; };
`;

const FOLDERS = { darwin: 'osx-bin', linux: 'linux64-bin' };

export const HERMES = {
  name: 'React Native',
  versions:
    'Metro 0.84.6 with @react-native/babel-preset 0.86.3 bundles, Hermes 0.12.0 runs: the newest that npm has as a ' +
    'program. `performance`, which React Native provides, and `AggregateError` and `Array.prototype.at`, which newer ' +
    'versions of Hermes have, are added.',
  packages: {
    '@babel/core': '7.28.6',
    '@react-native/babel-preset': '0.86.3',
    '@react-native/metro-babel-transformer': '0.86.3',
    'hermes-engine-cli': '0.12.0',
    metro: '0.84.6',
    'metro-config': '0.84.6',
  },
  rows: [true, false].map((exports_) => ({
    name: `Metro and Hermes${exports_ ? '' : ', without package exports'}`,
    parts: 'abf',
    remark: 'Hermes alone has no `fetch`, and no WebAssembly for the lab.',
    run: async (folder) => {
      folder.write({
        'metro.config.js': METRO(exports_),
        'babel.config.js': "module.exports = { presets: ['@react-native/babel-preset'] };\n",
        'index.js': folder.suite({ parts: 'abf' }) + PRINT,
      });
      const build = ['build', 'index.js', '--out', 'out', '--platform', 'android', '--dev', 'false', '--reset-cache'];
      await folder.exec('node', ['node_modules/metro/src/cli.js', ...build]);
      folder.write({ 'all.js': BEFORE + folder.read('out.js') });
      const hermes = folder.path('node_modules/hermes-engine-cli', FOLDERS[process.platform], 'hermes');
      return resultsIn(await folder.exec(hermes, ['-Xmicrotask-queue', 'all.js']));
    },
  })),
};
