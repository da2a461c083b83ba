// Next.js: the suite in all places where it runs code, and the recipe of the documents.

import assert from 'node:assert/strict';

import { WITHOUT_LAB } from '../suite.mjs';
import { program, serve } from '../../lib/programs.mjs';
import { answeredBy, row } from '../row.mjs';
import { REFUSED, inHtml, pageOf, using } from './servers.mjs';

const RECIPE = program('next');
/** It asks for these where a file is TypeScript. */
const TYPES = { '@types/node': '24.19.4', '@types/react': '19.3.0', typescript: '5.9.3' };

const ROUTE = 'export async function GET() { return Response.json(await suite()); }';
const FILES = {
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
  'app/server/page.jsx': using(
    '../../',
    `export const dynamic = 'force-dynamic';
export default async function Page() { return <pre id="results">{JSON.stringify(await suite())}</pre>; }`,
  ),
  'app/edge/route.js': using('../../', `export const runtime = 'edge';\n${ROUTE}`),
  'app/node/route.js': using('../../', `export const dynamic = 'force-dynamic';\n${ROUTE}`),
  'app/client/page.jsx': `'use client';
import { useEffect } from 'react';
import { suite } from '../../suite.mjs';
export default function Page() {
  useEffect(() => { suite().then((results) => { globalThis.results = results; }); }, []);
  return <p>client</p>;
}
`,
  'app/strict/page.jsx': "'use client';\nexport { default } from '../client/page.jsx';\n",
  // The recipe, for Node and for the edge runtime, by addresses of which the other's cache knows nothing.
  'app/users/route.ts': RECIPE,
  'app/edge-users/route.ts': `${RECIPE.replace('/users/7', '/edge/7')}\nexport const runtime = 'edge';\n`,
  'middleware.js': using(
    './',
    `export const config = { matcher: '/middleware' };
export async function middleware() { return Response.json(await suite()); }`,
  ),
};
const ENV = { NEXT_TELEMETRY_DISABLED: '1' };
const SERVER = ['next start -p 0', /Local:\s+(http:\S+)/, ENV];

/** Asks the routes of the recipe twice, whose server is busy twice. */
async function keptAfterRetries(folder) {
  const seen = [];
  const api = await serve(({ url }) => {
    seen.push(url);
    return seen.filter((other) => other === url).length < 3 ? { status: 503 } : { text: '{"name":"Ada"}' };
  });
  folder.closing(api.close);
  const address = await folder.serve(...SERVER.with(-1, { ...ENV, API: api.url }));
  for (const [path, asked] of Object.entries({ users: '/users/7', 'edge-users': '/edge/7' })) {
    const get = async () => (await fetch(`${address}/${path}`)).json();
    assert.deepEqual([await get(), await get()], [{ name: 'Ada' }, { name: 'Ada' }]);
    assert.deepEqual(seen.splice(0), Array(3).fill(asked), "Next's option reaches its fetch");
  }
  return { c: 'ok' };
}

export const NEXT = {
  name: 'Next.js',
  versions: 'Next.js 16.4.6, React 19.3.1, TypeScript 5.9.3, `next build` and `next start`.',
  async install(folder) {
    await folder.install({ next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1', ...TYPES });
    folder.write({ 'suite.mjs': folder.suite(), ...FILES });
    await folder.exec('next build', ENV);
  },
  rows: [
    row('Next.js, server component', {
      results: async (folder) => inHtml(await (await fetch(`${await folder.serve(...SERVER)}/server`)).text()),
    }),
    row('Next.js, route handler', { results: answeredBy(SERVER, '/node') }),
    row('Next.js, edge route', { results: answeredBy(SERVER, '/edge') }),
    row('Next.js, recipe', {
      recipe: 'next',
      parts: 'c',
      remark: 'Its types hold, Node and the edge runtime answer after two retries, and the cache keeps the answer.',
      results: keptAfterRetries,
    }),
    row('Next.js, middleware', { results: answeredBy(SERVER, '/middleware') }),
    row('Next.js, client component', { results: pageOf(SERVER, '/client') }),
    row('Next.js, client component, CSP', {
      expected: REFUSED,
      parts: WITHOUT_LAB,
      remark: 'The lab needs WebAssembly.',
      results: pageOf(SERVER, '/strict'),
    }),
  ],
};
