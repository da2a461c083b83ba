/** Strategies to compare with: the advice of this page, and all presets of the package, exactly. */
import { RetryPolicy, type PolicyOptions } from 'rejitter';
import * as exported from 'rejitter/presets';
import { INITIAL, strategyOf, type Strategy } from './strategy';

const { goRetryableHttpRetryOn: _, pRetryOptions: __, ...presets } = exported;

const LABELS = {
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
} as const satisfies Record<keyof typeof presets, string>;
type PresetName = keyof typeof LABELS;
export const PRESET_NAMES = Object.keys(LABELS) as readonly PresetName[];

/** Options, and the preset that they change. */
export interface Changes {
  readonly preset?: PresetName;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Throws the package's error if the options are invalid. */
export function changed({ preset, options }: Changes): RetryPolicy {
  return new RetryPolicy({ ...(preset && presets[preset]), ...options } as PolicyOptions);
}

export interface Preset {
  readonly label: string;
  readonly strategy: Strategy;
  /** Its name in the package, if it is one of the package's. */
  readonly name?: PresetName;
}

export const PRESETS: readonly Preset[] = [
  { label: 'Recommended', strategy: INITIAL },
  { label: 'Package defaults', strategy: strategyOf(new RetryPolicy()) },
  ...PRESET_NAMES.map((name) => {
    return { label: LABELS[name], strategy: strategyOf(changed({ preset: name, options: {} })), name };
  }),
];
