/** The chosen strategy: what the controls set, and what everything else on the page reads. */
import type { RetryOptions, RetryPolicy } from 'rejitter';
import { fromData } from 'rejitter/data';
import { duration, plural, share } from '../charts/format';

/** How waits grow: the curve's value at wait k, and what stands in its exponent. The cap bounds it. */
export const CURVES = {
  fixed: ['base'],
  linear: ['base·k'],
  exponential: ['base·factor', 'k−1'],
  truncated: ['base·2', 'min(k,N)−1'],
  fibonacci: ['base·F(k)'],
} as const satisfies Record<string, readonly [base: string, exponent?: string]>;
export type Backoff = keyof typeof CURVES;
export const ALL_BACKOFFS = Object.keys(CURVES) as readonly Backoff[];

/**
 * The package's jitters: their names in a sentence, and how the wait is drawn from c, the backoff's value; r is uniform
 * on [0, 1). Some replace the curve: then the backoff, its factor and its truncation have no effect. Additive jitter
 * adds up to a ratio of the wait, or up to a number of ms.
 */
export const DRAWS = {
  none: ['none', 'c'],
  full: ['full', 'r·c'],
  equal: ['equal', 'c/2 + r·c/2'],
  decorrelated: ['decorrelated', 'base + r·(3·prev − base)', 'curveless'],
  proportional: ['plus-minus', 'c·(1 − ρ + 2·ρ·r)'],
  additiveRatio: ['additive', 'c·(1 + ρ·r)'],
  additiveMax: ['additive (ms)', 'c + r·max'],
  decorrelatedBounded: ['bounded decorrelated', 'base + r·(min(cap, 3·prev) − base)', 'curveless'],
  slotted: ['slotted', 'base·(0 … 2^min(k,N) − 1)', 'curveless'],
  pollyV2: ['Polly', 'Polly’s formula', 'curveless'],
} as const satisfies Record<string, readonly [name: string, draw: string, curve?: 'curveless']>;
export type Jitter = keyof typeof DRAWS;
export const ALL_JITTERS = Object.keys(DRAWS) as readonly Jitter[];

/** What the verdict compares: each of these backoffs with each of these jitters. */
export const BACKOFFS = ALL_BACKOFFS.slice(0, 4);
export const JITTERS = ALL_JITTERS.slice(0, 4);

/** The cap bounds the backoff so that jitter stays below it; or the backoff alone; or it cuts what is drawn. */
export const CAP_RULES = ['bound', 'ceiling', 'draw'] as const;

/** A backoff with a jitter. */
export interface Choice {
  readonly backoff: Backoff;
  readonly jitter: Jitter;
}

/** Every policy that is data, as one flat set of numbers and words. Options without effect keep their values. */
export interface Strategy extends Choice, Readonly<Record<OptionName, number>> {
  readonly capRule: (typeof CAP_RULES)[number];
}

export type OptionName =
  | `${'base' | 'cap' | 'min' | 'spread' | 'totalTimeout'}Ms`
  | `${'factor' | 'truncateAt' | 'ratio' | 'maxAttempts'}`;

/** A number of the strategy: what it is at first, its slider, and how it is said. */
export interface Option {
  readonly initial: number;
  readonly label: string;
  /** The settings that people really choose, evenly apart. Any other number can be typed. */
  readonly stops: readonly number[];
  readonly text: (value: number) => string;
  readonly said: (value: number) => string;
  /** The value that leaves the option out. */
  readonly off?: number;
  /** Whether the option acts in this strategy; its slider is hidden otherwise. */
  readonly acts?: (strategy: Strategy) => boolean;
  /** Whether it is a part of the option `jitter`. */
  readonly ofJitter?: true;
}

const orNone = (ms: number): string => (ms === Infinity ? 'none' : duration(ms));

/** Full jitter with the attempts that an outage of two seconds takes. Truncation is set where five waits show it. */
export const OPTIONS: Readonly<Record<OptionName, Option>> = {
  baseMs: {
    initial: 100,
    label: 'Base',
    stops: [0, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000],
    text: duration,
    said: (ms) => `base ${duration(ms)}`,
  },
  capMs: {
    initial: 10_000,
    label: 'Cap',
    stops: [100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 20_000, 30_000, 60_000, Infinity],
    text: orNone,
    said: (ms) => (ms === Infinity ? 'no cap' : `cap ${duration(ms)}`),
  },
  minMs: {
    initial: 0,
    off: 0,
    label: 'Minimum wait',
    stops: [0, 5, 10, 20, 50, 100, 200, 500, 1000],
    text: duration,
    said: (ms) => `at least ${duration(ms)}`,
  },
  factor: {
    initial: 2,
    label: 'Factor',
    stops: [1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 10],
    text: (factor) => `× ${Number(factor.toPrecision(6))}`,
    said: (factor) => `factor ${factor}`,
    acts: (strategy) => strategy.backoff === 'exponential' && curveActs(strategy),
  },
  truncateAt: {
    initial: 4,
    label: 'Truncate at wait',
    stops: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    text: String,
    said: (wait) => `truncated at wait ${wait}`,
    acts: truncationActs,
  },
  ratio: {
    initial: 0.5,
    label: 'Ratio',
    stops: [0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1],
    text: share,
    said: share,
    acts: ({ jitter }) => jitter === 'proportional' || jitter === 'additiveRatio',
    ofJitter: true,
  },
  spreadMs: {
    initial: 100,
    label: 'Added at most',
    stops: [10, 20, 50, 100, 200, 500, 1000],
    text: duration,
    said: duration,
    acts: ({ jitter }) => jitter === 'additiveMax',
    ofJitter: true,
  },
  maxAttempts: {
    initial: 10,
    label: 'Attempts at most',
    stops: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, Infinity],
    text: (n) => (n === Infinity ? 'unlimited' : String(n)),
    said: (n) => (n === Infinity ? 'no limit on attempts' : plural(n, 'attempt')),
  },
  totalTimeoutMs: {
    initial: Infinity,
    off: Infinity,
    label: 'Deadline',
    stops: [500, 1000, 2000, 3000, 5000, 10_000, 20_000, 30_000, 60_000, Infinity],
    text: orNone,
    said: (ms) => `deadline ${duration(ms)}`,
  },
};
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

const initials = Object.fromEntries(OPTION_NAMES.map((name) => [name, OPTIONS[name].initial]));
export const INITIAL: Strategy = {
  backoff: 'exponential',
  jitter: 'full',
  ...(initials as Record<OptionName, number>),
  capRule: 'bound',
};

/** Without a wait and without an end: what loops around a call do. */
export const AT_ONCE: Strategy = { ...INITIAL, backoff: 'fixed', jitter: 'none', baseMs: 0, maxAttempts: Infinity };

/** Returns the strategy with another curve or jitter. Where nothing was waited, the waits start from the usual base. */
export function withChoice(strategy: Strategy, choice: Choice): Strategy {
  const { backoff, jitter } = choice;
  if (sameChoice(strategy, choice)) return strategy;
  // Additive jitter may add several times the wait; ± more than the wait would be a wait below 0.
  const ratio = jitter === 'proportional' ? Math.min(1, strategy.ratio) : strategy.ratio;
  const baseMs = strategy.baseMs || Math.min(INITIAL.baseMs, strategy.capMs);
  return { ...strategy, backoff, jitter, ratio, baseMs };
}

export function sameChoice(a: Choice, b: Choice): boolean {
  return a.backoff === b.backoff && a.jitter === b.jitter;
}

/** Whether no time passes between attempts, or there is only one. */
export function waitsNothing({ baseMs, minMs, jitter, maxAttempts }: Strategy): boolean {
  return maxAttempts === 1 || (baseMs === 0 && minMs === 0 && jitter !== 'additiveMax');
}

/** Limit of the waits in the lab's plan. */
export const MOST_WAITS = 1000;
/** Limit of every time of a strategy: a year. */
const MOST_MS = 31_536_000_000;

/** The package's words for what is wrong with these numbers, in the chosen strategy or in a cell of the grid. */
export function refusalOf(strategy: Strategy): string | undefined {
  const { maxAttempts } = strategy;
  if (maxAttempts !== Infinity && maxAttempts > MOST_WAITS + 1)
    return `maxAttempts must be at most ${MOST_WAITS + 1} or Infinity on this page, got ${maxAttempts}`;
  const long = OPTION_NAMES.find((name) => /Ms$/.test(name) && strategy[name] > MOST_MS && strategy[name] !== Infinity);
  if (long) return `${long} must be at most ${MOST_MS} (a year) or Infinity on this page, got ${strategy[long]}`;
  return problemIn(() => {
    policyOf(strategy);
    for (const jitter of ALL_JITTERS) policyOf(withChoice(strategy, { backoff: 'exponential', jitter }));
    for (const backoff of ALL_BACKOFFS) policyOf(withChoice(strategy, { backoff, jitter: 'none' }));
  });
}

/** What this throws, in the package's words; undefined if it does not. */
export function problemIn(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^rejitter: /, '') : String(error);
  }
}

export function curveActs({ jitter }: Choice): boolean {
  return DRAWS[jitter].length === 2;
}

/** Whether waits depend on the cap rule, if they reach the cap. */
export function capRuleActs(choice: Choice): boolean {
  return curveActs(choice) && choice.jitter !== 'none';
}

/** Whether waits depend on `truncateAt`. */
export function truncationActs(choice: Choice): boolean {
  return choice.jitter === 'slotted' || (choice.backoff === 'truncated' && curveActs(choice));
}

/** The options that act in this strategy, as `RetryPolicy` takes them. The cap rule is of {@link policyData} only. */
export function policyOptions(strategy: Strategy): RetryOptions {
  const { backoff, jitter, ratio, spreadMs } = strategy;
  const acting = OPTION_NAMES.filter((name) => {
    const { ofJitter, off, acts } = OPTIONS[name];
    return !ofJitter && strategy[name] !== off && acts?.(strategy) !== false;
  });
  const drawn = {
    proportional: { type: 'proportional', ratio },
    additiveRatio: { type: 'additive', ratio },
    additiveMax: { type: 'additive', maxMs: spreadMs },
  };
  return {
    ...(curveActs(strategy) && { backoff }),
    jitter: drawn[jitter as keyof typeof drawn] ?? jitter,
    ...Object.fromEntries(acting.map((name) => [name, strategy[name]])),
  } as RetryOptions;
}

/** The policy as data, which has its cap rule too. */
export function policyData(strategy: Strategy): Readonly<Record<string, unknown>> {
  const { capRule } = strategy;
  return { version: 1, ...(capRule !== 'bound' && { capRule }), ...policyOptions(strategy) };
}

/** Whether both are the same policy: options without effect may differ. */
export function sameStrategy(a: Strategy, b: Strategy): boolean {
  return keyOf(a) === keyOf(b);
}

/** A key, the same for all strategies that are one policy. Infinity is null in JSON, and nothing else here is. */
export function keyOf(strategy: Strategy): string {
  return JSON.stringify(policyData(strategy));
}

/** Throws the package's error if the strategy is invalid. */
export function policyOf(strategy: Strategy): RetryPolicy {
  return fromData(policyData(strategy));
}

/** Where the package truncates by default; its other defaults are this page's. */
const TRUNCATE_AT = 10;

/** The inverse of {@link policyOf}. Options that change no wait, such as hooks and an attempt timeout, are dropped. */
export function strategyOf(policy: RetryPolicy): Strategy {
  const data = policy.toJSON() as Readonly<Record<string, unknown>>;
  const { type, ratio, maxMs } = Object(data.jitter) as { type?: string; ratio?: number; maxMs?: number };
  const additive = maxMs === undefined ? 'additiveRatio' : 'additiveMax';
  const choice = {
    backoff: data.backoff as Backoff,
    jitter: type === undefined ? (data.jitter as Jitter) : type === 'proportional' ? type : additive,
  } as const;
  // In data, "Infinity" is a word.
  const given: Partial<Record<OptionName, number>> = Object.fromEntries(
    OPTION_NAMES.flatMap((name) => (data[name] === undefined ? [] : [[name, Number(data[name])]])),
  );
  const truncateAt = given.truncateAt ?? (truncationActs(choice) ? TRUNCATE_AT : INITIAL.truncateAt);
  const capMs = given.capMs ?? Math.max(INITIAL.capMs, given.baseMs ?? 0);
  const isByCap = choice.backoff === 'truncated' && capMs !== Infinity;
  const baseMs = isByCap ? capMs / 2 ** (truncateAt - 1) : Math.min(INITIAL.baseMs, capMs);
  const jitter = { ratio: ratio ?? INITIAL.ratio, spreadMs: maxMs ?? INITIAL.spreadMs };
  const capRule = (data.capRule as Strategy['capRule'] | undefined) ?? 'bound';
  return { ...INITIAL, ...choice, baseMs, ...given, capMs, truncateAt, ...jitter, capRule };
}

/** `wait k = r·c, c = min(cap, base·factor^(k−1))`: the chosen one in a line. */
export function formulaOf(choice: Choice): string {
  const [, draw] = DRAWS[choice.jitter];
  if (!curveActs(choice)) return choice.jitter === 'pollyV2' ? draw : `wait k = min(cap, ${draw})`;
  const [base, exponent] = CURVES[choice.backoff] as readonly string[];
  return `wait k = ${draw}, c = min(cap, ${base}${exponent ? `^(${exponent})` : ''})`;
}

/** A choice, with the numbers of its jitter where they are known. */
type Named = Choice & { readonly ratio?: number; readonly spreadMs?: number };

/** The name of a jitter in a sentence: `± 50%`, `bounded decorrelated`. */
export function jitterName({ jitter, ratio, spreadMs }: Named): string {
  const percent = ratio && `${Number((100 * ratio).toPrecision(3))}%`;
  if (jitter === 'proportional' && percent) return `±${percent}`;
  if (jitter === 'additiveRatio' && percent) return `+0–${percent}`;
  if (jitter === 'additiveMax' && spreadMs !== undefined) return `+0–${duration(spreadMs)}`;
  return DRAWS[jitter][0];
}

export function title(strategy: Named): string {
  const { backoff, jitter } = strategy;
  if (!curveActs(strategy)) return `${capitalised(jitterName(strategy))} jitter`;
  return `${capitalised(backoff)} · ${jitter === 'none' ? 'no' : jitterName(strategy)} jitter`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The strategy in a sentence. */
export function strategyInWords(strategy: Strategy): string {
  const options = Object.entries(policyOptions(strategy)).flatMap(([name, value]) =>
    typeof value === 'number' ? OPTIONS[name as OptionName].said(value) : [],
  );
  return [title(strategy), ...options].join(', ');
}
