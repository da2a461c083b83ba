// The documentation as a site: README, docs/ and the reference of the declarations. Its addresses are relative, so it
// works under any path, and its search needs no server.

import { readFileSync, readdirSync } from 'node:fs';

const GUIDE =
  'getting-started strategies what-to-retry deadlines light light-fetch fetch protection hedging connections testing ' +
  'observability telemetry queues processes databases library-authors serverless react-native';
/** The pages in the order in which they are read; the others follow. */
const FIRST = [
  ...GUIDE.split(' ').map((name) => `guide/${name}.md`),
  ...['recipes.md', 'faq.md', 'comparison.md', 'migration/p-retry.md', 'reference/options.md', 'reference/worlds.md'],
];
const files = readdirSync(new URL('../../docs', import.meta.url), { recursive: true });
const pages = new Set([...FIRST, ...files.filter((name) => name.endsWith('.md')).sort()]);
const manifest = JSON.parse(readFileSync(new URL('../../pkg-template/package.json', import.meta.url), 'utf8'));

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'rejitter',
  plugin: ['./pages.mjs'],
  router: 'pages',
  entryPoints: 'index light light-fetch protection fetch presets data lab testing engines otel reconnect'
    .split(' ')
    .map((name) => `../../pkg-template/${name}.d.ts`),
  readme: '../../README.md',
  projectDocuments: [...pages].map((path) => `../../docs/${path}`),
  groupOrder: ['Guide', 'More', 'Migration', 'Reference', 'Modules', '*'],
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
    Guide: 15,
    More: 5,
    Reference: 5,
    Migration: 2,
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
