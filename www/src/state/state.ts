/** Everything that the page is about: what the controls set, the link holds and the figures follow. */
import { duration, rate, share, short } from '../charts/format';
import { problemOf } from './before';
import { AT_ONCE, INITIAL, type Strategy } from './strategy';

/** Parts of `rejitter/protection`, in the order of the generated code. */
export const PARTS = ['budget', 'breaker', 'cooldown', 'limiter', 'hedge'] as const;
export type Part = (typeof PARTS)[number];
/** Every choice of parts, as the link names it: `budget,breaker`; `none` for no part. */
export const PROTECTIONS: readonly string[] = Array.from({ length: 1 << PARTS.length }, (_, bits) =>
  joined(PARTS.filter((_, i) => (bits >> i) & 1)),
);

/** How the link names a choice of parts. */
export function joined(parts: readonly Part[]): string {
  return parts.join(',') || 'none';
}

/** The parts that a link names. */
export function partsIn(protection: string): Part[] {
  const names = protection.split(',');
  return PARTS.filter((part) => names.includes(part));
}

/** The programs that print the policy, and the engines that `rejitter/engines` writes it for. */
export const PROGRAMS = ['fetch', 'call', 'delays', 'rust'] as const;
export const ENGINES = ['bullmq', 'pgBoss', 'temporal', 'stepFunctions', 'sqs', 'cloudTasks', 'grpc'] as const;
export type Engine = (typeof ENGINES)[number];
export const CODES = [...PROGRAMS, ...ENGINES] as const;

/** What a setting is at first, and what it may be: one of these words, or a number. */
interface Setting<T extends string | number = string | number> {
  readonly initial: T;
  readonly words?: readonly string[];
  /** `name must be <rule>`. */
  readonly rule: string;
  readonly holds: (value: number) => boolean;
  /** Why a text is invalid, where any text may be a value. */
  readonly problem?: (text: string) => string | undefined;
  readonly label?: string;
  readonly stops?: readonly number[];
  readonly text?: (value: number) => string;
}

const oneOf = <T extends string>(
  words: readonly T[],
  rule = `one of ${words.map((word) => `'${word}'`).join(', ')}`,
): Setting<T> => ({ initial: words[0] as T, words, rule, holds: () => false });
type Slider = [label?: string, stops?: readonly number[], text?: (value: number) => string];
const between = (initial: number, least: number, most: number, ...[label = '', stops = [], text = String]: Slider) => ({
  initial,
  rule: `between ${least.toLocaleString('en-US')} and ${most.toLocaleString('en-US')}`,
  holds: (value: number): boolean => value >= least && value <= most,
  ...{ label, stops, text },
});
const integer = (...range: Parameters<typeof between>): Setting<number> => {
  const { rule, holds, ...rest } = between(...range);
  return { ...rest, rule: `an integer ${rule}`, holds: (value) => Number.isInteger(value) && holds(value) };
};
const anyText = (problem: (text: string) => string | undefined): Setting<string> => ({
  initial: '',
  rule: '',
  holds: () => false,
  problem,
});

const DEMANDS = [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 1, 1.05, 1.1];
const FAILING = [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const HEDGES = [10, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000];

const OUTAGES = [0, 1, 2, 3, 5, 8, 10, 15, 20, 30, 60].map((seconds) => 1000 * seconds);

/** What is not the strategy, by the names of the link. The first page opens with the failure that it is about. */
export const SETTINGS = {
  /** The strategy that the scene is compared with, in the words of state/before.ts; empty for none. */
  vs: anyText(problemOf),
  /** Clients that all meet the same outage, how long their server is down, and the calls that it serves per second. */
  clients: integer(1000, 10, 10_000, 'Clients', [10, 50, 100, 200, 500, 1000, 2000, 5000, 10_000], short),
  downMs: between(2000, 0, 60_000, 'Outage', OUTAGES, duration),
  capacityPerS: between(120, 1, 1000, 'Server capacity', [20, 50, 80, 100, 120, 150, 200, 300, 500, 1000], rate),
  /** Capacity that a rejected call uses, as a share of a served one's. */
  rejectionCost: between(0.05, 0, 1, 'Cost of a rejected call', [0, 0.01, 0.05, 0.1, 0.2, 1], share),
  /** Where requests keep coming: new ones as a part of the capacity, and the share of the answers that are failures. */
  demand: between(0.5, 0.5, 1.1, 'New requests', DEMANDS, (value) => `${share(value)} of capacity`),
  failing: between(0, 0, 0.9, 'Fail at random', FAILING, (value) => `${share(value)} of answers`),
  /** Whether the clients of `/protection` retry, and the parts that they share. */
  retries: oneOf(['on', 'off']),
  protection: oneOf(PROTECTIONS, `'none', or any of ${PARTS.map((part) => `'${part}'`).join(', ')}`),
  /** Processes that share a quota and nothing else. */
  processes: integer(1, 1, 50, 'Processes', [1, 2, 5, 10, 25, 50]),
  hedgeMs: between(60, 10, 1000, 'A hedge starts after', HEDGES, duration),
  code: oneOf(CODES),
  /** Source of all the randomness of the page. */
  seed: integer(42, 0, 2 ** 32 - 1),
};
export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

type Settings = { readonly [N in SettingName]: (typeof SETTINGS)[N]['initial'] };
export interface State extends Settings {
  readonly strategy: Strategy;
}

const initials = Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name].initial])) as unknown as Settings;
export const INITIAL_STATE: State = { strategy: AT_ONCE, ...initials };

/** What a page shows unless its link says otherwise. `/protection` starts from a policy that is fit for the outage. */
export function defaultsAt(pathname: string): State {
  return /\/protection\/(?:index\.html)?$/.test(pathname) ? { ...INITIAL_STATE, strategy: INITIAL } : INITIAL_STATE;
}
