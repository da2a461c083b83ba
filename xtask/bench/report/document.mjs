// @ts-check
// The tables of docs/benchmarks.md, written between two markers.

import { mainOf } from '../lib/nodes.mjs';
import { difference, ratio, spread } from '../lib/stats.mjs';
import { ALONE, BREAKER, BUDGET, WRAPPED } from '../protected/names.mjs';
import { eventsPerS } from './sections.mjs';
import { inMain } from './targets.mjs';
import { digits, markdownTable, whole, withSpread, wrapped } from './table.mjs';

/** @typedef {import('../lib/stats.mjs').Spread} Spread */

export const BEGIN = '<!-- Written by cargo xtask bench --docs. -->';
export const END = '<!-- Until here. -->';

/**
 * The text with what is between the markers replaced.
 * @param {string} text
 * @param {string} block
 */
export function between(text, block) {
  const [before, ...afterBegin] = text.split(BEGIN);
  const [, ...afterEnd] = afterBegin.join(BEGIN).split(END);
  if (afterBegin.length !== 1 || afterEnd.length !== 1)
    throw new Error(`the text must have ${BEGIN} and after it ${END}, once each`);
  return `${before}${BEGIN}\n${block.trim()}\n${END}${afterEnd[0]}`;
}

/** Others take part under one name; rejitter under three, and its imports have names of their own. */
const BUNDLES = /** @type {Record<string, string>} */ ({
  'rejitter, policy': 'RetryPolicy',
  'rejitter, function': 'retryWithFullJitter',
  'rejitter/light': 'rejitter/light',
});

/**
 * The document's numbers of a contender, undefined where not measured.
 * @typedef {object} Row
 * @property {string} name
 * @property {Spread} [success]
 * @property {Spread} [retries]
 * @property {number} [heap]
 * @property {Spread} [cold]
 * @property {number} [brotli]
 */

/**
 * @param {Record<string, any>} parts
 * @returns {Row[]}
 */
export function rowsOf({ success, retries, heap, cold, sizes }) {
  const succeeded = inMain(success).samples;
  const retried = inMain(retries).immediate.samples;
  const { contenders } = inMain(heap);
  const { first } = inMain(cold);
  return Object.keys(succeeded)
    .filter((name) => name !== 'bare call')
    .map((name) => ({
      name,
      success: ratio(succeeded[name], succeeded['bare call']),
      retries: retried[name] && ratio(retried[name], retried['hand-written loop']),
      heap: contenders[name]?.wait?.pending,
      cold: first[name] && difference(first[name], first['bare call']),
      brotli: (sizes.ours[BUNDLES[name]] ?? sizes.peers[name])?.brotli,
    }));
}

/** The comparison in words, and how to repeat it. */
const MEASURES = /** @type {const} */ ([
  ['first success', 'success', (/** @type {number} */ value) => `${digits(value)}×`],
  ['retries', 'retries', (/** @type {number} */ value) => `${digits(value)}×`],
  ['heap in a wait', 'heap', (/** @type {number} */ value) => `${whole(value)} B`],
  ['cold start', 'cold', (/** @type {number} */ value) => `${digits(value)} ms`],
  ['bytes in an app', 'brotli', (/** @type {number} */ value) => `${whole(value)} B`],
]);

/** @param {Spread | number | undefined} value */
const middle = (value) => (typeof value === 'object' ? value.median : value);

/**
 * Names, for each measure, the contenders that match or beat rejitter's policy; less than 5% counts as equal.
 * @param {Row[]} rows
 * @returns {{ measure: string, own: string, others: string[] }[]}
 */
export function aheadOf(rows) {
  const own = rows.find(({ name }) => name === 'rejitter, policy');
  if (own === undefined) throw new Error('rejitter was not measured');
  return MEASURES.map(([measure, key, show]) => {
    const mine = /** @type {number} */ (middle(own[key]));
    const others = rows
      .filter(({ name }) => !name.startsWith('rejitter'))
      .map((row) => ({ name: row.name, value: middle(row[key]) }))
      .filter((other) => other.value !== undefined && other.value <= mine * 1.05)
      .sort((a, b) => Number(a.value) - Number(b.value));
    return {
      measure,
      own: show(mine),
      others: others.map(({ name, value }) => `${name} (${show(/** @type {number} */ (value))})`),
    };
  });
}

/** @param {any} results */
export function block(results) {
  const { when, machine, versions, nodes, parts, others, quick } = results;
  const rows = rowsOf(parts);
  const mainNode = mainOf(Object.keys(parts.success), (host) => host);
  const rounds = inMain(parts.success).samples['bare call'].length;
  const shared = Math.max(...others) > 0.1;
  const table = markdownTable([
    [
      '',
      'first success, × bare call',
      '3 failures, then success, × loop',
      'heap in a wait, B',
      'cold start, ms',
      'in an app, B',
    ],
    ...rows.map(({ name, success, retries, heap, cold, brotli }) => [
      versions[name] ? `${name} ${versions[name]}` : name,
      withSpread(success),
      withSpread(retries),
      heap === undefined ? '—' : whole(heap),
      withSpread(cold),
      brotli === undefined ? '—' : whole(brotli),
    ]),
  ]);
  const ahead = aheadOf(rows)
    .map(({ measure, own, others: names }) =>
      wrapped(`- ${measure} (rejitter: ${own}): ${names.length > 0 ? names.join(', ') : 'none'}`).replaceAll(
        '\n',
        '\n  ',
      ),
    )
    .join('\n');
  return [
    wrapped(`
      Measured on ${when.slice(0, 10)}: rejitter ${versions.rejitter}, Node ${nodes[mainNode]}, ${machine.platform},
      ${machine.cores} cores (${machine.processor}). ${quick ? 'A quick run. ' : ''}
      ${shared ? 'The machine was shared with others, so the spreads are wide. ' : ''}
      Medians of ${rounds} shuffled rounds in one process (cold start: of a process each), in brackets the quartiles.`),
    table,
    wrapped(`
      First success: \`await\` of an operation whose first attempt succeeds, as a multiple of \`await fn()\`. Three
      failures: the waits take no time (\`setImmediate\`), as a multiple of the hand-written loop. Heap: of an operation
      that waits, its timer included. Cold start: import and first success, in a new process, beyond those of an empty
      module. In an app: minified by esbuild, compressed by brotli; rejitter's wasm is in it.`),
    wrapped(
      `Not alike in all: ${Object.entries(inMain(parts.success).notes)
        .map(([name, note]) => `${name} (${note})`)
        .join(', ')}.`,
    ),
    "As good as rejitter's policy or better, by each measure:",
    ahead,
    fetchTable(parts, versions),
    wrapped(protectionLine(parts)),
    wrapped(`${bulkLine(parts)} ${simulationLine(parts)}`),
  ].join('\n\n');
}

/**
 * @param {Record<string, any>} parts
 * @param {Record<string, string>} versions
 */
function fetchTable({ fetch, sizes }, versions) {
  const cases = inMain(fetch);
  const names = Object.keys(cases['200'].samples).filter((name) => name !== 'bare fetch');
  const cell = (/** @type {string} */ which, /** @type {string} */ name) => {
    const { samples } = cases[which];
    return samples[name] ? withSpread(ratio(samples[name], samples['bare fetch'])) : '—';
  };
  const cost = digits(spread(cases['200'].samples['bare fetch']).median / 1000);
  return markdownTable([
    [`× a fetch that answers at once (${cost} µs)`, '200', '503, then 200', 'in an app, B'],
    ...names.map((name) => [
      versions[name] ? `${name} ${versions[name]}` : name,
      cell('200', name),
      cell('503, then 200', name),
      whole((sizes.ours[name] ?? sizes.peers[name]).brotli),
    ]),
  ]);
}

/** @param {Record<string, any>} parts */
function bulkLine({ bulk }) {
  const { samples, delays } = inMain(bulk);
  const ours = samples['rejitter/lab, sample'];
  const over = (/** @type {string} */ name) => withSpread(ratio(samples[name], ours));
  return (
    `\`sample\` of \`rejitter/lab\` draws ${whole(delays)} full-jitter delays in ${digits(spread(ours).median)} ` +
    `ms: ${over('JS loop')} times as fast as a loop with \`Math.random\`, ${over('JS loop, ceilings in a table')} ` +
    'times as fast as one with its ceilings in a table.'
  );
}

/** @param {Record<string, any>} parts */
function protectionLine({ protection }) {
  const { samples, memory } = inMain(protection);
  const times = (/** @type {string} */ name, /** @type {string} */ other = ALONE) =>
    withSpread(ratio(samples[name], samples[other]));
  return (
    `Protection: a first success takes ${times(BUDGET)} times as long with a budget, ${times(BREAKER)} times with a ` +
    `breaker: ${times(BREAKER, WRAPPED)} of cockatiel's retry around its circuit breaker. A key with both takes ` +
    `${whole(memory.perKey)} B.`
  );
}

/** @param {Record<string, any>} parts */
function simulationLine({ simulation }) {
  const [ours, twin] = /** @type {any[]} */ (Object.values(inMain(simulation).cells));
  return (
    `\`simulateContention\` handles ${digits(eventsPerS(ours) / 1e6)} million events per second, ` +
    `${digits(eventsPerS(ours) / eventsPerS(twin))} times as many as the same model in plain JavaScript.`
  );
}
