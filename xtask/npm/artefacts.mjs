// All that the build makes of src/: wasm files, JavaScript of them, and the entry points in a form per host.

/** Scripts with packages that the set-up installs. */
const ofCore = async (code) => (await import('./javascript.mjs')).moduleOf(code);
const ofMachines = async (code) => (await import('./machines.mjs')).machinesOf(code);

/**
 * The thin wasm files, of numeric functions, each with the Cargo feature that exports these, and what makes a module of
 * what wasm2js writes.
 */
export const THIN = {
  // The decisions: as wasm, and as functions of numbers.
  core: { title: 'thin wasm', feature: 'driver', moduleOf: ofCore },
  // The waits of rejitter/light, as JavaScript alone.
  light: { title: 'waits of light', feature: 'light-exports', moduleOf: ofCore },
  // The machines of protection, as JavaScript alone: functions of arrays, the addresses of states.
  machines: { title: 'machines', feature: 'protection-exports', moduleOf: ofMachines },
};

/** One name per subpath; each has a module in src/js/entries and a `name.d.ts`. */
export const ENTRIES = [
  ...['index', 'light', 'light-fetch', 'fetch', 'protection', 'presets', 'data', 'testing', 'engines', 'otel'],
  'reconnect',
];

/** Entries with a form for Node, to decide by wasm or to share an instance, or to be compiled at once (eager.mjs). */
const IN_NODE = ['index', 'light', 'light-fetch', 'fetch', 'protection', 'data', 'reconnect'];

/**
 * Forms of entry points, by what stands between the name and the `.js`: the entries that have one, and the modules that
 * they are made of instead of others. Every host can run the first.
 */
export const FORMS = {
  '': {
    entries: ENTRIES,
    instead: { '/wasm/core.js': '/wasm/core-javascript.js', '/options/long.js': '/options/long-development.js' },
  },
  node: {
    entries: IN_NODE,
    instead: { './index.js': './index.node.js', '/wasm/core.js': '/wasm/core-inline.js' },
  },
};

/** The modules that an entry point is made of instead of others. */
export const insteadIn = (file) => Object.entries(FORMS[file.split('.').at(-2) ?? '']?.instead ?? FORMS[''].instead);

/**
 * The entry point that another one shares an instance with. Those of the testing tools, of engines and of
 * OpenTelemetry keep no state of operations, and work with the package of any host. The light ones have all that they
 * need, so that nothing else is loaded.
 */
export function mainOf(file) {
  if (file.startsWith('light-fetch.')) return file.replace('light-fetch', 'light');
  if (/^(index|light|presets|testing|engines|otel)\./.test(file)) return undefined;
  return file.includes('.node.') ? 'index.node.js' : 'index.js';
}

/** The module of src/js/entries that lists what a main entry point shares with the others. @param {string} main */
export const sharedOf = (main) => (main.startsWith('light.') ? 'light-shared.js' : 'shared.js');

/** The subpath under which a name of {@link ENTRIES} is imported. */
const subpathOf = (entry) => ({ index: '.', 'light-fetch': './light/fetch' })[entry] ?? `./${entry}`;

/**
 * The conditions of an entry, of which a host takes the first that it knows. `import` and `require` share an instance
 * where both know `bun`, `module` or `module-sync`; so `bun` precedes `require`, and `module` precedes `module-sync`.
 * Jest and old tools know none of them: CommonJS has one form.
 * @param {string} entry
 */
function conditionsOf(entry) {
  const [module, require, node] = [`./${entry}.js`, `./${entry}.cjs`, `./${entry}.node.js`];
  const formsOf = (esm) => ({ module: esm, 'module-sync': esm, require, default: esm });
  const inNode = IN_NODE.includes(entry);
  return {
    types: { require: `./${entry}.d.cts`, default: `./${entry}.d.ts` },
    bun: inNode ? node : module,
    ...(inNode && { node: formsOf(node) }),
    // Metro translates ES modules: both ways to import are one instance.
    'react-native': module,
    ...formsOf(module),
  };
}

/** The manifest's `exports`. */
export const EXPORTS = {
  ...Object.fromEntries(ENTRIES.map((entry) => [subpathOf(entry), conditionsOf(entry)])),
  './package.json': './package.json',
};

/** `rejitter-lab`: the file with wasm-bindgen's glue, and the forms of its one entry point. */
export const LAB = {
  title: 'lab wasm',
  crate: 'rejitter-lab',
  feature: 'exports',
  /** What compiles the wasm, by form: the bytes as text, in a file beside it, or as a module that the host compiles. */
  forms: {
    'index.js': 'inline',
    'index.cjs': 'file',
    'index.workerd.js': 'workerd',
    'index.edge-light.js': 'edge-light',
  },
  exports: {
    '.': {
      types: { require: './index.d.cts', default: './index.d.ts' },
      workerd: './index.workerd.js',
      // What is required there runs in Jest's environment of that name, which compiles.
      'edge-light': { require: './index.cjs', default: './index.edge-light.js' },
      bun: './index.js',
      'react-native': './index.js',
      module: './index.js',
      'module-sync': './index.js',
      require: './index.cjs',
      default: './index.js',
    },
    './package.json': './package.json',
  },
};
