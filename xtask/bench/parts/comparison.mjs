// Retry packages in the same cases. Writes the table of docs/comparison.md: the same on every machine,
// but for the sizes, which follow the packages.

import { readdirSync } from 'node:fs';

import { inNode } from '../lib/child.mjs';
import { versions } from '../lib/machine.mjs';
import { markdownTable, named, writeTable } from '../report/table.mjs';
import { PEERS, sizeOf } from './sizes.mjs';

const DOCUMENT = new URL('../../../docs/comparison.md', import.meta.url);

/**
 * Features that a package has if it exports this.
 * @type {Record<string, Record<string, [module: string, name: string]>>}
 */
const FEATURES = {
  'a retry budget': { rejitter: ['rejitter/protection', 'budget'] },
  'a circuit breaker': { rejitter: ['rejitter/protection', 'breaker'], cockatiel: ['cockatiel', 'circuitBreaker'] },
  'keeps connections open': { rejitter: ['rejitter/reconnect', 'keepConnected'] },
  'hedged attempts': { rejitter: ['rejitter/protection', 'hedge'] },
  'seeded waits': { rejitter: ['rejitter', 'RetryPolicy'], effect: ['effect', 'Random'] },
  'a virtual clock for tests': {
    rejitter: ['rejitter/testing', 'virtualClock'],
    'rejitter/light': ['rejitter/testing', 'virtualClock'],
    effect: ['effect/testing', 'TestClock'],
  },
};

/** The import of `retry` in an app. */
/** @type {Record<string, string>} */
const IMPORTS = {
  ...PEERS,
  rejitter: `export { retry } from 'rejitter';`,
  'rejitter/light': `export { retry } from 'rejitter/light';`,
  'axios-retry': `export { default } from 'axios-retry';`,
};

/** @param {import('../lib/child.mjs').Context} context */
export async function run({ node, choice: { quick }, say }) {
  const { CONTENDERS } = await import('../compare/contenders.mjs');
  const names = Object.keys(CONTENDERS);
  say(`${names.length} packages`);
  /** @type {string[][]} */
  const rows = await inNode(node, import.meta.url, 'measure', names);
  for (const [title, has] of Object.entries(FEATURES)) {
    const cells = names.map(async (name) => {
      if (has[name] === undefined) return 'no';
      const [module, member] = has[name];
      if ((await import(module))[member] === undefined) throw new Error(`${module} has no ${member}`);
      return 'yes';
    });
    rows.push([title, ...(await Promise.all(cells))]);
  }
  rows.push(['types', ...names.map(typesOf)]);
  const sizes = names.map(async (name) => `${((await sizeOf(IMPORTS[name], ['axios'])).brotli / 1000).toFixed(1)} kB`);
  rows.push(['size of `retry` in an app', ...(await Promise.all(sizes))]);
  const known = versions();
  const heads = names.map((name) => named(name, known));
  writeTable(markdownTable([['case', ...heads], ...rows], '---|'), DOCUMENT, quick);
  return { rows };
}

/** @param {string[]} names */
export async function measure(names) {
  const { CONTENDERS } = await import('../compare/contenders.mjs');
  const { CASES, played } = await import('../compare/cases.mjs');
  const rows = [];
  for (const it of CASES) {
    const { title, needs } = it;
    const row = [title];
    for (const name of names) {
      const contender = CONTENDERS[name];
      if (needs === 'client' && contender.client === undefined) row.push('–');
      else if (needs && needs !== 'client' && !contender.knows.includes(needs)) row.push('no');
      else row.push(await played(it, contender));
    }
    rows.push(row);
  }
  return rows;
}

/** @param {string} name */
function typesOf(name) {
  const folder = new URL(`../node_modules/${name.split('/')[0]}`, import.meta.url);
  return readdirSync(folder, { recursive: true }).some((file) => /\.d\.[cm]?ts$/.test(String(file)))
    ? 'its own'
    : 'of others';
}
