/** Strategies to start from: our own advice, and the package's presets that this page can draw exactly. */
import { RetryPolicy, type PresetName } from 'rejitter';
import { INITIAL, type Strategy } from './strategy';

export interface Preset {
  readonly label: string;
  readonly strategy: Strategy;
}

/** The cap that stands for none: the waits of these presets do not come near it. */
const NO_CAP_MS = 3_600_000;

export const PRESETS: readonly Preset[] = [
  { label: 'Recommended', strategy: INITIAL },
  { label: 'Package defaults', strategy: { ...INITIAL, maxAttempts: 6 } },
  { label: 'Someone is waiting', strategy: { ...INITIAL, baseMs: 50, capMs: 1000, maxAttempts: 4, totalTimeoutMs: 3000 } },
  { label: 'Background job', strategy: { ...INITIAL, baseMs: 1000, capMs: 60_000, maxAttempts: 10 } },
  { label: 'AWS SDKs (2026)', strategy: ofPackage('awsSdk2026') },
  { label: 'go-retryablehttp', strategy: ofPackage('goRetryableHttp') },
  { label: 'p-retry', strategy: ofPackage('pRetry') },
];

function ofPackage(name: PresetName): Strategy {
  // As data, "Infinity" is a word.
  const { jitter, baseMs, capMs, factor, maxAttempts } = RetryPolicy.preset(name).toJSON() as Readonly<Record<string, unknown>>;
  const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
  return {
    ...INITIAL,
    jitter: jitter === 'none' ? 'none' : 'full',
    baseMs: number(baseMs, INITIAL.baseMs),
    capMs: number(capMs, NO_CAP_MS),
    factor: number(factor, INITIAL.factor),
    maxAttempts: number(maxAttempts, INITIAL.maxAttempts),
  };
}

export function sameStrategy(a: Strategy, b: Strategy): boolean {
  return (Object.keys(a) as (keyof Strategy)[]).every((key) => a[key] === b[key]);
}
