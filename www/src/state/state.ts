/** Everything that the page is about: what the controls set, the link holds and the figures follow. */
import { INITIAL, refusalOf, type Strategy } from './strategy';

/** The herd: clients that all meet the same outage, and the server that comes back. */
export interface Herd {
  readonly clients: number;
  /** How long the server is down, from the first call on. */
  readonly downMs: number;
  /** Calls that it then serves per second. */
  readonly capacityPerS: number;
  /** `set`: the policy's attempt limit and deadline act; `served`: every client retries until it is served. */
  readonly limits: Limits;
  /** Capacity that a rejected call uses, as a share of a served one's: 0 to 1. */
  readonly rejectionCost: number;
  /** New requests where they keep coming, as a part of the capacity. */
  readonly demand: number;
}
export type Limits = 'set' | 'served';
export const LIMITS: readonly Limits[] = ['set', 'served'];

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
export type LiveFailure = 'mixed' | '503' | '429' | 'network' | 'slow' | 'offline';
export const LIVE_FAILURES: readonly LiveFailure[] = ['mixed', '503', '429', 'network', 'slow', 'offline'];

/** The programs that print the policy, and the engines that `rejitter/engines` writes it for. */
export const PROGRAMS = ['fetch', 'call', 'delays'] as const;
export const ENGINES = ['bullmq', 'pgBoss', 'temporal', 'stepFunctions', 'sqs', 'cloudTasks', 'grpc'] as const;
export type Engine = (typeof ENGINES)[number];
export const CODES: readonly Code[] = [...PROGRAMS, ...ENGINES];
export type Code = (typeof PROGRAMS)[number] | Engine;

/** The words of the scene; `policy` shows the chosen strategy instead of words. */
export const RETRIES = ['atOnce', '1s', 'doubling', 'policy'] as const;
export const TIMES = ['inStep', 'random'] as const;
export const GIVE_UPS = ['6', '10', 'never'] as const;
export interface Scene {
  readonly retry: (typeof RETRIES)[number];
  readonly times: (typeof TIMES)[number];
  readonly giveUp: (typeof GIVE_UPS)[number];
}

export interface State {
  readonly scene: Scene;
  readonly strategy: Strategy;
  readonly herd: Herd;
  /** The parts that the clients share, one of `PROTECTIONS`. */
  readonly protection: { readonly parts: string };
  /** When the hedge starts, in ms; and the servers' utilisation where they are shared, between 0.2 and 0.95. */
  readonly hedging: { readonly delayMs: number; readonly utilisation: number };
  readonly live: { readonly failure: LiveFailure; readonly rate: number; readonly calls: number };
  /** Options that the reader pasted, and the library chosen for them; without text, `preset NAME` may be chosen. */
  readonly pasted: { readonly text: string; readonly from: string };
  readonly code: Code;
  /** Source of all the randomness of the page: an integer between 0 and 2^32 − 1. */
  readonly seed: number;
}

/** Limit for pasted text in a link, in characters. */
export const MOST_PASTED = 2000;

export const INITIAL_STATE: State = {
  scene: { retry: 'atOnce', times: 'inStep', giveUp: 'never' },
  strategy: INITIAL,
  herd: { clients: 1000, downMs: 2000, capacityPerS: 120, limits: 'set', rejectionCost: 0.05, demand: 0.93 },
  protection: { parts: 'none' },
  hedging: { delayMs: 60, utilisation: 0.7 },
  live: { failure: 'mixed', rate: 0.6, calls: 8 },
  pasted: { text: '', from: 'detect' },
  code: 'fetch',
  seed: 42,
};

/** Rules for the settings that are not a strategy's: `name must be <rule>`. */
const RULES: readonly (readonly [name: string, rule: string, holds: (state: State) => boolean])[] = [
  [
    'clients',
    'an integer between 10 and 10,000',
    ({ herd }) => Number.isInteger(herd.clients) && within(herd.clients, 10, 10_000),
  ],
  ['downMs', 'between 0 and 600,000', ({ herd }) => within(herd.downMs, 0, 600_000)],
  ['capacityPerS', 'between 1 and 100,000', ({ herd }) => within(herd.capacityPerS, 1, 100_000)],
  ['rejectionCost', 'between 0 and 1', ({ herd }) => within(herd.rejectionCost, 0, 1)],
  ['demand', 'between 0.5 and 1.1', ({ herd }) => within(herd.demand, 0.5, 1.1)],
  ['hedgeMs', 'between 10 and 1000', ({ hedging }) => within(hedging.delayMs, 10, 1000)],
  ['utilisation', 'between 0.2 and 0.95', ({ hedging }) => within(hedging.utilisation, 0.2, 0.95)],
  ['rate', 'between 0 and 1', ({ live }) => within(live.rate, 0, 1)],
  ['calls', '1, 8 or 50', ({ live }) => [1, 8, 50].includes(live.calls)],
  [
    'import',
    `at most ${MOST_PASTED.toLocaleString('en-US')} characters`,
    ({ pasted }) => pasted.text.length <= MOST_PASTED,
  ],
  ['importFrom', 'the name of a library or a preset', ({ pasted }) => pasted.from.length <= 40],
  [
    'seed',
    'an integer between 0 and 4,294,967,295',
    ({ seed }) => Number.isInteger(seed) && within(seed, 0, 2 ** 32 - 1),
  ],
];

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/**
 * Why the page cannot show this: in the package's words, or as a rule that the value breaks.
 * Undefined if it can.
 */
export function problemOf(
  state: State,
): { readonly text: string } | { readonly name: string; readonly rule: string } | undefined {
  const text = refusalOf(state.strategy);
  if (text !== undefined) return { text };
  const broken = RULES.find(([, , holds]) => !holds(state));
  return broken && { name: broken[0], rule: broken[1] };
}
