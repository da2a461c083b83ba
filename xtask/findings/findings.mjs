// The scripts of findings/, as their first comments describe them, and the page that lists them.

import { readFileSync, readdirSync } from 'node:fs';

import { inRoot } from '../run/places.mjs';

export const FOLDER = inRoot('findings');
export const PAGE = inRoot('docs/reference/findings.md');

/** The lines at the top of a script: which guess is wrong, what runs found, with which packages, on which day. */
const FIELDS = ['Guess', 'Found', 'Versions', 'Day'];

/** @typedef {{ name: string, path: string, text: string, kind: string } & Record<string, string>} Finding */

/** @returns {Finding[]} */
export const findings = () =>
  readdirSync(FOLDER)
    .sort()
    .map((file) => {
      const path = `${FOLDER}/${file}`;
      const text = readFileSync(path, 'utf8');
      const [, ...head] =
        new RegExp(`^#!/bin/sh\n${FIELDS.map((field) => `# ${field}: (.+)\n`).join('')}`).exec(text) ?? [];
      const fields = Object.fromEntries(FIELDS.map((field, i) => [field.toLowerCase(), head[i] ?? '']));
      return { name: file.replace(/\.sh$/, ''), path, text, kind: kindOf(text, fields.versions), ...fields };
    });

function kindOf(text, versions) {
  if (text.includes('Cargo.toml')) return 'Crates';
  return versions.split(' ').every((version) => /^(?:node|deno|bun|workerd)@/.test(version))
    ? 'Hosts'
    : 'Packages of npm';
}

const HEAD = `# What one would guess of others, and what is so

Surprises that runs of this project met in other people's software, each without rejitter and no fault of it. A row is a
script of the folder \`findings\`, which installs these versions, runs them, and fails if they do something else on
another day. \`cargo xtask findings [NAME]...\` runs the scripts. With \`--docs\` it also writes this page.
`;

/** @param {Finding[]} all */
export function page(all) {
  const tables = ['Hosts', 'Packages of npm', 'Crates'].map((kind) => {
    const rows = all
      .filter((each) => each.kind === kind)
      .map(({ name, guess, found, versions, day }) => {
        return `| ${guess} | ${found} | \`${name}\`, ${day}: ${versions.replaceAll(' ', ', ')} |`;
      });
    return `\n## ${kind}\n\n| one would guess | what is so | script, day and versions |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${HEAD}${tables.join('')}`;
}
