// Workers and edge runtimes.

import { BUILT, resultsIn } from '../suite.mjs';

/** A worker that answers with the results. */
const WORKER =
  "import { suite } from './suite.mjs';\nexport default { fetch: async () => Response.json(await suite()) };\n";

/** Runs a built worker and returns what its suite found. */
const inMiniflare = async (folder, root, file, path = '/', options = '') => {
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
  return resultsIn(await folder.exec('node', ['main.mjs']));
};

export const WORKERD = {
  name: 'workerd',
  versions: 'miniflare 4.20260730.0, bundled by esbuild 0.28.2 with the condition `workerd`.',
  packages: { esbuild: '0.28.2', miniflare: '4.20260730.0' },
  rows: [
    {
      name: 'workerd (miniflare)',
      async run(folder) {
        folder.write({ 'suite.mjs': folder.suite(), 'worker.mjs': WORKER });
        const form = ['--bundle', '--format=esm', '--conditions=workerd', '--outfile=out/worker.mjs'];
        const assets = ['--loader:.wasm=copy', '--asset-names=[name]'];
        await folder.exec(folder.bin('esbuild'), ['worker.mjs', ...form, ...assets]);
        return inMiniflare(folder, 'out', 'worker.mjs');
      },
    },
  ],
};

export const EDGE_RUNTIME = {
  name: 'edge-runtime',
  versions: 'edge-runtime 4.0.1, bundled by esbuild 0.28.2 with the condition `edge-light`.',
  packages: { 'edge-runtime': '4.0.1', esbuild: '0.28.2' },
  rows: [
    {
      name: 'edge-runtime',
      parts: 'abcefg',
      remark:
        'The lab imports its wasm file with `?module`, as Vercel and Next.js provide it; this runtime alone does not.',
      async run(folder) {
        folder.write({
          'suite.mjs': folder.suite({ parts: 'abcefg' }),
          'worker.mjs': `import { suite } from './suite.mjs';
const answer = async () => new Response(JSON.stringify(await suite()));
addEventListener('fetch', (event) => event.respondWith(answer()));
`,
        });
        const args = ['worker.mjs', '--bundle', '--conditions=edge-light', '--outfile=out.js'];
        await folder.exec(folder.bin('esbuild'), args);
        const [, url] = await folder.serve(
          folder.bin('edge-runtime'),
          ['--listen', '--port', '0', 'out.js'],
          /(http:\/\/\S+?:\d+)/,
        );
        return (await fetch(url)).json();
      },
    },
  ],
};

/** Nitro alone: Nuxt builds its server with it. */
const nitro = (preset, { parts = 'abcefg', ...more } = {}) => ({
  name: `Nitro, ${preset}`,
  parts,
  ...more,
  async run(folder) {
    folder.write({
      'suite.mjs': folder.suite({ parts }),
      'nitro.config.mjs': "export default { compatibilityDate: '2026-01-01', srcDir: 'server' };\n",
      'server/routes/index.mjs': `import { defineEventHandler } from 'h3';
import { suite } from '../../suite.mjs';
export default defineEventHandler(() => suite());
`,
    });
    await folder.exec(folder.bin('nitropack'), ['build', '--preset', preset]);
    return more.serve ? more.serve(folder) : Object.fromEntries([...parts].map((part) => [part, BUILT]));
  },
});

/** Runs what Nitro built for Cloudflare. */
export const builtWorker = (folder, path) =>
  inMiniflare(folder, '.output/server', 'index.mjs', path, "compatibilityFlags: ['nodejs_compat'],");

const onNode = async (folder) => {
  const ready = /Listening on (http:\S+)/;
  const [, url] = await folder.serve('node', ['.output/server/index.mjs'], ready, {
    env: { PORT: '0', HOST: '127.0.0.1' },
  });
  return (await fetch(url)).json();
};

export const NITRO = {
  name: 'Nitro',
  versions:
    'nitropack 2.13.6, with which Nuxt builds its server; miniflare 4.20260730.0 runs what it builds for Cloudflare.',
  packages: { miniflare: '4.20260730.0', nitropack: '2.13.6' },
  rows: [
    nitro('node-server', { parts: 'abcdefg', serve: onNode }),
    nitro('cloudflare_module', {
      serve: (folder) => builtWorker(folder, '/'),
      remark: 'Without the lab, see the last row.',
    }),
    nitro('vercel_edge', { remark: 'Without the lab.' }),
    nitro('netlify_edge', { remark: 'Without the lab.' }),
    nitro('deno_deploy', { remark: 'Without the lab.' }),
    {
      ...nitro('cloudflare_module', { parts: 'abcdefg' }),
      name: 'Nitro, cloudflare_module, with the lab',
      rejected: /RollupError:[^\n]*/,
    },
  ],
};
