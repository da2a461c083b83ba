// Frameworks: the suite on their servers and on their pages.

import { onPage, serveFolder } from '../browser.mjs';
import { builtWorker } from './edge.mjs';

/** The results in a page that a server rendered. */
const inHtml = (html) =>
  JSON.parse(
    /<pre id="results">(.*?)<\/pre>/s
      .exec(html)[1]
      .replaceAll('&quot;', '"')
      .replaceAll('&#x27;', "'")
      .replaceAll('&#39;', "'"),
  );
const get = async (url) => (await fetch(url)).text();

/** Starts the built app once for the rows of a group that run together. */
const NEXT_FILES = (folder) => ({
  'suite.mjs': folder.suite(),
  // By itself it takes the folder of the outermost lock file: ours.
  'next.config.mjs': 'export default { turbopack: { root: import.meta.dirname } };\n',
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
  'middleware.js': `import { suite } from './suite.mjs';
export const config = { matcher: '/middleware' };
export async function middleware() { return Response.json(await suite()); }
`,
});

const NEXT_ENV = { NEXT_TELEMETRY_DISABLED: '1' };
const nextUrl = async (folder) => {
  const [, url] = await folder.serve(folder.bin('next'), ['start', '-p', '0'], /Local:\s+(http:\S+)/, {
    env: NEXT_ENV,
  });
  return url;
};

export const NEXT = {
  name: 'Next.js',
  versions: 'Next.js 16.4.6, React 19.3.1, `next build` and `next start`.',
  async install(folder) {
    await folder.install({ next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' });
    folder.write(NEXT_FILES(folder));
    await folder.exec(folder.bin('next'), ['build'], { env: NEXT_ENV });
  },
  rows: [
    { name: 'Next.js, server component', run: async (folder) => inHtml(await get(`${await nextUrl(folder)}/server`)) },
    { name: 'Next.js, route handler', run: async (folder) => JSON.parse(await get(`${await nextUrl(folder)}/node`)) },
    { name: 'Next.js, edge route', run: async (folder) => JSON.parse(await get(`${await nextUrl(folder)}/edge`)) },
    {
      name: 'Next.js, middleware',
      run: async (folder) => JSON.parse(await get(`${await nextUrl(folder)}/middleware`)),
    },
    { name: 'Next.js, client component', run: async (folder) => onPage(`${await nextUrl(folder)}/client`) },
  ],
};

const NUXT_FILES = (folder, parts) => ({
  'suite.mjs': folder.suite({ parts }),
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
});
const nuxtBuild = async (folder, preset, parts) => {
  folder.write(NUXT_FILES(folder, parts));
  await folder.exec(folder.bin('nuxt'), ['build', '--preset', preset], { env: { NUXT_TELEMETRY_DISABLED: '1' } });
};
const nuxtUrl = async (folder) => {
  const env = { PORT: '0', HOST: '127.0.0.1' };
  return (await folder.serve('node', ['.output/server/index.mjs'], /Listening on (http:\S+)/, { env }))[1];
};

export const NUXT = {
  name: 'Nuxt',
  versions: 'Nuxt 4.5.2; miniflare 4.20260730.0 runs what it builds for Cloudflare.',
  packages: { miniflare: '4.20260730.0', nuxt: '4.5.2' },
  rows: [
    {
      name: 'Nuxt, node-server, server route',
      async run(folder) {
        await nuxtBuild(folder, 'node-server');
        return JSON.parse(await get(`${await nuxtUrl(folder)}/api/suite`));
      },
    },
    { name: 'Nuxt, client', run: async (folder) => onPage(await nuxtUrl(folder)) },
    {
      name: 'Nuxt, cloudflare_module, server route',
      parts: 'abcefg',
      remark: 'Without the lab: see Nitro.',
      async run(folder) {
        await nuxtBuild(folder, 'cloudflare_module', 'abcefg');
        return builtWorker(folder, '/api/suite');
      },
    },
  ],
};

export const ASTRO = {
  name: 'Astro',
  versions: 'Astro 7.3.5, static.',
  packages: { astro: '7.3.5' },
  rows: [
    {
      name: 'Astro, rendered at build time',
      async run(folder) {
        folder.write({
          'suite.mjs': folder.suite(),
          'src/pages/index.astro': `---
import { suite } from '../../suite.mjs';
const results = JSON.stringify(await suite());
---
<pre id="results">{results}</pre>
<script>
import { suite } from '../../suite.mjs';
globalThis.results = suite();
</script>
`,
        });
        await folder.exec(folder.bin('astro'), ['build'], { env: { ASTRO_TELEMETRY_DISABLED: '1' } });
        return inHtml(folder.read('dist/index.html'));
      },
    },
    { name: 'Astro, script of the page', run: async (folder) => onPage(await serveFolder(folder, 'dist')) },
  ],
};

const ANGULAR = {
  version: 1,
  projects: {
    app: {
      projectType: 'application',
      root: '',
      sourceRoot: 'src',
      architect: {
        build: {
          builder: '@angular/build:application',
          options: {
            browser: 'src/main.ts',
            index: 'src/index.html',
            outputPath: { base: 'out', browser: '' },
            tsConfig: 'tsconfig.json',
          },
        },
      },
    },
  },
  cli: { analytics: false },
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
  rows: [
    {
      name: 'Angular',
      async run(folder) {
        folder.write({
          'src/suite.mjs': folder.suite(),
          'src/index.html':
            '<!doctype html><html><head><base href="/"></head><body><app-root></app-root></body></html>\n',
          'src/main.ts': `import { Component, provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { suite } from './suite.mjs';
@Component({ selector: 'app-root', template: 'client' })
class App { constructor() { (globalThis as any).results = suite(); } }
bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
`,
          'angular.json': JSON.stringify(ANGULAR),
          'tsconfig.json': JSON.stringify({
            compilerOptions: {
              allowJs: true,
              module: 'preserve',
              moduleResolution: 'bundler',
              target: 'es2022',
              experimentalDecorators: true,
              skipLibCheck: true,
            },
            files: ['src/main.ts'],
          }),
        });
        await folder.exec(folder.bin('ng'), ['build', 'app']);
        return onPage(await serveFolder(folder, 'out'));
      },
    },
  ],
};
