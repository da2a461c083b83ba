// Workers, edge runtimes and frameworks: the suite on their servers and on their pages.

import { inFolder, onPage } from '../browser.mjs';
import { ONE_INSTANCE, answeredBy, printedBy, row } from '../row.mjs';
import { MARK, PARTS, WITHOUT_LAB } from '../suite.mjs';
import { FOR_WORKERS, LAB, WORKER, edge, workerd } from './engines.mjs';

export const REFUSED = { wasm: 'refused' };
const ALL = Object.keys(PARTS).join('');
/** A module that hands the suite on, at some distance from it. */
export const using = (up, code) => `import { suite } from '${up}suite.mjs';\n${code}\n`;

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
console.log('${MARK}' + (await response.text()));
await worker.dispose();
`,
  });
  return printedBy('node main.mjs')(folder);
};

/** The page of a server in Chromium. */
export const pageOf =
  (server, path = '') =>
  async (folder) =>
    onPage((await folder.serve(...server)) + path);

/** The results in a page that a server rendered. */
export const inHtml = (html) => {
  const [, text] = /<pre id="results">(.*?)<\/pre>/s.exec(html);
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll(/&#(x27|39);/g, "'"));
};

export const WORKERD = {
  name: 'workerd',
  versions: 'miniflare 4.20260730.0, bundled by esbuild 0.28.2 with the condition `workerd`.',
  packages: { esbuild: '0.28.2', miniflare: '4.20260730.0' },
  rows: [
    row('workerd (miniflare)', {
      expected: REFUSED,
      files: { 'worker.mjs': WORKER },
      build: `${FOR_WORKERS} --outfile=out/worker.mjs`,
      results: inMiniflare('out', 'worker.mjs', '/', ''),
    }),
  ],
};

/** The engines of both alone, in the versions that the tests have. */
export const ENGINES_OF_EDGE = {
  name: 'Engines of workers and of the edge',
  versions: 'workerd 1.20261023.1, with the flags of these dates; @edge-runtime/vm 5.0.0; bundled by esbuild 0.28.2.',
  packages: { esbuild: '0.28.2', workerd: '1.20261023.1' },
  daily: true,
  rows: [
    ...['2025-01-01', '2026-01-01'].map((date) =>
      row(`workerd, ${date}`, { expected: REFUSED, ...workerd(date, LAB) }),
    ),
    row('edge-runtime, engine', {
      expected: REFUSED,
      ...edge((folder) => {
        // A context that compiles no code, neither text nor bytes. The host compiles what is imported with ?module when
        // it is deployed, and hands it in.
        const wasm = new WebAssembly.Module(folder.read('node_modules/rejitter-lab/lab.wasm', null));
        const extend = (context) => Object.assign(context, { require: () => wasm });
        return { codeGeneration: { strings: false, wasm: false }, extend };
      }),
    }),
  ],
};

const EVENTS = `const answer = async () => new Response(JSON.stringify(await suite()));
addEventListener('fetch', (event) => event.respondWith(answer()));`;

export const EDGE_RUNTIME = {
  name: 'edge-runtime',
  versions: 'edge-runtime 4.0.1, bundled by esbuild 0.28.2 with the condition `edge-light`.',
  packages: { 'edge-runtime': '4.0.1', esbuild: '0.28.2' },
  rows: [
    row('edge-runtime', {
      parts: WITHOUT_LAB,
      remark:
        'The lab imports its wasm file with `?module`, as Vercel and Next.js provide it; this runtime alone does not.',
      files: { 'worker.mjs': using('./', EVENTS) },
      build: 'esbuild worker.mjs --bundle --conditions=edge-light --outfile=out.js',
      results: answeredBy(['edge-runtime --listen --port 0 out.js', /(http:\/\/\S+?:\d+)/]),
    }),
  ],
};

const NITRO_FILES = {
  'nitro.config.mjs': "export default { compatibilityDate: '2026-01-01', srcDir: 'server' };\n",
  'server/routes/index.mjs': `import { defineEventHandler } from 'h3';
${using('../../', 'export default defineEventHandler(() => suite());')}`,
};

/** Nitro alone: Nuxt builds its server with it. */
const nitro = (preset, { parts = WITHOUT_LAB, remark = 'Without the lab.', ...more } = {}) =>
  row(`Nitro, ${preset}`, {
    parts,
    remark: parts === ALL ? undefined : remark,
    files: NITRO_FILES,
    build: `nitropack build --preset ${preset}`,
    results: () => ({}),
    ...more,
  });

/** Runs what Nitro built for Cloudflare, and for Node. */
const builtWorker = (path) =>
  inMiniflare('.output/server', 'index.mjs', path, "compatibilityFlags: ['nodejs_compat'],");
const BUILT_SERVER = ['node .output/server/index.mjs', /Listening on (http:\S+)/, { PORT: '0', HOST: '127.0.0.1' }];

export const NITRO = {
  name: 'Nitro',
  versions:
    'nitropack 2.13.6, with which Nuxt builds its server; miniflare 4.20260730.0 runs what it builds for Cloudflare.',
  packages: { miniflare: '4.20260730.0', nitropack: '2.13.6' },
  rows: [
    nitro('node-server', { parts: ALL, results: answeredBy(BUILT_SERVER) }),
    nitro('cloudflare_module', {
      ...ONE_INSTANCE,
      results: builtWorker('/'),
      remark: 'Without the lab, see the last row.',
    }),
    ...['vercel_edge', 'netlify_edge', 'deno_deploy'].map((preset) => nitro(preset, { built: true })),
    {
      ...nitro('cloudflare_module', { parts: ALL, rejected: /RollupError: .*lab\.wasm/ }),
      name: 'Nitro, cloudflare_module, with the lab',
      remark: '`RollupError: node_modules/rejitter-lab/lab.wasm`: it takes the file for JavaScript.',
    },
  ],
};

const NUXT_FILES = {
  'nuxt.config.ts': "export default defineNuxtConfig({ compatibilityDate: '2026-01-01', telemetry: false });\n",
  'app/app.vue': `<script setup>
import { onMounted } from 'vue';
${using('../', 'onMounted(async () => { globalThis.results = await suite(); });')}</script>
<template><p>client</p></template>
`,
  'server/api/suite.get.ts': using('../../', 'export default defineEventHandler(() => suite());'),
};
const nuxt = (preset, more) =>
  row(`Nuxt, ${preset}, server route`, {
    files: NUXT_FILES,
    build: `nuxt build --preset ${preset}`,
    env: { NUXT_TELEMETRY_DISABLED: '1' },
    ...more,
  });

export const NUXT = {
  name: 'Nuxt',
  versions: 'Nuxt 4.5.2; miniflare 4.20260730.0 runs what it builds for Cloudflare.',
  packages: { miniflare: '4.20260730.0', nuxt: '4.5.2' },
  rows: [
    nuxt('node-server', { results: answeredBy(BUILT_SERVER, '/api/suite') }),
    // It takes the build of the row before.
    row('Nuxt, client', { results: pageOf(BUILT_SERVER) }),
    nuxt('cloudflare_module', {
      parts: WITHOUT_LAB,
      remark: 'Without the lab: see Nitro.',
      results: builtWorker('/api/suite'),
    }),
  ],
};

const ASTRO_PAGE = `---
${using('../../', 'const results = JSON.stringify(await suite());')}---
<pre id="results">{results}</pre>
<script>
${using('../../', 'globalThis.results = suite();')}</script>
`;

export const ASTRO = {
  name: 'Astro',
  versions: 'Astro 7.3.5, static.',
  packages: { astro: '7.3.5' },
  rows: [
    row('Astro, rendered at build time', {
      files: { 'src/pages/index.astro': ASTRO_PAGE },
      build: 'astro build',
      env: { ASTRO_TELEMETRY_DISABLED: '1' },
      results: (folder) => inHtml(folder.read('dist/index.html')),
    }),
    row('Astro, script of the page', { results: inFolder('dist') }),
  ],
};

const ANGULAR_FILES = {
  'src/index.html': '<!doctype html><html><head><base href="/"></head><body><app-root></app-root></body></html>\n',
  'src/main.ts': `import { Component, provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { suite } from '../suite.mjs';
@Component({ selector: 'app-root', template: 'client' })
class App { constructor() { (globalThis as any).results = suite(); } }
bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
`,
  'angular.json': `{
  "version": 1, "cli": { "analytics": false },
  "projects": { "app": { "projectType": "application", "root": "", "sourceRoot": "src", "architect": { "build": {
    "builder": "@angular/build:application",
    "options": { "browser": "src/main.ts", "index": "src/index.html", "outputPath": { "base": "out", "browser": "" },
      "tsConfig": "tsconfig.json" }
  } } } }
}`,
  'tsconfig.json': `{
  "compilerOptions": {
    "allowJs": true, "module": "preserve", "moduleResolution": "bundler", "target": "es2022",
    "experimentalDecorators": true, "skipLibCheck": true
  },
  "files": ["src/main.ts"]
}`,
};
const ANGULAR_CORE = ['common', 'compiler', 'compiler-cli', 'core', 'platform-browser'];

export const ANGULAR = {
  name: 'Angular',
  versions:
    'Angular 21.2.26, `@angular/build:application` 21.2.27; a CommonJS dependency of the app shares its instance.',
  packages: {
    ...Object.fromEntries(ANGULAR_CORE.map((name) => [`@angular/${name}`, '21.2.26'])),
    ...{ '@angular/build': '21.2.27', '@angular/cli': '21.2.27' },
    ...{ rxjs: '7.8.2', tslib: '2.8.1', typescript: '5.9.3' },
  },
  rows: [row('Angular', { ...ONE_INSTANCE, files: ANGULAR_FILES, build: 'ng build app', results: inFolder('out') })],
};
