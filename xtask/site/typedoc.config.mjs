// The documentation as a site: README, docs/ and the reference of the declarations. Its addresses are relative, so it
// works under any path, and its search needs no server.

import { readFileSync, readdirSync } from 'node:fs';

/**
 * The pages of docs/ by reader, in the order in which they are read. Pages without a place follow in the last group.
 */
export const GROUPS = {
  Start: 'getting-started what-to-retry deadlines strategies testing',
  'Web app': 'page fetch light recipes.md react-native',
  Service:
    'service protection limits hedging language-models progress logs-and-metrics telemetry databases processes ' +
    'serverless cli',
  Queue: 'queues',
  Connections: 'connections',
  Library: 'library-authors',
  Rust: 'rust',
  Reference: 'reference/options.md reference/formulas.md reference/presets.md reference/what-counts.md hosts.md',
  'Coming from …': 'migration/p-retry.md migration/axios-retry.md migration/cockatiel.md',
  More: 'faq.md comparison.md lab reference/worlds.md reference/findings.md benchmarks.md architecture.md',
};
const files = readdirSync(new URL('../../docs', import.meta.url), { recursive: true });
const others = files.filter((name) => name.endsWith('.md')).sort();
/** Page → group. */
export const PAGES = new Map(
  Object.entries(GROUPS).flatMap(([group, names]) => [
    ...names.split(' ').map((name) => [name.endsWith('.md') ? name : `guide/${name}.md`, group]),
    ...(group === 'Coming from …'
      ? others.filter((name) => name.startsWith('migration/')).map((name) => [name, group])
      : []),
  ]),
);
for (const name of others) if (!PAGES.has(name)) PAGES.set(name, 'More');
const manifest = JSON.parse(readFileSync(new URL('../../pkg-template/package.json', import.meta.url), 'utf8'));

export default {
  name: 'rejitter',
  plugin: ['./pages.mjs'],
  router: 'pages',
  entryPoints: [
    ...'index light light-fetch protection fetch presets data testing engines otel reconnect'
      .split(' ')
      .map((name) => `../../pkg-template/${name}.d.ts`),
    '../../lab/package/index.d.ts',
  ],
  readme: '../../README.md',
  projectDocuments: [...PAGES.keys()].map((path) => `../../docs/${path}`),
  groupOrder: [...Object.keys(GROUPS), 'Modules', '*'],
  navigation: { includeGroups: true, includeCategories: false },
  // The links of the page's header. pages.mjs replaces "site:" with the path of the documentation's root.
  titleLink: 'site:../index.html',
  navigationLinks: {
    Delays: 'site:../index.html#delays',
    Protection: 'site:../protection/index.html',
    Docs: 'site:index.html',
    GitHub: manifest.repository.url.replace(/^git\+|\.git$/g, ''),
  },
  customFooterHtml: '<a href="site:../THIRD-PARTY-NOTICES.txt">Licences of the fonts</a>',
  // "crates.io" is a name, not a link.
  markdownItOptions: { html: true, linkify: false },
  highlightLanguages: ['javascript', 'typescript', 'jsx', 'tsx', 'rust', 'toml', 'sh', 'json', 'html', 'yaml'],
  disableSources: true,
  searchInComments: true,
  searchInDocuments: true,
  // A page with the word comes before options whose names begin with it, and after what has just that name.
  searchGroupBoosts: {
    ...Object.fromEntries(Object.keys(GROUPS).map((group) => [group, 10])),
    Start: 15,
    'Coming from …': 2,
    Functions: 2,
    Modules: 0.3,
    Interfaces: 0.3,
    Properties: 0.1,
  },
  sort: ['documents-first'],
  customCss: 'style.css',
  // A link to a missing file is a warning.
  treatWarningsAsErrors: true,
};
