/**
 * Writes THIRD-PARTY-NOTICES.txt next to the built page: the licences of all packages that are bundled into it or into
 * its workers, from the packages' own files.
 */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

const FILE = 'THIRD-PARTY-NOTICES.txt';
const LINE = `\n${'='.repeat(80)}\n\n`;

/** The plugin of the page, and a plugin for its workers, which are bundled on their own before the page is. */
export function notices(): { page: Plugin; worker: () => Plugin } {
  const folders = new Set<string>();
  const collect = (modules: Iterable<string>) => {
    for (const module of modules) {
      const folder = packageOf(module);
      if (folder !== undefined) folders.add(folder);
    }
  };
  return {
    page: {
      name: 'notices',
      generateBundle(_, bundle) {
        collect(this.getModuleIds());
        // Fonts are not modules, but files that style sheets name.
        for (const file of Object.values(bundle))
          if (file.type === 'asset') collect(file.originalFileNames.map((name) => path.resolve(name)));
        const intro = 'This page contains the following packages.\n';
        const source = [intro, ...[...new Set([...folders].map(noticeOf))].sort()].join(LINE);
        this.emitFile({ type: 'asset', fileName: FILE, source });
      },
    },
    worker: () => ({
      name: 'notices of workers',
      generateBundle() {
        collect(this.getModuleIds());
      },
    }),
  };
}

/** The folder of the package that a module belongs to. */
function packageOf(module: string): string | undefined {
  // The bundler's own helpers are modules without a file: Vite's start with its name, the others are Rolldown's.
  if (/^\0?(?:vite\/|rolldown\/)/.test(module))
    return path.resolve('node_modules', module.includes('vite/') ? 'vite' : 'rolldown');
  return /^[^\0].*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll('\\', '/').replace(/[?#].*$/, ''))?.[0];
}

/** A package with its licence files, and the notices of what it contains itself. */
function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const files = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice|third-party-notices)/i.test(file))
    .sort();
  if (!files.some((file) => /^(?:licen[cs]e|copying)/i.test(file))) throw new Error(`${folder} has no licence file`);
  const texts = files.map((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n');
    // Vite goes on with the packages that it is made with, which are not in the page.
    return text.split(/^# Licenses of bundled dependencies$/m)[0]?.trim();
  });
  return [`${name} ${version} (${license})`, ...texts].join('\n\n') + '\n';
}
