// A TypeDoc plugin. The pages of docs/ are called what their headings say, keep their paths as addresses and are
// grouped by reader. They look like the demo page, whose folder has the documentation in `docs/`: its tokens, fonts,
// logo and icon are read from its sources.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Converter, IndexEvent, JSX, KindRouter, PageEvent, RendererEvent } from 'typedoc';

import { PAGES } from './typedoc.config.mjs';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));

const WWW = fileURLToPath(new URL('../../www/', import.meta.url));
const [LOGO] = /<svg[^]*?<\/svg>/.exec(readFileSync(`${WWW}partials/header.html`, 'utf8'));
const [ICON] = /<link\s+rel="icon"[^]*?\/>/.exec(readFileSync(`${WWW}partials/head.html`, 'utf8'));
const TOKENS = /^(?:@font-face|:root) \{[^}]*\}/gm;
// The first group of the navigation is open until it is closed; and the index of the search, half of a page's bytes,
// comes when somebody is about to search.
const FIRST = `{
  localStorage['tsd-accordion-Start'] ||= 'true';
  const load = ({ type, target }) => {
    const script = document.getElementById('tsd-search-script');
    if (script && !script.src && (type === 'keydown' || target.closest('#tsd-search-trigger'))) script.src = script.dataset.src;
  };
  for (const type of ['keydown', 'focusin', 'pointerover', 'click']) addEventListener(type, load, true);
}`;
/** What TypeDoc's pages lack: landmarks, names, header cells with text, tables that a keyboard scrolls. */
const ACCESS = [
  ['<div class="col-content">', '<div class="col-content" role="main">'],
  ['<div class="col-sidebar">', '<div class="col-sidebar" role="complementary" aria-label="Contents and settings">'],
  [
    '<nav id="tsd-sidebar-links" class="tsd-navigation">',
    '<nav id="tsd-sidebar-links" class="tsd-navigation" aria-label="Site">',
  ],
  ['<nav class="tsd-navigation">', '<nav class="tsd-navigation" aria-label="Documentation">'],
  ['<table>', '<table tabindex="0">'],
  ['<pre>', '<pre tabindex="0">'],
];

const HEADING = /^# (.*)(?:\n|$)/;

export function load(app) {
  /** The path of each page below docs/, without its extension. */
  const paths = new Map();

  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page) => {
    const path = relative(DOCS, page.project.files.getReflectionPath(page)).replace(/\.md$/, '');
    const [, heading] = HEADING.exec(page.content[0]?.text ?? '') ?? [];
    if (heading === undefined) throw new Error(`docs/${path}.md has no heading in its first line`);
    page.name = heading;
    page.frontmatter.group = PAGES.get(`${path}.md`);
    paths.set(page, path);
  });

  // Only the first page has a heading from TypeDoc.
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project: { readme } }) => {
    if (readme?.[0]) readme[0].text = readme[0].text.replace(HEADING, '');
  });

  app.renderer.defineRouter(
    'pages',
    class extends KindRouter {
      getIdealBaseName(reflection) {
        return paths.get(reflection) ?? `api/${super.getIdealBaseName(reflection)}`;
      }
    },
  );

  // The search finds "jitter" in words such as the package's name, which is no reason to show a page first.
  app.renderer.on(IndexEvent.PREPARE_INDEX, ({ searchResults, searchFields }) => {
    for (const [at, page] of searchResults.entries())
      if (page.isDocument()) {
        const text = page.content.map((part) => part.text).join('');
        searchFields[at] = { document: text.replace(/rejitter/gi, '') };
      }
  });

  app.renderer.hooks.on('head.begin', () => JSX.createElement(JSX.Raw, { html: `${ICON}<script>${FIRST}</script>` }));

  // Previous and next in the order of the navigation, which begins with the first page.
  app.renderer.hooks.on('content.end', ({ page: { url, project }, relativeURL }) => {
    const pages = (project.groups ?? []).flatMap(({ children }) => children).filter((child) => paths.has(child));
    const all = [[project.name, 'index'], ...pages.map((page) => [page.name, paths.get(page)])];
    const at = all.findIndex(([, path]) => url === `${path}.html`);
    const link = (rel, words, [name, path] = []) =>
      path ? `<a rel="${rel}" href="${relativeURL(`${path}.html`)}"><small>${words}</small>${name}</a>` : '';
    const links = at < 0 ? '' : link('prev', 'Previous', all[at - 1]) + link('next', 'Next', all[at + 1]);
    return JSX.createElement(JSX.Raw, { html: links && `<nav class="turn" aria-label="Pages">${links}</nav>` });
  });

  /** Scripts within pages, which a Content-Security-Policy forbids, by the file that they become. */
  const scripts = new Map();
  app.renderer.on(PageEvent.END, (page) => {
    const root = '../'.repeat(page.url.split('/').length - 1);
    const fileOf = (code) => {
      const known = [...scripts].find(([, text]) => text === code)?.[0] ?? `page-${scripts.size}.js`;
      scripts.set(known, code);
      return known;
    };
    page.contents = ACCESS.reduce((text, [from, to]) => text?.replaceAll(from, to), page.contents)
      ?.replaceAll(/<script>([^]*?)<\/script>/g, (_, code) => `<script src="${root}assets/${fileOf(code)}"></script>`)
      .replace(/<script async src="([^"]*)" id="tsd-search-script">/, '<script data-src="$1" id="tsd-search-script">')
      .replaceAll(/<th([^>]*)><\/th>/g, '<td$1></td>')
      .replaceAll('href="site:', `href="${root}`)
      .replace(/(<a href="[^"]*" class="title">)(.*?)<\/a>/, `$1${LOGO}<span>$2</span></a>`);
  });

  app.renderer.on(RendererEvent.BEGIN, ({ outputDirectory }) => {
    app.renderer.postRenderAsyncJobs.push(async () => {
      const assets = join(outputDirectory, 'assets');
      for (const [name, code] of scripts) writeFileSync(join(assets, name), code);
      const tokens = readFileSync(`${WWW}src/styles/base.css`, 'utf8').match(TOKENS).join('\n');
      const here = tokens.replace(/url\("([^"]*)"\)/g, (_, font) => {
        copyFileSync(`${WWW}node_modules/${font}`, join(assets, basename(font)));
        return `url("${basename(font)}")`;
      });
      const file = join(assets, 'custom.css');
      writeFileSync(file, `${here}\n${readFileSync(file, 'utf8')}`);
    });
  });
}
