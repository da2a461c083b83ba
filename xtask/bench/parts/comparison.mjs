// @ts-check
// What retry packages do in the same cases. Writes docs/comparison.md: the same on every machine, but for the sizes,
// which follow the packages.

import { readdirSync, writeFileSync } from 'node:fs';

import { inNode } from '../lib/child.mjs';
import { versions } from '../lib/machine.mjs';
import { PEERS, sizeOf } from './sizes.mjs';

const DOCUMENT = new URL('../../../docs/comparison.md', import.meta.url);

/**
 * Features that a package has if it exports this.
 * @type {Record<string, Record<string, [module: string, name: string]>>}
 */
const FEATURES = {
  'a retry budget': { rejitter: ['rejitter/protection', 'budget'] },
  'a circuit breaker': { rejitter: ['rejitter/protection', 'breaker'], cockatiel: ['cockatiel', 'circuitBreaker'] },
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
  const text = documentOf(names, rows);
  if (quick) console.log(text);
  else writeFileSync(DOCUMENT, text);
  return { rows };
}

/** @param {string[]} names */
export async function measure(names) {
  const { CONTENDERS } = await import('../compare/contenders.mjs');
  const { CASES } = await import('../compare/cases.mjs');
  const rows = [];
  for (const { title, needs, play } of CASES) {
    const row = [title];
    for (const name of names) {
      const contender = CONTENDERS[name];
      if (needs === 'client' && contender.client === undefined) row.push('–');
      else if (needs && needs !== 'client' && !contender.knows.includes(needs)) row.push('no');
      else row.push(await play(contender));
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

/** @param {string[]} names @param {string[][]} rows */
function documentOf(names, rows) {
  const known = versions();
  const heads = names.map((name) => (known[name] === undefined ? name : `${name} ${known[name]}`));
  const lines = rows.map((row) => `| ${row.join(' | ')} |`);
  return `# Compared with other packages

What each package did in these cases, with its own options for them and its own jitter. \`cargo xtask bench --only
comparison\` runs them on a virtual clock and writes this table. "–" is a case of HTTP clients; "no" where a package has
no option for it, too.

| case | ${heads.join(' | ')} |
|---|${names.map(() => '---|').join('')}
${lines.join('\n')}

- **Waits at the cap.** p-retry, cockatiel, async-retry and ky draw first and cut at the cap afterwards. After some
  failures all their clients wait exactly as long as the cap, and come back together. cockatiel's
  \`fullJitterGenerator\` spreads them out. axios-retry has no cap; effect varies each wait by a fifth.
- **Where others win.** p-retry has a sixth of the size, cockatiel, async-retry and axios-retry likewise: for a script
  that calls one API, each is enough, and so is [\`rejitter/light\`](guide/light.md). ky is a whole HTTP client, and
  sends a stream again by keeping a copy in memory; with rejitter, \`body\` is a function that returns one. effect is
  a way to write whole programs. cockatiel has bulkheads and fallbacks.
- **Speed and memory** are in the [benchmarks](benchmarks.md); what protection does to callers and servers, beside
  cockatiel, opossum and the AWS SDKs, is in the [table of worlds](reference/worlds.md).
- **Changing over**: [p-retry](migration/p-retry.md), [async-retry](migration/async-retry.md),
  [cockatiel](migration/cockatiel.md), [axios-retry](migration/axios-retry.md), [ky](migration/ky-got.md).
`;
}
