// Targets and what was reached. A miss is reported but fails nothing: times depend on the machine.

import { BUDGETS } from '../../../tests/package/lib/budgets.mjs';
import {
  BARE,
  BARE_FETCH,
  BREAKER,
  BUDGET,
  BY_HAND,
  FETCH,
  FUNCTION,
  LIGHT,
  POLICY,
  TRANSLATED,
  WRAPPED,
} from '../contenders.mjs';
import { difference, median, ratio } from '../lib/stats.mjs';
import { digits, markdownTable, whole } from './table.mjs';

/**
 * What, how much it is, and the most or the least that it should be.
 * @typedef {[string, number, '≤' | '≥', number]} Aim
 */

const times = (samples, name, other) => (samples[other] ? ratio(samples[name], samples[other]).median : NaN);

/** The aims of a Node: how long its first operations take. */
const ofNode = (node, { success: { samples }, cold: { first, failure, second, turn }, heap }) => {
  const beyond = (name) => (first[name] ? difference(first[name], first[BARE]).median : NaN);
  const cold = (name) => beyond(name) / beyond('p-retry');
  const failed = (name) => median(failure[name]) / median(failure['p-retry']);
  const old = node.startsWith('20.');
  return [
    ['first success, policy, × cockatiel', times(samples, POLICY, 'cockatiel'), '≤', 1.05],
    ['first success, function, × cockatiel', times(samples, FUNCTION, 'cockatiel'), '≤', 1.3],
    ['cold start of the policy, × p-retry', cold(POLICY), '≤', old ? 1.25 : 1.6],
    ['cold start of rejitter/light, × p-retry', cold(LIGHT), '≤', 0.76],
    ['first failure of a process, policy, × p-retry', failed(POLICY), '≤', old ? 1.9 : 2.5],
    ['first failure of a process, light, × p-retry', failed(LIGHT), '≤', 0.6],
    ['second failure, ms', median(second[POLICY]), '≤', 0.25],
    ['longest turn after that, ms', median(turn[POLICY]), '≤', 0.5],
    ...(heap ? [['heap of an operation in a wait, B', heap[POLICY].pending, '≤', old ? 1190 : 1170]] : []),
  ].map(([what, ...aim]) => [`Node ${node}: ${what}`, ...aim]);
};

const AIMS = {
  sizes: ({ ours, together }) => [
    ...BUDGETS.flatMap(({ name, target }) =>
      target === undefined ? [] : [[`${name} in an app, B of brotli`, ours[name].brotli, '≤', target]],
    ),
    ...together.map(({ parts, base, brotli, target }) => [`${parts} beside ${base}, B of brotli`, brotli, '≤', target]),
  ],
  success: ({ samples }) => [
    ['first success, policy, × p-retry', times(samples, POLICY, 'p-retry'), '≤', 0.7],
    ['first success, function, × p-retry', times(samples, FUNCTION, 'p-retry'), '≤', 1],
    ['first success, light with three options, × bare call', times(samples, LIGHT, BARE), '≤', 7.5],
  ],
  fetch: ({ good, retried }) => [
    ['fetch, 200, × a fetch that answers at once', times(good.samples, FETCH, BARE_FETCH), '≤', 3.6],
    ['the same, × ofetch', times(good.samples, FETCH, 'ofetch'), '≤', 1],
    ['fetch, 503, then 200, × a fetch that answers at once', times(retried.samples, FETCH, BARE_FETCH), '≤', 10],
    ['the same, × ky', times(retried.samples, FETCH, 'ky'), '≤', 0.25],
  ],
  retries: ({ samples }) => [
    ['3 failures, then success, × hand-written loop', times(samples, POLICY, BY_HAND), '≤', 1.24],
    ['the same, JavaScript form, × the form with the wasm', times(samples, TRANSLATED, POLICY), '≤', 1.05],
    ['3 failures, then success, light, × hand-written loop', times(samples, LIGHT, BY_HAND), '≤', 1.3],
  ],
  protection: ({ samples, perKey }) => [
    ['first success with a budget, × without', times(samples, BUDGET, POLICY), '≤', 1.2],
    ['first success with a breaker, × without', times(samples, BREAKER, POLICY), '≤', 1.6],
    ['the same, × cockatiel with a breaker', times(samples, BREAKER, WRAPPED), '≤', 0.6],
    ['budget and breaker of a key, B', perKey, '≤', 600],
  ],
  heap: ({ [POLICY]: { pending, kept }, [LIGHT]: light }) => [
    ['heap of an operation in a wait, B', pending, '≤', 1170],
    ['the same of light, B', light.pending, '≤', 1500],
    ['kept after the end, B', kept, '≤', 10],
  ],
  cold: (cold, { success }, node) => (success ? ofNode(node, { success, cold }) : []),
  older: (results) => ofNode(results.node, results),
  bulk: ({ samples }) => [
    ['bulk delays, × as fast as the JS loop', times(samples, 'JS loop', 'rejitter-lab, sample'), '≥', 3],
  ],
  simulation: ({ ms, events }) => [['simulation, M messages/s (both ways)', (2 * events) / ms / 1000, '≥', 20]],
};

/** Bytes to the byte: a limit is not rounded. */
const exactly = (value) => (Math.abs(value) >= 1000 ? whole(value) : digits(value));

/** The aims of the parts that were measured, as a table. What could not be measured is not met. */
export function aims({ parts, node }) {
  const all = Object.entries(parts).flatMap(([name, part]) => AIMS[name]?.(part, parts, node) ?? []);
  const rows = all.map(([what, value, sign, limit]) => {
    const met = sign === '≤' ? value <= limit : value >= limit;
    return [what, exactly(value), `${sign} ${exactly(limit)}`, met ? 'met' : 'NOT MET'];
  });
  return markdownTable([['aim', 'is', 'should be', ''], ...rows]);
}
