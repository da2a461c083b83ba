/** Strategies to start from: advice of this page, and all presets of the package, exactly. */
import { RetryPolicy, type PolicyOptions } from 'rejitter';
import * as exported from 'rejitter/presets';
import { INITIAL, strategyOf, type Strategy } from './strategy';

const { goRetryableHttpRetryOn: _, ...presets } = exported;
export type PresetName = keyof typeof presets;
export { presets };

/** Options, and the preset that they change. */
export interface Changes {
  readonly preset?: PresetName;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Preset {
  readonly label: string;
  readonly group: PresetGroup;
  readonly strategy: Strategy;
  /** Its name in the package, if it is one of the package's. */
  readonly name?: PresetName;
}

export const PRESET_GROUPS = ['Advice', 'What others use'] as const;
export type PresetGroup = (typeof PRESET_GROUPS)[number];

const LABELS: Readonly<Record<PresetName, string>> = {
  awsSdk2026: 'AWS SDKs (2026)',
  awsSdk2026Throttling: 'AWS SDKs (2026), throttled',
  awsSdk2020: 'AWS SDKs (2020)',
  googleHttpClient: 'Google HTTP client',
  grpc: 'gRPC',
  polly: 'Polly 8',
  cenkalti: 'cenkalti/backoff',
  goRetryableHttp: 'go-retryablehttp',
  jpillora: 'jpillora/backoff',
  pRetry: 'p-retry',
  pRetryRandomized: 'p-retry, randomize',
  truncatedBinary: 'Truncated binary (10 s)',
};

export const PRESET_NAMES = Object.keys(LABELS) as PresetName[];

export const PRESETS: readonly Preset[] = [
  advice('Recommended', INITIAL),
  advice('Someone is waiting', { ...INITIAL, baseMs: 50, capMs: 1000, maxAttempts: 4, totalTimeoutMs: 3000 }),
  advice('Background job', { ...INITIAL, baseMs: 1000, capMs: 60_000, maxAttempts: 10 }),
  advice('Package defaults', strategyOf(new RetryPolicy())),
  ...PRESET_NAMES.map(
    (name): Preset => ({
      label: LABELS[name],
      group: 'What others use',
      strategy: strategyOf(changed({ preset: name, options: {} })),
      name,
    }),
  ),
];

function advice(label: string, strategy: Strategy): Preset {
  return { label, group: 'Advice', strategy };
}

/** Throws the package's error if the options are invalid. */
export function changed({ preset, options }: Changes): RetryPolicy {
  return new RetryPolicy({ ...(preset && presets[preset]), ...options } as PolicyOptions);
}
