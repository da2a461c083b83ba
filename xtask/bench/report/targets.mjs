// @ts-check
// Targets and what was reached. A miss is reported but fails nothing: times depend on the machine.

import { mainOf } from '../lib/nodes.mjs';
import { difference, ratio } from '../lib/stats.mjs';
import { ALONE, BREAKER, BUDGET, WRAPPED } from '../protected/names.mjs';
import { eventsPerS } from './sections.mjs';
import { digits, whole } from './table.mjs';

/** @typedef {{ what: string, value: number, most?: number, least?: number }} Target */

const POLICY = 'rejitter, policy';

/**
 * The results of the main Node.
 * @param {Record<string, any>} byHost
 */
export const inMain = (byHost) => byHost[mainOf(Object.keys(byHost), (host) => host)];

/** @type {Record<string, (results: any) => Target[]>} */
const TARGETS = {
  sizes: ({ ours }) => [
    { what: 'one function in an app, B of brotli', value: ours.retryWithFullJitter.brotli, most: 7800 },
    { what: 'main entry in an app, B of brotli', value: ours['rejitter, everything'].brotli, most: 10_500 },
    { what: 'with fetch, B of brotli', value: ours['rejitter/fetch'].brotli, most: 13_000 },
  ],
  success: (byHost) => {
    const { samples } = inMain(byHost);
    const times = (/** @type {string} */ name, /** @type {string} */ other) =>
      samples[other] ? ratio(samples[name], samples[other]).median : NaN;
    return [
      { what: 'first success, policy, × cockatiel', value: times(POLICY, 'cockatiel'), most: 0.85 },
      { what: 'first success, policy, × p-retry', value: times(POLICY, 'p-retry'), most: 0.6 },
    ];
  },
  retries: (byHost) => {
    const { samples } = inMain(byHost).immediate;
    return [
      {
        what: '3 failures, then success, × hand-written loop',
        value: ratio(samples[POLICY], samples['hand-written loop']).median,
        most: 1.05,
      },
    ];
  },
  protection: (byHost) => {
    const { samples, memory } = inMain(byHost);
    const times = (/** @type {string} */ name, /** @type {string} */ other) =>
      ratio(samples[name], samples[other]).median;
    return [
      { what: 'first success with a budget, × without', value: times(BUDGET, ALONE), most: 1.2 },
      { what: 'first success with a breaker, × without', value: times(BREAKER, ALONE), most: 1.6 },
      { what: 'the same, × cockatiel with a breaker', value: times(BREAKER, WRAPPED), most: 0.6 },
      { what: 'budget and breaker of a key, B', value: memory.perKey, most: 600 },
    ];
  },
  heap: (byHost) => {
    const { wait, many, wasmBytes } = inMain(byHost).contenders[POLICY];
    return [
      { what: 'heap of an operation in a wait, B', value: wait.pending, most: 1070 },
      { what: 'kept after the end, B', value: wait.kept, most: 10 },
      { what: 'kept of many, B each', value: many.kept / many.operations, most: 1 },
      { what: 'wasm memory, B', value: wasmBytes, most: 0 },
    ];
  },
  cold: (byHost) => {
    const { first } = inMain(byHost);
    return first['p-retry']
      ? [
          {
            what: 'import and first success, ms beyond p-retry',
            value: difference(first[POLICY], first['p-retry']).median,
            most: 0,
          },
        ]
      : [];
  },
  bulk: (byHost) => {
    const { samples } = inMain(byHost);
    return [
      {
        what: 'bulk delays, × as fast as the JS loop',
        value: ratio(samples['JS loop'], samples['rejitter/lab, sample']).median,
        least: 3,
      },
    ];
  },
  simulation: (byHost) => {
    const [ours, twin] = /** @type {any[]} */ (Object.values(inMain(byHost).cells));
    return [
      { what: 'simulation, × as fast as plain JS', value: eventsPerS(ours) / eventsPerS(twin), least: 1.8 },
      { what: 'simulation, M messages/s (both ways)', value: (2 * eventsPerS(ours)) / 1e6, least: 20 },
    ];
  },
};

/** @param {Record<string, any>} parts */
export const targetsOf = (parts) => Object.entries(parts).flatMap(([name, results]) => TARGETS[name]?.(results) ?? []);

/** @param {Target} target */
export const isMet = ({ value, most, least }) =>
  most !== undefined ? value <= most : value >= /** @type {number} */ (least);

/**
 * Bytes to the byte: a limit is not rounded.
 * @param {number} value
 */
const exactly = (value) => (Math.abs(value) >= 1000 ? whole(value) : digits(value));

/**
 * Rows for a table.
 * @param {Target[]} targets
 */
export const targetRows = (targets) => [
  ['aim', 'is', 'should be', ''],
  ...targets.map((target) => [
    target.what,
    exactly(target.value),
    target.most !== undefined
      ? `at most ${exactly(target.most)}`
      : `at least ${exactly(/** @type {number} */ (target.least))}`,
    isMet(target) ? 'met' : 'NOT MET',
  ]),
];
