// @ts-check
// The effect of protection on calls and on the server: worlds on virtual time, each with ten seeds, as medians. Writes
// docs/reference/worlds.md: the same numbers on every machine.

import { writeFileSync } from 'node:fs';

import { inNode } from '../lib/child.mjs';
import { versions } from '../lib/machine.mjs';

const SEEDS = 10;
/** One per core. */
const PROCESSES = 2;
const DOCUMENT = new URL('../../../docs/reference/worlds.md', import.meta.url);

/**
 * @typedef {object} Row
 * @property {string} title
 * @property {(number | undefined)[]} aims by contender
 * @property {boolean} least whether an aim is the least number
 * @property {number} digits after the point
 * @property {(number | undefined)[]} medians
 */

/** @param {import('../lib/child.mjs').Context} context */
export async function run({ node, choice: { quick }, say }) {
  const { WORLDS } = await import('../worlds/worlds.mjs');
  const { CONTENDERS } = await import('../worlds/contenders.mjs');
  const names = Object.keys(CONTENDERS);
  const seeds = Array.from({ length: quick ? 1 : SEEDS }, (_, i) => i + 1);
  say(`${WORLDS.length} worlds, ${seeds.length} seeds each`);
  const shares = Array.from({ length: PROCESSES }, (_, i) => seeds.filter((seed) => seed % PROCESSES === i));
  /** @type {number[][][][]} by seed, world and contender: what the world shows */
  const shown = (await Promise.all(shares.map((some) => inNode(node, import.meta.url, 'measure', some)))).flat();
  /** @type {Row[]} */
  const rows = WORLDS.flatMap(({ title, also, aims, most }, w) =>
    [title, also].flatMap((text, i) => {
      if (text === undefined) return [];
      const medians = names.map((_, c) => median(shown.map((worlds) => worlds[w][c][i])));
      const both = most ? [most[i], most[i]] : [aims?.breaker, aims?.three];
      const digits = also !== undefined && i === 0 ? 2 : 0;
      return [{ title: text, aims: [undefined, ...both], least: most === undefined, digits, medians }];
    }),
  );
  const table = documentOf(names, rows);
  if (quick) console.log(table);
  else writeFileSync(DOCUMENT, table);
  const missed = rows.filter(({ aims, least, medians }) =>
    aims.some((aim, c) => aim !== undefined && (least ? Number(medians[c]) < aim : Number(medians[c]) > aim)),
  );
  if (missed.length > 0) throw new Error(`aims are missed: ${missed.map(({ title }) => title).join('; ')}`);
  return { rows };
}

/** @param {number[]} seeds */
export async function measure(seeds) {
  const { WORLDS } = await import('../worlds/worlds.mjs');
  const { CONTENDERS } = await import('../worlds/contenders.mjs');
  const { play } = await import('../worlds/play.mjs');
  const shown = [];
  for (const seed of seeds) {
    const worlds = [];
    for (const world of WORLDS) {
      const row = [];
      for (const name of Object.keys(CONTENDERS)) row.push(await play(world, name, seed));
      worlds.push(row);
    }
    shown.push(worlds);
  }
  return shown;
}

/** @param {(number | undefined)[]} values */
function median(values) {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const [low, high] = [known[(known.length - 1) >> 1], known[known.length >> 1]];
  return known.length === 0 ? undefined : (low + high) / 2;
}

/**
 * @param {string[]} names
 * @param {Row[]} rows
 */
function documentOf(names, rows) {
  const known = versions();
  const heads = names.map((name) => (known[name] === undefined ? name : `${name} ${known[name]}`));
  const lines = rows.map(
    ({ title, digits, medians }) =>
      `| ${title} | ${medians.map((value) => value?.toFixed(digits) ?? '–').join(' | ')} |`,
  );
  return `# What protection does: a table of worlds

What becomes of calls to a service that fails in a certain way: per cent of them that succeed, unless a row says
otherwise. Medians of ten seeds, of the packages themselves on virtual time. \`cargo xtask bench --only worlds\` writes
this page, and fails if a number of rejitter's is worse than it was meant to be.

All make up to four attempts, with full jitter from 100 ms, unless a row says otherwise. The columns are the defaults:
rejitter without protection, with \`protect(breaker())\`, with \`protect(budget(), breaker(), cooldown())\`; cockatiel's
retry around a sampling breaker (half of the calls in 10 s; open for 5 s); opossum's breaker within rejitter's retry;
the token bucket of the AWS SDKs, \`@smithy/util-retry\` ${known['@smithy/util-retry'] ?? ''}.

| world | ${heads.join(' | ')} |
|---|${names.map(() => '---:|').join('')}
${lines.join('\n')}

How to read it: a breaker gives up calls while a service fails, so that the service recovers, and the fewer the better.
A budget withholds retries above a quarter of failures, so at 40% errors 70 instead of 97 of 100 calls succeed. In an
outage that stalls, calls without protection send three times as many requests as there are calls, and the service
never recovers (40 s are the end of that world). What no part protects from: hundreds of processes of which each makes
few calls, and a death that shows as timeouts of 10 s, which a breaker notices after some 15 s.

Without a success no token comes back. Of the client whose first attempts all fail, four attempts in an outage of 25
minutes take all 50 tokens of its budget, and its retries never come back; two attempts take half of them.
`;
}
