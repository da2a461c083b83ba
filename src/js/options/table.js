// Written by `node xtask/npm/options.mjs`, of the table of all options: crates/rejitter/src/data/table.rs.

import * as rules from './rules.js';

/** The options by name. @type {Readonly<Record<string, import('./reader.js').Rule>>} */
export const RULES = {
  baseMs: rules.MILLISECONDS,
  capMs: rules.LONGEST,
  minMs: rules.MILLISECONDS,
  factor: rules.FACTOR,
  backoff: rules.BACKOFF,
  jitter: rules.JITTER,
  stepMs: rules.MILLISECONDS,
  truncateAt: rules.TRUNCATE_AT,
  maxRetryAfterMs: rules.LONGEST,
  longRetryAfter: /* @__PURE__ */ rules.choice('stop', 'cap'),
  maxAttempts: rules.MAX_ATTEMPTS,
  attemptTimeoutMs: rules.LIMIT,
  idleTimeoutMs: rules.IDLE,
  totalTimeoutMs: rules.LIMIT,
  signal: rules.SIGNAL,
  hint: rules.FUNCTION,
  retryIf: rules.FUNCTION,
  retryOnResult: rules.FUNCTION,
  onAttempt: rules.HOOK,
  onFailure: rules.HOOK,
  onRetry: rules.HOOK,
  onSuccess: rules.HOOK,
  onGiveUp: rules.HOOK,
  beforeRetry: rules.FUNCTION,
  name: rules.TEXT,
  random: rules.FUNCTION,
  seed: rules.SEED,
  unref: rules.SWITCH,
  finalError: /* @__PURE__ */ rules.choice('last', 'wrap'),
  finalResult: /* @__PURE__ */ rules.choice('resolve', 'reject'),
  protection: rules.PROTECT,
  metrics: rules.POLICY_SWITCH,
};
