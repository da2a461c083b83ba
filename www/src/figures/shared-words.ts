/** Protections and loads in words. */
import { share } from '../charts/format';
import type { Shared } from '../compute/load';

export const SHARED_NAMES: Readonly<Record<Shared, string>> = {
  none: 'nothing',
  budget: 'budget',
  breaker: 'breaker',
  both: 'both',
};

export const WITH_SHARED: Readonly<Record<Shared, string>> = {
  none: 'without protection',
  budget: 'with a budget',
  breaker: 'with a breaker',
  both: 'with both',
};

/** 102% of the capacity, 9.3 times the capacity. */
export function loadInWords(load: number): string {
  return load < 2 ? `${share(load)} of the capacity` : `${Number(load.toPrecision(2))} times the capacity`;
}

/** Where new requests alone are too many. */
export function tooMuch(demand: number): string {
  return `New requests alone take ${share(demand)} of the capacity: neither backoff nor protection makes up for that.`;
}
