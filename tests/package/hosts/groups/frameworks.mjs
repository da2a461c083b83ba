// Frameworks: the suite on their servers and on their pages.

import { inFolder, onPage } from '../browser.mjs';
import { answeredBy, row } from '../row.mjs';
import { WITHOUT_LAB } from '../suite.mjs';
import { BUILT_SERVER, builtWorker } from './edge.mjs';

/** The results in a page that a server rendered. */
const inHtml = (html) =>
  JSON.parse(
    /<pre id="results">(.*?)<\/pre>/s
      .exec(html)[1]
      .replaceAll('&quot;', '"')
      .replaceAll('&#x27;', "'")
      .replaceAll('&#39;', "'"),
  );

const NEXT_FILES = {
  // By itself it takes the folder of the outermost lock file: ours.
  'next.config.mjs': `export default {
  turbopack: { root: import.meta.dirname },
  // Next writes scripts into its pages. They may not evaluate text, nor compile WebAssembly.
  headers: async () => [
    { source: '/strict', headers: [{ key: 'content-security-policy', value: "script-src 'self' 'unsafe-inline'" }] },
  ],
};
`,
  'app/layout.jsx': 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n',
  'app/server/page.jsx': `import { suite } from '../../suite.mjs';
export const dynamic = 'force-dynamic';
export default async function Page() { return <pre id="results">{JSON.stringify(await suite())}</pre>; }
`,
  'app/edge/route.js': `import { suite } from '../../suite.mjs';
export const runtime = 'edge';
export async function GET() { return Response.json(await suite()); }
`,
  'app/node/route.js': `import { suite } from '../../suite.mjs';
export const dynamic = 'force-dynamic';
export async function GET() { return Response.json(await suite()); }
`,
  'app/client/page.jsx': `'use client';
import { useEffect } from 'react';
import { suite } from '../../suite.mjs';
export default function Page() {
  useEffect(() => { suite().then((results) => { globalThis.results = results; }); }, []);
  return <p>client</p>;
}
`,
  'app/strict/page.jsx': "'use client';\nexport { default } from '../client/page.jsx';\n",
  'middleware.js': `import { suite } from './suite.mjs';
export const config = { matcher: '/middleware' };
export async function middleware() { return Response.json(await suite()); }
`,
};

const NEXT_ENV = { NEXT_TELEMETRY_DISABLED: '1' };
const NEXT_SERVER = ['next start -p 0', /Local:\s+(http:\S+)/, NEXT_ENV];

export const NEXT = {
  name: 'Next.js',
  versions: 'Next.js 16.4.6, React 19.3.1, `next build` and `next start`.',
  async install(folder) {
    await folder.install({ next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' });
    folder.write({ 'suite.mjs': folder.suite(), ...NEXT_FILES });
    await folder.exec('next build', NEXT_ENV);
  },
  rows: [
    row('Next.js, server component', {
      results: async (folder) => inHtml(await (await fetch(`${await folder.serve(...NEXT_SERVER)}/server`)).text()),
    }),
    row('Next.js, route handler', { results: answeredBy(NEXT_SERVER, '/node') }),
    row('Next.js, edge route', { results: answeredBy(NEXT_SERVER, '/edge') }),
    row('Next.js, middleware', { results: answeredBy(NEXT_SERVER, '/middleware') }),
    row('Next.js, client component', {
      results: async (folder) => onPage(`${await folder.serve(...NEXT_SERVER)}/client`),
    }),
    row('Next.js, client component, CSP', {
      expected: { wasm: 'refused' },
      parts: WITHOUT_LAB,
      remark: 'The lab needs WebAssembly.',
      results: async (folder) => onPage(`${await folder.serve(...NEXT_SERVER)}/strict`),
    }),
  ],
};

const NUXT_FILES = {
  'nuxt.config.ts': "export default defineNuxtConfig({ compatibilityDate: '2026-01-01', telemetry: false });\n",
  'app/app.vue': `<script setup>
import { onMounted } from 'vue';
import { suite } from '../suite.mjs';
onMounted(async () => { globalThis.results = await suite(); });
</script>
<template><p>client</p></template>
`,
  'server/api/suite.get.ts':
    "import { suite } from '../../suite.mjs';\nexport default defineEventHandler(() => suite());\n",
};
const nuxt = (name, preset, more) =>
  row(`Nuxt, ${name}`, {
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
    nuxt('node-server, server route', 'node-server', { results: answeredBy(BUILT_SERVER, '/api/suite') }),
    // It takes the build of the row before.
    row('Nuxt, client', { results: async (folder) => onPage(await folder.serve(...BUILT_SERVER)) }),
    nuxt('cloudflare_module, server route', 'cloudflare_module', {
      parts: WITHOUT_LAB,
      remark: 'Without the lab: see Nitro.',
      results: builtWorker('/api/suite'),
    }),
  ],
};

const ASTRO_PAGE = `---
import { suite } from '../../suite.mjs';
const results = JSON.stringify(await suite());
---
<pre id="results">{results}</pre>
<script>
import { suite } from '../../suite.mjs';
globalThis.results = suite();
</script>
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

const ANGULAR_BUILD = {
  builder: '@angular/build:application',
  options: {
    browser: 'src/main.ts',
    index: 'src/index.html',
    outputPath: { base: 'out', browser: '' },
    tsConfig: 'tsconfig.json',
  },
};
const ANGULAR = {
  version: 1,
  projects: { app: { projectType: 'application', root: '', sourceRoot: 'src', architect: { build: ANGULAR_BUILD } } },
  cli: { analytics: false },
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
  'angular.json': JSON.stringify(ANGULAR),
  'tsconfig.json': `{
  "compilerOptions": {
    "allowJs": true, "module": "preserve", "moduleResolution": "bundler", "target": "es2022",
    "experimentalDecorators": true, "skipLibCheck": true
  },
  "files": ["src/main.ts"]
}`,
};

export const ANGULAR_GROUP = {
  name: 'Angular',
  versions: 'Angular 21.2.26, `@angular/build:application` 21.2.27.',
  packages: {
    ...Object.fromEntries(
      ['common', 'compiler', 'compiler-cli', 'core', 'platform-browser'].map((name) => [`@angular/${name}`, '21.2.26']),
    ),
    '@angular/build': '21.2.27',
    '@angular/cli': '21.2.27',
    rxjs: '7.8.2',
    tslib: '2.8.1',
    typescript: '5.9.3',
  },
  rows: [row('Angular', { files: ANGULAR_FILES, build: 'ng build app', results: inFolder('out') })],
};
