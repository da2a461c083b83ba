// @ts-check
// The results of each part as tables.

import { BUDGETS } from '../../../tests/package/lib/budgets.mjs';
import { difference, ratio, spread } from '../lib/stats.mjs';
import { ALONE } from '../protected/names.mjs';
import { digits, textTable, whole, withSpread } from './table.mjs';

/** @typedef {{ title: string, table: string[][], notes: string[] }} Section */
/** @typedef {Record<string, number[]>} Samples */

/** The names in all of the records, in the order of the first that has them. */
const namesIn = (/** @type {Record<string, unknown>[]} */ ...records) => [
  ...new Set(records.flatMap((record) => Object.keys(record))),
];

/**
 * Rows of contenders, columns of hosts: times as multiples of a baseline, and in ns on the last host.
 * @param {string} title
 * @param {Record<string, { samples: Samples, absent?: Record<string, string>, notes?: Record<string, string> }>} byHost
 * @param {string} baseline
 * @returns {Section}
 */
function ratios(title, byHost, baseline) {
  const hosts = Object.entries(byHost);
  const [lastHost, last] = hosts[hosts.length - 1];
  const head = [`times the ${baseline}`, ...hosts.map(([host]) => host), `ns, ${lastHost}`];
  const rows = namesIn(...hosts.map(([, { samples }]) => samples)).map((name) => [
    name,
    ...hosts.map(([, { samples }]) => withSpread(samples[name] && ratio(samples[name], samples[baseline]))),
    last.samples[name] ? digits(spread(last.samples[name]).median) : '—',
  ]);
  const notes = Object.entries(last.notes ?? {}).map(([name, note]) => `${name}: ${note}`);
  for (const [host, { absent = {} }] of hosts) {
    for (const [file, why] of Object.entries(absent)) notes.push(`${file} does not run in ${host}: ${why}`);
  }
  return { title, table: [head, ...rows], notes };
}

/**
 * The same for results that are once more divided, by a case.
 * @param {string} title
 * @param {any} byHost
 * @param {string} baseline
 */
function ratiosByCase(title, byHost, baseline) {
  const cases = namesIn(...Object.values(byHost));
  return cases
    .map((name) => {
      const chosen = Object.fromEntries(
        Object.entries(byHost).map(([host, results]) => [host, /** @type {any} */ (results)[name]]),
      );
      return ratios(`${title}: ${name}`, chosen, baseline);
    })
    .map((section, i) => (i === 0 ? section : { ...section, notes: [] }));
}

/** @param {any} byHost */
const success = (byHost) => [ratios('The first attempt succeeds', byHost, 'bare call')];

/** @param {any} byHost */
const retries = (byHost) => ratiosByCase('Three failures, then success; timers', byHost, 'hand-written loop');

/** @param {any} byHost */
const fetches = (byHost) => ratiosByCase('fetch, over one that answers at once; answers', byHost, 'bare fetch');

/**
 * @param {any} byHost
 * @returns {Section[]}
 */
function protection(byHost) {
  const [host, { memory }] = /** @type {[string, any]} */ (Object.entries(byHost).at(-1));
  const { perKey, kept, keys, operations } = memory;
  const note =
    `${whole(perKey)} B for each key with a budget and a breaker; after ${whole(keys)} more keys and ` +
    `${whole(operations)} operations, ${digits(kept / 1000)} kB more, ${host}`;
  const section = ratios('The first attempt succeeds, under protection', byHost, ALONE);
  return [{ ...section, notes: [...section.notes, note] }];
}

/** @param {any} byHost */
const browsers = (byHost) => [ratios('The first attempt succeeds, in browsers', byHost, 'bare call')];

/**
 * @param {any} byHost
 * @returns {Section[]}
 */
function heap(byHost) {
  return Object.entries(byHost).map(([host, { contenders, absent }]) => {
    const head = ['bytes', 'in an attempt', 'kept', 'in a wait', 'kept', 'kept of many', 'wasm memory'];
    const rows = Object.entries(contenders).map(([name, { attempt, wait, many, wasmBytes, wasmInstances }]) => [
      name,
      whole(attempt.pending),
      digits(attempt.kept),
      wait ? whole(wait.pending) : '—',
      wait ? digits(wait.kept) : '—',
      whole(many.kept),
      wasmInstances > 0 ? whole(wasmBytes) : '—',
    ]);
    const [
      {
        many: { operations },
      },
    ] = /** @type {any[]} */ (Object.values(contenders));
    const notes = [
      'per operation; in a wait with the timer of Node; kept: after its end, a few bytes are noise',
      `kept of many: of ${whole(operations)} operations together, half of which failed once`,
      ...Object.entries(absent).map(([file, why]) => `${file} does not run: ${why}`),
    ];
    return { title: `Memory, ${host}`, table: [head, ...rows], notes };
  });
}

/**
 * @param {any} byHost
 * @returns {Section[]}
 */
function cold(byHost) {
  const hosts = Object.entries(byHost);
  return [
    {
      title: 'Cold start: import and first success, in ms beyond an empty module',
      of: (/** @type {any} */ { first }, /** @type {string} */ name) =>
        first[name] && difference(first[name], first['bare call']),
    },
    {
      title: 'Cold start: then the first failure with its retry, in ms',
      of: (/** @type {any} */ { failure }, /** @type {string} */ name) => failure[name] && spread(failure[name]),
    },
  ].map(({ title, of }, i) => {
    const names = namesIn(...hosts.map(([, { first }]) => first))
      .filter((name) => name !== 'bare call')
      .sort();
    const rows = names.map((name) => [name, ...hosts.map(([, result]) => withSpread(of(result, name)))]);
    const notes =
      i > 0
        ? []
        : hosts.flatMap(([host, { absent }]) =>
            Object.entries(absent).map(([file, why]) => `${file} does not run in ${host}: ${why}`),
          );
    return { title, table: [['', ...hosts.map(([host]) => host)], ...rows], notes };
  });
}

/**
 * @param {{ ours: Record<string, import('../../../tests/package/lib/budgets.mjs').Size>, peers: Record<string, import('../../../tests/package/lib/budgets.mjs').Size> }} results
 * @returns {Section[]}
 */
function sizes({ ours, peers }) {
  const budgets = new Map(BUDGETS.map((budget) => [budget.name, budget]));
  const rows = Object.entries({ ...ours, ...peers }).map(([name, { raw, gzip, brotli }]) => {
    const { limit, target } = budgets.get(name) ?? {};
    const budget = limit === undefined ? '' : `${whole(limit)}${brotli > limit ? ', EXCEEDED' : ''}`;
    return [name, whole(raw), whole(gzip), whole(brotli), budget, target ? whole(target) : ''];
  });
  return [
    {
      title: 'Bytes in an app, minified by esbuild',
      table: [['', 'raw', 'gzip', 'brotli', 'budget', 'aim'], ...rows],
      notes: [],
    },
  ];
}

/**
 * @param {any} byHost
 * @returns {Section[]}
 */
function bulk(byHost) {
  const hosts = Object.entries(byHost);
  const [, first] = hosts[0];
  const names = Object.keys(first.samples);
  const rows = names.map((name) => [
    name,
    ...hosts.map(
      ([, { samples }]) =>
        `${digits(spread(samples[name]).median)} ms, ×${withSpread(ratio(samples['JS loop'], samples[name]))}`,
    ),
  ]);
  return [
    {
      title: `${whole(first.delays)} full-jitter delays into a Float64Array; × how much faster than the loop`,
      table: [['', ...hosts.map(([host]) => host)], ...rows],
      notes: [],
    },
  ];
}

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

/** @param {{ ms: number[], events: number[] }} cells */
export const eventsPerS = ({ ms, events }) => (sum(events) / sum(ms)) * 1000;

/**
 * @param {any} byHost
 * @returns {Section[]}
 */
function simulation(byHost) {
  const hosts = Object.entries(byHost);
  const [, first] = hosts[0];
  const names = Object.keys(first.cells);
  const rows = names.map((name) => [
    name,
    ...hosts.map(([, { cells }]) => `${digits(eventsPerS(cells[name]) / 1e6)} M/s`),
  ]);
  const [ours, twin] = names;
  rows.push([
    'faster, in the median cell',
    ...hosts.map(([, { cells }]) => withSpread(ratio(cells[twin].ms, cells[ours].ms))),
  ]);
  const arrivals = sum(first.cells[ours].events);
  return [
    {
      title: 'Simulation of the AWS figure: messages that arrive at the server, per second',
      table: [['', ...hosts.map(([host]) => host)], ...rows],
      notes: [`${whole(arrivals)} of them, with their answers twice as many; ${first.runs} runs of each cell`],
    },
  ];
}

/** @type {Record<string, (results: any) => Section[]>} */
const SECTIONS = {
  sizes,
  success,
  retries,
  fetch: fetches,
  protection,
  heap,
  cold,
  bulk,
  simulation,
  // It has a document of its own.
  worlds: () => [],
  browsers,
};

/**
 * @param {Record<string, any>} parts the results, by name of the part
 * @returns {Section[]}
 */
export const sectionsOf = (parts) => Object.entries(parts).flatMap(([name, results]) => SECTIONS[name](results));

/** @param {Section[]} sections */
export const asText = (sections) =>
  sections
    .map(({ title, table, notes }) => [title, textTable(table), ...notes.map((note) => `  ${note}`)].join('\n'))
    .join('\n\n');
