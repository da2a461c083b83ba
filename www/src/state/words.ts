/** The settings of the page in one sentence, for exported pictures. */
import { count, duration, plural, rate, share } from '../charts/format';
import type { State } from './state';
import { policyOptions, title } from './strategy';

/** How an option is written; the others, as the package names them. */
const WRITTEN: Readonly<Record<string, (value: number) => string>> = {
  baseMs: (ms) => `base ${duration(ms)}`,
  capMs: (ms) => (ms === Infinity ? 'no cap' : `cap ${duration(ms)}`),
  minMs: (ms) => `at least ${duration(ms)}`,
  stepMs: (ms) => `step ${duration(ms)}`,
  factor: (factor) => `factor ${factor}`,
  truncateAt: (wait) => `truncated at wait ${wait}`,
  maxAttempts: (n) => (n === Infinity ? 'no limit on attempts' : plural(n, 'attempt')),
  totalTimeoutMs: (ms) => `deadline ${duration(ms)}`,
};

export function settingsInWords(state: State): string {
  const { clients, downMs, capacityPerS, limits, rejectionCost } = state.herd;
  const outage = `${count(clients)} clients, server down for ${duration(downMs)}, then ${rate(capacityPerS)}`;
  const cost = `a rejected call costs ${share(rejectionCost)} of a served one`;
  return [strategyInWords(state), outage, cost, ...(limits === 'served' ? ['clients retry until served'] : [])].join(
    '; ',
  );
}

export function strategyInWords({ strategy }: Pick<State, 'strategy'>): string {
  const options = Object.entries(policyOptions(strategy)).flatMap(([name, value]) => {
    if (typeof value !== 'number') return [];
    return WRITTEN[name]?.(value) ?? `${name} ${value}`;
  });
  return [title(strategy), ...options].join(', ');
}
