// Workers and edge runtimes.

import { onEdge } from '../../lib/edge.mjs';
import { onWorkerd } from '../../lib/workerd.mjs';
import { answeredBy, printedBy, row } from '../row.mjs';
import { BUILT, PARTS, WITHOUT_LAB } from '../suite.mjs';

const REFUSED = { wasm: 'refused' };
/** A worker that answers with the results. */
const WORKER =
  "import { suite } from './suite.mjs';\nexport default { fetch: async () => Response.json(await suite()) };\n";

/** Runs a built worker and returns what its suite found. */
const inMiniflare = (root, file, path, options) => (folder) => {
  folder.write({
    'main.mjs': `
import { Miniflare } from 'miniflare';
const worker = new Miniflare({
  modules: true, modulesRoot: '${root}', scriptPath: '${root}/${file}', compatibilityDate: '2026-01-01', ${options}
  modulesRules: [{ type: 'ESModule', include: ['**/*.mjs'] }, { type: 'CompiledWasm', include: ['**/*.wasm'] }],
});
const response = await worker.dispatchFetch('http://localhost${path}');
console.log('SUITE ' + (await response.text()));
await worker.dispose();
`,
  });
  return printedBy('node main.mjs')(folder);
};

export const WORKERD = {
  name: 'workerd',
  versions: 'miniflare 4.20260730.0, bundled by esbuild 0.28.2 with the condition `workerd`.',
  packages: { esbuild: '0.28.2', miniflare: '4.20260730.0' },
  rows: [
    row('workerd (miniflare)', {
      expected: REFUSED,
      files: { 'worker.mjs': WORKER },
      build:
        'esbuild worker.mjs --bundle --format=esm --conditions=workerd --outfile=out/worker.mjs ' +
        '--loader:.wasm=copy --asset-names=[name]',
      results: inMiniflare('out', 'worker.mjs', '/', ''),
    }),
  ],
};

/** The engines of both alone, in the versions that the tests have. */
export const ENGINES_OF_EDGE = {
  name: 'Engines of workers and of the edge',
  versions: 'workerd 1.20261023.1, with the flags of these dates; @edge-runtime/vm 5.0.0; bundled by esbuild 0.28.2.',
  daily: true,
  rows: [
    ...['2025-01-01', '2026-01-01'].map((date) =>
      row(`workerd, ${date}`, {
        expected: REFUSED,
        results: async (folder) =>
          JSON.parse(
            await onWorkerd({ 'suite.mjs': folder.suite(), 'worker.mjs': WORKER }, { date, wasm: 'lab.wasm' }),
          ),
      }),
    ),
    row('edge-runtime, engine', {
      expected: REFUSED,
      files: { 'main.mjs': "export { suite } from './suite.mjs';\n" },
      results: async (folder) => JSON.parse(JSON.stringify(await (await onEdge(folder.dir)).exported.suite())),
    }),
  ],
};

const EVENTS = `import { suite } from './suite.mjs';
const answer = async () => new Response(JSON.stringify(await suite()));
addEventListener('fetch', (event) => event.respondWith(answer()));
`;

export const EDGE_RUNTIME = {
  name: 'edge-runtime',
  versions: 'edge-runtime 4.0.1, bundled by esbuild 0.28.2 with the condition `edge-light`.',
  packages: { 'edge-runtime': '4.0.1', esbuild: '0.28.2' },
  rows: [
    row('edge-runtime', {
      parts: WITHOUT_LAB,
      remark:
        'The lab imports its wasm file with `?module`, as Vercel and Next.js provide it; this runtime alone does not.',
      files: { 'worker.mjs': EVENTS },
      build: 'esbuild worker.mjs --bundle --conditions=edge-light --outfile=out.js',
      results: answeredBy(['edge-runtime --listen --port 0 out.js', /(http:\/\/\S+?:\d+)/]),
    }),
  ],
};

const ALL = Object.keys(PARTS).join('');
const NITRO_FILES = {
  'nitro.config.mjs': "export default { compatibilityDate: '2026-01-01', srcDir: 'server' };\n",
  'server/routes/index.mjs': `import { defineEventHandler } from 'h3';
import { suite } from '../../suite.mjs';
export default defineEventHandler(() => suite());
`,
};

/** Nitro alone: Nuxt builds its server with it. */
const nitro = (preset, { parts = WITHOUT_LAB, ...more } = {}) =>
  row(`Nitro, ${preset}`, {
    parts,
    files: NITRO_FILES,
    build: `nitropack build --preset ${preset}`,
    results: () => Object.fromEntries([...parts].map((part) => [part, BUILT])),
    ...more,
  });

/** Runs what Nitro built for Cloudflare. */
export const builtWorker = (path) =>
  inMiniflare('.output/server', 'index.mjs', path, "compatibilityFlags: ['nodejs_compat'],");

/** Starts what Nitro built for Node: the arguments of `serve`. */
export const BUILT_SERVER = [
  'node .output/server/index.mjs',
  /Listening on (http:\S+)/,
  { PORT: '0', HOST: '127.0.0.1' },
];

export const NITRO = {
  name: 'Nitro',
  versions:
    'nitropack 2.13.6, with which Nuxt builds its server; miniflare 4.20260730.0 runs what it builds for Cloudflare.',
  packages: { miniflare: '4.20260730.0', nitropack: '2.13.6' },
  rows: [
    nitro('node-server', { parts: ALL, results: answeredBy(BUILT_SERVER) }),
    nitro('cloudflare_module', { results: builtWorker('/'), remark: 'Without the lab, see the last row.' }),
    nitro('vercel_edge', { remark: 'Without the lab.' }),
    nitro('netlify_edge', { remark: 'Without the lab.' }),
    nitro('deno_deploy', { remark: 'Without the lab.' }),
    {
      ...nitro('cloudflare_module', { parts: ALL, rejected: /RollupError:[^\n]*/ }),
      name: 'Nitro, cloudflare_module, with the lab',
    },
  ],
};
