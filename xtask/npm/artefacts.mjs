// All that the build makes of src/: wasm files, JavaScript of them, and the entry points in a form per host.

/** Scripts with packages that the set-up installs. */
const ofCore = async (code, alone) => (await import('./javascript.mjs')).moduleOf(code, alone);
const ofMachines = async (code) => (await import('./machines.mjs')).machinesOf(code);

/**
 * The thin wasm files, of numeric functions, each with the Cargo feature that exports these, and what makes a module of
 * what wasm2js writes.
 */
export const THIN = {
  // The decisions: as wasm, and as functions of numbers that are made at the first call.
  core: { title: 'thin wasm', feature: 'driver', moduleOf: (code) => ofCore(code, false) },
  // The waits of rejitter/light, as JavaScript alone: each function by itself.
  light: { title: 'waits of light', feature: 'light-exports', moduleOf: (code) => ofCore(code, true) },
  // The machines of protection, as JavaScript alone: functions of arrays, the addresses of states.
  machines: { title: 'machines', feature: 'protection-exports', moduleOf: ofMachines },
};

/** The file of the lab, with wasm-bindgen's glue: the crate, and the feature that exports its functions. */
export const LAB = { title: 'lab wasm', crate: 'rejitter-lab', feature: 'exports' };

/** One name per subpath; each has a module in src/js/entries and a `name.d.ts`. */
export const ENTRIES = [
  ...['index', 'light', 'light-fetch', 'fetch', 'protection', 'presets', 'data', 'lab', 'testing', 'engines', 'otel'],
  'reconnect',
];

/** Entries import another one in this form. */
const OF_BROWSERS = { './index.js': './index.browser.js' };

/**
 * Forms of entry points, by what stands between the name and the `.js`: the entries that have one, and the modules that
 * they are made of instead of others. The testing tools are the same for all hosts.
 */
export const FORMS = {
  '': { entries: ENTRIES, instead: { '/wasm/core.js': '/wasm/core-inline.js' } },
  browser: {
    entries: ['index', 'fetch', 'protection', 'data', 'reconnect'],
    instead: {
      ...OF_BROWSERS,
      '/wasm/core.js': '/wasm/core-javascript.js',
      '/options/long.js': '/options/long-browser.js',
    },
  },
  workerd: { entries: ['lab'], instead: { ...OF_BROWSERS, '/wasm/lab-inline.js': '/wasm/lab-workerd.js' } },
  'edge-light': { entries: ['lab'], instead: { ...OF_BROWSERS, '/wasm/lab-inline.js': '/wasm/lab-edge-light.js' } },
};

/** The modules that an entry point is made of instead of others. */
export const insteadIn = (file) => Object.entries(FORMS[file.split('.').at(-2) ?? '']?.instead ?? FORMS[''].instead);

/**
 * The entry point that another one shares an instance with. Those of the testing tools, of engines and of
 * OpenTelemetry keep no state of operations, and work with the package of any host. The light ones have all that they
 * need, so that nothing else is loaded.
 */
export function mainOf(file) {
  if (file === 'light-fetch.js') return 'light.js';
  if (/^(index|light|presets|testing|engines|otel)\./.test(file)) return undefined;
  return /^\w+\.js$/.test(file) ? 'index.js' : 'index.browser.js';
}
