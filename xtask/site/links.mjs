// Checks the links of the built documentation: `node links.mjs FOLDER`. Addresses are relative, so that the site works
// under any path; each leads to a file and to an anchor in it.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const decode = (text) => decodeURIComponent(text.replaceAll('&amp;', '&'));

/** Files that the folder's parent has. */
const OUTSIDE = ['../index.html', '../protection/index.html', '../THIRD-PARTY-NOTICES.txt'];

/** Lists what is wrong with the links of the pages in a folder. */
function problemsIn(folder) {
  const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'));
  const texts = new Map(pages.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const anchors = new Map(
    [...texts].map(([name, text]) => [name, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => decode(id)))]),
  );
  const problems = [];
  for (const [page, text] of texts) {
    if (!text.includes('role="main"')) problems.push(`${page}: no main landmark`);
    for (const [found, why] of [
      [/<script>/, 'a script within the page'],
      [/<nav(?![^>]*aria-label)/, 'a nav without a name'],
      [/<th[^>]*><\/th>/, 'an empty header cell'],
    ])
      if (found.test(text)) problems.push(`${page}: ${why}`);
    for (const [, link] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      if (/^(?:https?:|data:)/.test(link)) continue;
      const [path, anchor] = decode(link).split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (/^\/|^\w+:/.test(path)) problems.push(`${page}: ${link} is not relative`);
      else if (OUTSIDE.includes(target)) continue;
      else if (target.startsWith('..') || !existsSync(join(folder, target)))
        problems.push(`${page}: ${link} leads to no file`);
      else if (anchor && anchors.has(target) && !anchors.get(target).has(anchor))
        problems.push(`${page}: ${link} leads to no heading`);
    }
  }
  return { problems, pages: pages.length };
}

const { problems, pages } = problemsIn(process.argv[2]);
for (const problem of new Set(problems)) console.error(problem);
console.log(`${pages} pages, ${problems.length} links that lead nowhere`);
if (pages === 0 || problems.length > 0) process.exitCode = 1;
