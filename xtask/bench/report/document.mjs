// Writes the part of docs/benchmarks.md between two markers, and the same for the terminal.

import { BARE, BARE_FETCH, BREAKER, BUDGET, BY_HAND, FUNCTION, LIGHT, POLICY, WRAPPED } from '../contenders.mjs';
import { difference, ratio, spread } from '../lib/stats.mjs';
import { digits, markdownTable, named as withVersion, whole, withSpread, wrapped } from './table.mjs';

/** @typedef {import('../lib/stats.mjs').Spread} Spread */

const PLACE = /(?<=\n<!-- Written by cargo xtask bench --docs. -->\n)[^]*(?=\n<!-- Until here. -->\n)/;

/** The text with what is between the markers replaced. */
export function between(text, block) {
  if (!PLACE.test(text)) throw new Error(`the text has no place like ${PLACE}`);
  return text.replace(PLACE, () => block.trim());
}

/** Shown with their first operations, on two Nodes. */
const FIRST_OPERATIONS = [POLICY, FUNCTION, LIGHT, 'p-retry', 'cockatiel', BY_HAND];

/** Others take part under one name; rejitter under three, and its imports have names of their own. */
const BUNDLES = {
  [POLICY]: 'RetryPolicy',
  [FUNCTION]: 'retryWithFullJitter',
  [LIGHT]: LIGHT,
};

/** The columns. */
const HEADS = [
  'first success, × bare call',
  '3 failures, then success, × loop',
  'heap in a wait, B',
  'cold start, ms',
  'in an app, B',
];

/**
 * The numbers of a contender in the order of {@link HEADS}, undefined where not measured.
 * @typedef {{ name: string, values: (Spread | number | undefined)[] }} Row
 */

function rowsOf({ success, retries, heap = {}, cold: { first: cold } = { first: {} }, sizes }) {
  const names = [success?.samples, retries?.samples, heap, cold].flatMap((part) => Object.keys(part ?? {}));
  return [...new Set(names)]
    .filter((name) => name !== BARE)
    .map((name) => ({
      name,
      values: [
        success?.samples[name] && ratio(success.samples[name], success.samples[BARE]),
        retries?.samples[name] && ratio(retries.samples[name], retries.samples[BY_HAND]),
        heap[name]?.pending,
        cold[name] && difference(cold[name], cold[BARE]),
        (sizes?.ours[BUNDLES[name]] ?? sizes?.peers[name])?.brotli,
      ],
    }));
}

/** A table cell. */
const cell = (value) => (typeof value === 'number' ? whole(value) : withSpread(value));

/** The paragraphs of each part that was measured. */
export function block({ when, machine, versions, node, parts, others, quick }) {
  const named = (name) => withVersion(name, versions);
  const rows = rowsOf(parts);
  const rounds = parts.success?.samples[BARE].length;
  const paragraphs = [
    wrapped(`
      Measured on ${when.slice(0, 10)}: rejitter ${versions.rejitter}, Node ${node}, ${machine.platform},
      ${machine.cores} cores (${machine.processor}). ${quick ? 'A quick run. ' : ''}
      ${Math.max(...others) > 0.1 ? 'The machine was shared with others, so the spreads are wide. ' : ''}
      Medians${rounds ? ` of ${rounds} shuffled rounds` : ''} in ${quick ? 'one process' : 'five processes'} (cold start: of
      a process each), in brackets the quartiles.`),
  ];
  if (rows.length > 0) {
    paragraphs.push(
      markdownTable([['', ...HEADS], ...rows.map(({ name, values }) => [named(name), ...values.map(cell)])]),
      wrapped(`
        First success: \`await\` of an operation whose first attempt succeeds, as a multiple of \`await fn()\`. Three
        failures: the waits take no time (\`setImmediate\`), as a multiple of the hand-written loop. Heap: of an
        operation that waits, its timer included. Cold start: import and first success, in a new process, beyond those
        of the bare call; before a first failure, new space is collected, since what is due of that depends on all that
        a program has loaded. In an app: minified by esbuild, compressed by brotli; rejitter's wasm is in it.`),
    );
  }
  if (parts.success) {
    const notes = Object.entries(parts.success.notes).map(([name, note]) => `${name} (${note})`);
    paragraphs.push(wrapped(`Not alike in all: ${notes.join(', ')}.`));
  }
  for (const [name, paragraph] of Object.entries(PARAGRAPHS))
    if (parts[name]) paragraphs.push(paragraph(parts[name], parts, named, node));
  return paragraphs.join('\n\n');
}

const PARAGRAPHS = {
  sizes({ ours, together }) {
    const alone = Object.entries(ours).map(([name, { brotli }]) => [`${name} alone`, whole(brotli)]);
    const added = together.map(({ parts, base, brotli }) => [`${parts}, beside ${base}`, `+${whole(brotli)}`]);
    return markdownTable([['in an app', 'B'], ...alone, ...added]);
  },
  older(older, { cold, success }, named, node) {
    const nodes = success && cold ? [{ node, cold, success }, older] : [older];
    const rows = nodes.flatMap(({ node, cold: { first, ...later }, success: { samples } }) =>
      FIRST_OPERATIONS.map((name) => [
        `${named(name)}, Node ${node.split('.')[0]}`,
        cell(first[name] && difference(first[name], first[BARE])),
        cell(samples[name] && ratio(samples[name], samples[BARE])),
        ...[later.failure, later.second, later.turn].map((part) => cell(part[name] && spread(part[name]))),
      ]),
    );
    const heads = ['cold start', 'first success, ×', 'first failure', 'second failure', 'longest turn after'];
    return markdownTable([['the first operations, ms', ...heads], ...rows]);
  },
  fetch({ good, retried }, { sizes }, named) {
    const times = ({ samples }, name) => withSpread(samples[name] && ratio(samples[name], samples[BARE_FETCH]));
    const cost = digits(spread(good.samples[BARE_FETCH]).median / 1000);
    const names = Object.keys(good.samples).filter((name) => name !== BARE_FETCH);
    return markdownTable([
      [`× a fetch that answers at once (${cost} µs)`, '200', '503, then 200', 'in an app, B'],
      ...names.map((name) => {
        const bytes = (sizes?.ours[name] ?? sizes?.peers[name])?.brotli;
        return [named(name), times(good, name), times(retried, name), cell(bytes)];
      }),
    ]);
  },
  protection({ samples, perKey }) {
    const times = (name, other = POLICY) => withSpread(ratio(samples[name], samples[other]));
    return wrapped(`
      Protection: a first success takes ${times(BUDGET)} times as long with a budget, ${times(BREAKER)} times with a
      breaker: ${times(BREAKER, WRAPPED)} of cockatiel's retry around its circuit breaker. A key with both takes
      ${whole(perKey)} B.`);
  },
  bulk({ samples, delays }) {
    const ours = samples['rejitter-lab, sample'];
    const over = (name) => withSpread(ratio(samples[name], ours));
    return wrapped(`
      \`sample\` of \`rejitter-lab\` draws ${whole(delays)} full-jitter delays in ${digits(spread(ours).median)} ms:
      ${over('JS loop')} times as fast as a loop with \`Math.random\`, ${over('JS loop, ceilings in a table')} times as
      fast as one with its ceilings in a table.`);
  },
  simulation: ({ ms, events }) =>
    `\`simulateContention\` handles ${digits(events / ms / 1000)} million events per second.`,
};
