/**
 * What the build adds to the pages: common parts, addresses of the project, the first scene, which the installed
 * package computes, the policies of demo/page-policy.mjs, and the licences of all packages that are bundled.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport, type Plugin } from 'vite';
import { CONTENT_SECURITY_POLICY, REFERRER_POLICY } from './demo/page-policy.mjs';
import * as links from './src/links.ts';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const SCENE = 'virtual:scene';
const LAB = 'virtual:lab';

let drawn: Promise<typeof import('./src/scene/first.ts')> | undefined;

/** The scene takes a second: once for all pages. */
function firstScene(): Promise<typeof import('./src/scene/first.ts')> {
  drawn ??= runnerImport<typeof import('./src/scene/first.ts')>(`${ROOT}src/scene/first.ts`, {
    configFile: false,
    logLevel: 'error',
    root: ROOT,
  }).then(({ module }) => module);
  return drawn;
}

/** Replaces `{{partial NAME}}` by partials/NAME.html, `{{SCENE}}`, and `{{NAME}}` by the constants of src/links.ts. */
export const parts: Plugin = {
  name: 'page-parts',
  transformIndexHtml: {
    order: 'pre',
    async handler(html, { path: page }) {
      const HOME = page.lastIndexOf('/') > 0 ? '../' : './';
      // Relative to the page, where the documentation is a folder of this site.
      const DOCS = process.env.REJITTER_DOCS?.replace(/^\.\//, HOME) ?? links.DOCS;
      const SCENE = html.includes('{{SCENE}}') ? (await firstScene()).markup : '';
      const PAGE = links.SITE + page.replace(/^\/|index\.html$/g, '');
      const values: Record<string, string> = { ...links, DOCS, HOME, PAGE, SCENE };
      const whole = html.replace(/\{\{partial (\w+)\}\}/g, (_, name: string) =>
        readFileSync(`${ROOT}partials/${name}.html`, 'utf8').trim(),
      );
      return whole.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
        const value = values[name];
        if (value === undefined) throw new Error(`src/links.ts has no ${name}`);
        return value;
      });
    },
  },
};

/** The module `virtual:scene`: the result of the scene that the build has drawn. */
export const scene: Plugin = {
  name: 'scene',
  resolveId: (id) => (id === SCENE ? `\0${SCENE}` : undefined),
  async load(id) {
    if (id !== `\0${SCENE}`) return undefined;
    // JSON has no infinity, and the strategy has three.
    const text = JSON.stringify((await firstScene()).result, (_, value: unknown) => (value === Infinity ? '∞' : value));
    return `export const drawn = ${text.replaceAll('"∞"', 'Infinity')};`;
  },
};

/**
 * The lab with its wasm as a file, which compresses better than the text of its entry for browsers: the entry for
 * workerd imports the file. `virtual:lab` says when it is compiled.
 */
export const lab: Plugin = {
  name: 'lab',
  enforce: 'pre',
  resolveId(id) {
    if (id === 'rejitter-lab')
      return { id: `${ROOT}node_modules/rejitter-lab/index.workerd.js`, moduleSideEffects: false };
    return id === LAB || id.endsWith('/lab.wasm') ? `\0${LAB}` : undefined;
  },
  load(id) {
    if (id !== `\0${LAB}`) return undefined;
    return `import url from '${ROOT}node_modules/rejitter-lab/lab.wasm?url';
      let module;
      export { module as default };
      export const compiled = fetch(url)
        .then((response) => response.arrayBuffer())
        .then(async (bytes) => (module = await WebAssembly.compile(bytes)));`;
  },
};

/** Writes the policies into the page, so that they hold on any web server. */
export const policy: Plugin = {
  name: 'page-policy',
  transformIndexHtml: {
    // Last, and so first in the page: a policy acts only on what follows it.
    order: 'post',
    handler: () =>
      [
        { 'http-equiv': 'Content-Security-Policy', content: CONTENT_SECURITY_POLICY },
        { name: 'referrer', content: REFERRER_POLICY },
      ].map((attrs) => ({ tag: 'meta', attrs, injectTo: 'head-prepend' })),
  },
};

/** The packages that the page contains, by their folders. Workers are bundled before the page is. */
const folders = new Set<string>();
export const packages: Plugin = {
  name: 'packages',
  generateBundle() {
    for (const module of this.getModuleIds()) {
      // The bundler's own helpers are modules without a file: Vite's start with its name, the others are Rolldown's.
      const own = /^\0(vite|rolldown)\//.exec(module)?.[1];
      const folder = own
        ? `${ROOT}node_modules/${own}`
        : /^[^\0].*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll('\\', '/'))?.[0];
      if (folder !== undefined) folders.add(folder);
    }
  },
};

/** Writes THIRD-PARTY-NOTICES.txt, from the packages' own files. */
export const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    const texts = ['This page contains the following packages.\n', ...new Set([...folders].map(noticeOf).sort())];
    const source = texts.join(`\n${'='.repeat(80)}\n\n`);
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source });
  },
};

/** A package with its licence files, and the notices of what it contains itself. */
function noticeOf(folder: string): string {
  const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n');
  const { name, version, license } = JSON.parse(read('package.json')) as Record<string, string>;
  const files = readdirSync(folder).sort();
  const licences = files.filter((file) => /^(?:licen[cs]e|copying)/i.test(file));
  if (licences.length === 0) throw new Error(`${folder} has no licence file`);
  const more = files.filter((file) => /^(?:notice|third-party-notices)/i.test(file));
  // Vite goes on with the packages that it is made with, which are not in the page.
  const texts = [...licences, ...more].map((file) =>
    read(file)
      .split(/^# Licenses of bundled dependencies$/m)[0]
      ?.trim(),
  );
  return `${[`${name} ${version} (${license})`, ...texts].join('\n\n')}\n`;
}
