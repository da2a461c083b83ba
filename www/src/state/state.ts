/** Everything that the page is about: what the controls set, the link holds and the figures follow. */
import { AT_ONCE, INITIAL, type Strategy } from './strategy';

/** Clients that all meet the same outage, and their server. */
export interface Herd {
  readonly clients: number;
  /** How long the server is down. */
  readonly downMs: number;
  /** Calls that it serves per second. */
  readonly capacityPerS: number;
  /** Capacity that a rejected call uses, as a share of a served one's: 0 to 1. */
  readonly rejectionCost: number;
  /** Where requests keep coming: new ones as a part of the capacity, and the share of the answers that are failures. */
  readonly demand: number;
  readonly failing: number;
}

/** Parts of `rejitter/protection`, in the order of the generated code. */
export const PARTS = ['budget', 'breaker', 'cooldown', 'hedge'] as const;
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

/** Failure of the flaky server of the live calls. */
export const LIVE_FAILURES = ['mixed', '503', '429'] as const;
export type LiveFailure = (typeof LIVE_FAILURES)[number];

/** The programs that print the policy, and the engines that `rejitter/engines` writes it for. */
export const PROGRAMS = ['fetch', 'call', 'delays'] as const;
export const ENGINES = ['bullmq', 'pgBoss', 'temporal', 'stepFunctions', 'sqs', 'cloudTasks', 'grpc'] as const;
export type Engine = (typeof ENGINES)[number];
export const CODES: readonly Code[] = [...PROGRAMS, ...ENGINES];
export type Code = (typeof PROGRAMS)[number] | Engine;

export interface State {
  readonly strategy: Strategy;
  readonly herd: Herd;
  /** Whether the clients of `/protection` retry, and the parts that they share, one of `PROTECTIONS`. */
  readonly protection: { readonly retries: 'on' | 'off'; readonly parts: string };
  /** When the hedge starts, in ms. */
  readonly hedging: { readonly delayMs: number };
  readonly live: { readonly failure: LiveFailure; readonly rate: number; readonly calls: number };
  readonly code: Code;
  /** Source of all the randomness of the page: an integer between 0 and 2^32 − 1. */
  readonly seed: number;
}

/** The first page opens with the failure that it is about. */
export const INITIAL_STATE: State = {
  strategy: AT_ONCE,
  herd: { clients: 1000, downMs: 2000, capacityPerS: 120, rejectionCost: 0.05, demand: 0.5, failing: 0 },
  protection: { retries: 'on', parts: 'none' },
  hedging: { delayMs: 60 },
  live: { failure: 'mixed', rate: 0.6, calls: 8 },
  code: 'fetch',
  seed: 42,
};

/** What a page shows unless its link says otherwise. `/protection` starts from a policy that is fit for the outage. */
export function defaultsAt(pathname: string): State {
  return /\/protection\/(?:index\.html)?$/.test(pathname) ? { ...INITIAL_STATE, strategy: INITIAL } : INITIAL_STATE;
}

interface Rule {
  readonly rule: string;
  readonly holds: (value: number) => boolean;
}

const between = (least: number, most: number): Rule => ({
  rule: `between ${least.toLocaleString('en-US')} and ${most.toLocaleString('en-US')}`,
  holds: (value) => value >= least && value <= most,
});
const integer = (least: number, most: number): Rule => {
  const { rule, holds } = between(least, most);
  return { rule: `an integer ${rule}`, holds: (value) => Number.isInteger(value) && holds(value) };
};

/** Rules for the numbers that are not a strategy's: `name must be <rule>`, by their names in the link. */
export const RULES: Readonly<Record<string, Rule>> = {
  clients: integer(10, 10_000),
  downMs: between(0, 600_000),
  capacityPerS: between(1, 100_000),
  rejectionCost: between(0, 1),
  demand: between(0.5, 1.1),
  failing: between(0, 0.9),
  hedgeMs: between(10, 1000),
  rate: between(0, 1),
  calls: { rule: '1, 8 or 50', holds: (value) => [1, 8, 50].includes(value) },
  seed: integer(0, 2 ** 32 - 1),
};

/** Why a typed number is invalid, in the words of a link. */
export function problemOf(name: string, label: string, value: number): string | undefined {
  const rule = RULES[name];
  return rule && !rule.holds(value) ? `${label} must be ${rule.rule}, got ${value}` : undefined;
}
