// The backoff iterator: the waits of an operation in which every attempt fails.

import { isCount } from '../options/checks.js';
import { hasOwnCurve } from '../options/codes.js';
import { problemOf } from '../options/messages.js';
import { read } from '../options/reader.js';
import { COUNT, LONGEST } from '../options/rules.js';
import { RULES } from '../options/table.js';
import { inheriting } from '../options/settings.js';
import { computed } from '../run/decision.js';
import { hide } from '../run/report.js';

/** @import { Settings } from '../options/settings.js' */

/**
 * Returns the iterator of all waits. It inherits from the prototype of all built-in iterators: `[Symbol.iterator]`, and
 * `map`, `take`, … where the host has them.
 * @type {(policy: Settings, options: unknown) => any}
 */
export function delaysOf(policy, options) {
  const settings = reseeded(read(options, { seed: RULES.seed }).seed, policy);
  const state = { index: 0, previous: -1 };
  let attempt = 1;
  /** @returns {IteratorResult<number, undefined>} */
  const next = () => {
    if (attempt >= settings.maxAttempts) return { done: true, value: undefined };
    const value = computed(settings, state, attempt, undefined);
    attempt++;
    return { done: false, value };
  };
  // Starts again, as the next operation: the same curve, fresh draws.
  const reset = () => {
    attempt = 1;
    state.previous = -1;
    state.index++;
  };
  const iterator = Object.create(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())));
  hide(iterator, 'next', next);
  hide(iterator, 'reset', reset);
  return iterator;
}

/** Sets a seed, which replaces `random`. @param {Settings['seed']} seed @param {Settings} settings */
function reseeded(seed, settings) {
  return seed === undefined ? settings : inheriting(settings, { seed, random: undefined });
}

/** The last wait of a chain that is computed: each one depends on the one before. */
const LONGEST_CHAIN = 100_000;

/** Returns a wait, whatever `maxAttempts` is. @type {(policy: Settings, k: any, options: any) => number} */
export function delayOf(policy, k, options) {
  const rules = { seed: RULES.seed, operation: COUNT, hintMs: LONGEST };
  const { seed, operation = 0, hintMs = 0 } = read(options, rules);
  const settings = reseeded(seed, policy);
  const chained = hasOwnCurve(settings.jitter);
  if (!isCount(k) || k > (chained ? LONGEST_CHAIN : Number.MAX_SAFE_INTEGER))
    throw problemOf('k', k, ['number', 'waitNumber', chained ? '100,000' : '2^53 - 1']);
  const state = { index: operation, previous: -1 };
  for (let i = chained ? 1 : k; i < k; i++) computed(settings, state, i, undefined);
  const delayMs = computed(settings, state, k, hintMs);
  // An operation would stop here; a number could not say so.
  if (delayMs < 0) throw problemOf('hintMs', hintMs, ['number', 'mostHint']);
  return delayMs;
}
