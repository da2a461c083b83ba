/** A strategy in a sentence. */
import { duration, plural } from '../charts/format';
import { policyOptions, title, type Strategy } from './strategy';

/** How an option is written; the others, as the package names them. */
const WRITTEN: Readonly<Record<string, (value: number) => string>> = {
  baseMs: (ms) => `base ${duration(ms)}`,
  capMs: (ms) => (ms === Infinity ? 'no cap' : `cap ${duration(ms)}`),
  minMs: (ms) => `at least ${duration(ms)}`,
  factor: (factor) => `factor ${factor}`,
  truncateAt: (wait) => `truncated at wait ${wait}`,
  maxAttempts: (n) => (n === Infinity ? 'no limit on attempts' : plural(n, 'attempt')),
  totalTimeoutMs: (ms) => `deadline ${duration(ms)}`,
};

export function strategyInWords(strategy: Strategy): string {
  const options = Object.entries(policyOptions(strategy)).flatMap(([name, value]) => {
    if (typeof value !== 'number') return [];
    return WRITTEN[name]?.(value) ?? `${name} ${value}`;
  });
  return [title(strategy), ...options].join(', ');
}
