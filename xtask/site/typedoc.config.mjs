// The documentation as a site: README, docs/ and the reference of the declarations. Its addresses are relative, so it
// works under any path, and its search needs no server.

import { readFileSync, readdirSync } from 'node:fs';

/** The pages in the order in which they are read; the others follow. */
const FIRST = [
  'guide/getting-started.md',
  'guide/strategies.md',
  'guide/what-to-retry.md',
  'guide/deadlines.md',
  'guide/light.md',
  'guide/fetch.md',
  'guide/protection.md',
  'guide/hedging.md',
  'guide/testing.md',
  'guide/observability.md',
  'recipes.md',
  'faq.md',
  'migration/p-retry.md',
  'reference/options.md',
  'reference/worlds.md',
];
const files = readdirSync(new URL('../../docs', import.meta.url), { recursive: true });
const pages = new Set([...FIRST, ...files.filter((name) => name.endsWith('.md')).sort()]);
const manifest = JSON.parse(readFileSync(new URL('../../pkg-template/package.json', import.meta.url), 'utf8'));

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'rejitter',
  plugin: ['./pages.mjs'],
  router: 'pages',
  entryPoints: ['index', 'light', 'protection', 'fetch', 'presets', 'data', 'lab', 'testing'].map(
    (name) => `../../pkg-template/${name}.d.ts`,
  ),
  readme: '../../README.md',
  projectDocuments: [...pages].map((path) => `../../docs/${path}`),
  groupOrder: ['Guide', 'More', 'Migration', 'Reference', 'Modules', '*'],
  navigation: { includeGroups: true, includeCategories: false },
  // pages.mjs replaces "demo:" with the path of the demo page.
  navigationLinks: { 'Demo page': 'demo:', ...(manifest.homepage && { Source: manifest.homepage }) },
  highlightLanguages: ['javascript', 'typescript', 'jsx', 'rust', 'toml', 'sh', 'json', 'html'],
  disableSources: true,
  searchInComments: true,
  searchInDocuments: true,
  sort: ['documents-first'],
  customCss: 'style.css',
  // A link to a missing file is a warning.
  treatWarningsAsErrors: true,
};
