/** Protections in words. */
import type { Shared } from './compute';

export const SHARED_NAMES: Readonly<Record<Shared, string>> = {
  none: 'Retries, no protection',
  single: 'No retries at all',
  budget: 'Budget',
  breaker: 'Breaker',
  both: 'Budget and breaker',
};
