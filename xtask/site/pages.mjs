// A TypeDoc plugin. The pages of docs/ are called what their headings say, keep their paths as addresses and are
// grouped by folder. One address leads out of the documentation: to the demo page, whose folder has it in `docs/`.

import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Converter, KindRouter, PageEvent } from 'typedoc';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const GROUPS = { guide: 'Guide', migration: 'Migration', reference: 'Reference', '.': 'More' };

const HEADING = /^# (.*)(?:\n|$)/;

/** @param {import('typedoc').Application} app */
export function load(app) {
  /** The path of each page below docs/, without its extension. */
  const paths = new Map();

  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page) => {
    const path = relative(DOCS, page.project.files.getReflectionPath(page)).replace(/\.md$/, '');
    const [, heading] = HEADING.exec(page.content[0]?.text ?? '') ?? [];
    if (heading === undefined) throw new Error(`docs/${path}.md has no heading in its first line`);
    page.name = heading;
    page.frontmatter.group = GROUPS[dirname(path)];
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

  app.renderer.on(PageEvent.END, (page) => {
    const up = '../'.repeat(page.url.split('/').length);
    page.contents = page.contents?.replaceAll('href="demo:"', `href="${up}index.html"`);
  });
}
