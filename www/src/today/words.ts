/** The fate of a policy, and what one change does. */
import { count, doing, duration, plural } from '../charts/format';
import { ENOUGH, MOST_ATTEMPTS, type Fate } from '../compute/outage';

/** Describes the fate of the clients, and their fate with the change. */
export function inWords(name: string, clients: number, now: Fate, changed: Fate | undefined): string {
  const fate = ({ served, gaveUp, lastServedMs }: Fate): string =>
    `${count(served)} of ${count(clients)} are served` +
    (served === clients ? ` by ${duration(lastServedMs ?? 0)}` : gaveUp > 0 ? `, ${doing(gaveUp, 'give')} up` : '');
  const first = `${name}: ${fate(now)}.`;
  if (!changed)
    return now.served >= ENOUGH * clients
      ? `${first} Keep it.`
      : `${first} Neither full jitter nor up to ${MOST_ATTEMPTS} attempts serve 99%.`;
  const what = [
    ...(changed.strategy.jitter === now.strategy.jitter ? [] : ['full jitter']),
    ...(changed.strategy.maxAttempts === now.strategy.maxAttempts
      ? []
      : [plural(changed.strategy.maxAttempts, 'attempt')]),
    ...(changed.strategy.totalTimeoutMs === now.strategy.totalTimeoutMs ? [] : ['no deadline']),
  ];
  return `${first} With ${what.join(' and ')}: ${fate(changed)}.`;
}
