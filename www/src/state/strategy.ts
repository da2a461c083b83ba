/** The chosen strategy: what the controls set, and what everything else on the page reads. */
import { RetryPolicy, type RetryOptions } from 'rejitter';
import { fromData } from 'rejitter/data';

/** How waits grow. */
export type Backoff = 'fixed' | 'linear' | 'exponential' | 'truncated' | 'fibonacci';
/** The package's jitters. Additive jitter adds up to a ratio of the wait, or up to a number of ms. */
export type Jitter =
  | 'none'
  | 'full'
  | 'equal'
  | 'decorrelated'
  | 'decorrelatedBounded'
  | 'proportional'
  | 'additiveRatio'
  | 'additiveMax'
  | 'slotted'
  | 'pollyV2';
/** The cap bounds the backoff so that jitter stays below it; or the backoff alone; or it cuts what is drawn. */
export type CapRule = 'bound' | 'ceiling' | 'draw';

/** What the verdict compares: each of these backoffs with each of these jitters. */
export const BACKOFFS: readonly Backoff[] = ['fixed', 'linear', 'exponential', 'truncated'];
export const ALL_BACKOFFS: readonly Backoff[] = [...BACKOFFS, 'fibonacci'];
export const JITTERS: readonly Jitter[] = ['none', 'full', 'equal', 'decorrelated'];
export const ALL_JITTERS: readonly Jitter[] = [
  ...JITTERS,
  'proportional',
  'additiveRatio',
  'additiveMax',
  'decorrelatedBounded',
  'slotted',
  'pollyV2',
];
export const CAP_RULES: readonly CapRule[] = ['bound', 'ceiling', 'draw'];

/** A backoff with a jitter. */
export interface Choice {
  readonly backoff: Backoff;
  readonly jitter: Jitter;
}

/** Every policy that is data, as one flat set of numbers and words. Fields without effect keep their values. */
export interface Strategy extends Choice {
  readonly baseMs: number;
  /** Infinity for none. */
  readonly capMs: number;
  readonly minMs: number;
  readonly factor: number;
  readonly truncateAt: number;
  /** For the jitters `proportional` and `additiveRatio`. */
  readonly ratio: number;
  /** For the jitter `additiveMax`: the most that is added. */
  readonly spreadMs: number;
  readonly capRule: CapRule;
  /** Infinity for no limit. */
  readonly maxAttempts: number;
  /** The deadline; Infinity for none. */
  readonly totalTimeoutMs: number;
}

/** Full jitter with the attempts that an outage of two seconds takes. Truncation is set where five waits show it. */
export const INITIAL: Strategy = {
  backoff: 'exponential',
  jitter: 'full',
  baseMs: 100,
  capMs: 10_000,
  minMs: 0,
  factor: 2,
  truncateAt: 4,
  ratio: 0.5,
  spreadMs: 100,
  capRule: 'bound',
  maxAttempts: 10,
  totalTimeoutMs: Infinity,
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

/** Limit of the waits in the lab's plan. */
export const MOST_WAITS = 1000;

/** The package's words for what is wrong with these numbers, in the chosen strategy or in a cell of the grid. */
export function refusalOf(strategy: Strategy): string | undefined {
  const { maxAttempts } = strategy;
  if (maxAttempts !== Infinity && maxAttempts > MOST_WAITS + 1)
    return `maxAttempts must be at most ${MOST_WAITS + 1} or Infinity on this page, got ${maxAttempts}`;
  try {
    policyOf(strategy);
    for (const jitter of ALL_JITTERS) policyOf(withChoice(strategy, { backoff: 'exponential', jitter }));
    for (const backoff of ALL_BACKOFFS) policyOf(withChoice(strategy, { backoff, jitter: 'none' }));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^rejitter: /, '') : String(error);
  }
}

const CURVELESS: ReadonlySet<Jitter> = new Set(['decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2']);

/** Some jitters replace the curve: the backoff, its factor and its truncation have no effect. */
export function curveActs({ jitter }: Choice): boolean {
  return !CURVELESS.has(jitter);
}

/** Whether waits depend on the cap rule, if they reach the cap. */
export function capRuleActs(choice: Choice): boolean {
  return curveActs(choice) && choice.jitter !== 'none';
}

/** Whether waits depend on `truncateAt`. */
export function truncationActs(choice: Choice): boolean {
  return choice.jitter === 'slotted' || (choice.backoff === 'truncated' && curveActs(choice));
}

/**
 * The options that act in this strategy, as `RetryPolicy` takes them. The cap rule is not among them: see {@link
 * policyOf}.
 */
export function policyOptions(strategy: Strategy): RetryOptions {
  const { backoff, baseMs, capMs, minMs, factor, truncateAt, maxAttempts, totalTimeoutMs } = strategy;
  return {
    ...(curveActs(strategy) && { backoff }),
    jitter: jitterOption(strategy),
    baseMs,
    capMs,
    ...(minMs > 0 && { minMs }),
    ...(curveActs(strategy) && backoff === 'exponential' && { factor }),
    ...(truncationActs(strategy) && { truncateAt }),
    maxAttempts,
    ...(totalTimeoutMs !== Infinity && { totalTimeoutMs }),
  };
}

function jitterOption({ jitter, ratio, spreadMs }: Strategy): NonNullable<RetryOptions['jitter']> {
  switch (jitter) {
    case 'proportional':
      return { type: 'proportional', ratio };
    case 'additiveRatio':
      return { type: 'additive', ratio };
    case 'additiveMax':
      return { type: 'additive', maxMs: spreadMs };
    default:
      return jitter;
  }
}

/** The policy as data, which has its cap rule too. */
export function policyData(strategy: Strategy): Readonly<Record<string, unknown>> {
  const { capRule } = strategy;
  return { version: 1, ...(capRule !== 'bound' && { capRule }), ...policyOptions(strategy) };
}

/** Whether both are the same policy: fields without effect may differ. */
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

/** The package's defaults, not read while this module loads: that would stop the page where there is no WebAssembly. */
let known: ReturnType<typeof packageDefaults> | undefined;

/** The package's defaults, read from the waits that it computes, so that the page has no copy of them. */
function packageDefaults() {
  const endless = { jitter: 'none', maxAttempts: Infinity } as const;
  const waits = new RetryPolicy(endless);
  const [baseMs, secondMs, capMs] = [waits.delayMs(1), waits.delayMs(2), waits.delayMs(1000)];
  const truncated = new RetryPolicy({ ...endless, backoff: 'truncated' });
  let truncateAt = 1;
  while (truncated.delayMs(truncateAt) < capMs) truncateAt++;
  const maxAttempts = 1 + [...new RetryPolicy().delays()].length;
  return { baseMs, capMs, factor: secondMs / baseMs, truncateAt, maxAttempts };
}

/** The inverse of {@link policyOf}. Options that change no wait, such as hooks and an attempt timeout, are dropped. */
export function strategyOf(policy: RetryPolicy): Strategy {
  const data = policy.toJSON() as Readonly<Record<string, unknown>>;
  const defaults = (known ??= packageDefaults());
  // In data, "Infinity" is a word.
  const value = (known: unknown): number | undefined =>
    known === 'Infinity' ? Infinity : typeof known === 'number' ? known : undefined;
  const jitter = jitterOf(data.jitter);
  const backoff = data.backoff as Backoff;
  const choice: Choice = { backoff, jitter };

  const givenBaseMs = value(data.baseMs);
  const capMs = value(data.capMs) ?? Math.max(defaults.capMs, givenBaseMs ?? 0);
  const truncateAt =
    value(data.truncateAt) ??
    (backoff === 'truncated' || jitter === 'slotted' ? defaults.truncateAt : INITIAL.truncateAt);
  const truncatedBaseMs = backoff === 'truncated' && capMs !== Infinity ? capMs / 2 ** (truncateAt - 1) : undefined;
  const spread = data.jitter as { readonly ratio?: number; readonly maxMs?: number };
  return {
    ...choice,
    baseMs: givenBaseMs ?? truncatedBaseMs ?? Math.min(defaults.baseMs, capMs),
    capMs,
    minMs: value(data.minMs) ?? 0,
    factor: value(data.factor) ?? (curveActs(choice) && backoff === 'exponential' ? defaults.factor : INITIAL.factor),
    truncateAt,
    ratio: spread.ratio ?? INITIAL.ratio,
    spreadMs: spread.maxMs ?? INITIAL.spreadMs,
    capRule: (data.capRule as CapRule | undefined) ?? 'bound',
    maxAttempts: value(data.maxAttempts) ?? defaults.maxAttempts,
    totalTimeoutMs: value(data.totalTimeoutMs) ?? Infinity,
  };
}

function jitterOf(data: unknown): Jitter {
  if (typeof data === 'string') return data as Jitter;
  const { type, ratio } = data as { readonly type: string; readonly ratio?: number };
  if (type === 'proportional') return 'proportional';
  return ratio === undefined ? 'additiveMax' : 'additiveRatio';
}

/** The curve's value at wait k, with what stands in the exponent; the cap bounds it. */
const CURVES: Record<Backoff, { readonly base: string; readonly exponent?: string }> = {
  fixed: { base: 'base' },
  linear: { base: 'base·k' },
  exponential: { base: 'base·factor', exponent: 'k−1' },
  truncated: { base: 'base·2', exponent: 'min(k,N)−1' },
  fibonacci: { base: 'base·F(k)' },
};

export function curveFormula(backoff: Backoff): { readonly base: string; readonly exponent?: string } {
  return CURVES[backoff];
}

/** How the wait is drawn from c, the backoff's value; r is uniform on [0, 1). */
const DRAWS: Record<Jitter, string> = {
  none: 'c',
  full: 'r·c',
  equal: 'c/2 + r·c/2',
  decorrelated: 'base + r·(3·prev − base)',
  decorrelatedBounded: 'base + r·(min(cap, 3·prev) − base)',
  proportional: 'c·(1 − ρ + 2·ρ·r)',
  additiveRatio: 'c·(1 + ρ·r)',
  additiveMax: 'c + r·max',
  slotted: 'base·(0 … 2^min(k,N) − 1)',
  pollyV2: 'Polly’s formula',
};

export function jitterFormula(jitter: Jitter): string {
  return DRAWS[jitter];
}

/** `wait k = r·c, c = min(cap, base·factor^(k−1))`: the chosen one in a line. */
export function formulaOf(choice: Choice): string {
  const draw = `wait k = ${DRAWS[choice.jitter]}`;
  if (!curveActs(choice))
    return choice.jitter === 'pollyV2' ? DRAWS.pollyV2 : `wait k = min(cap, ${DRAWS[choice.jitter]})`;
  const { base, exponent } = CURVES[choice.backoff];
  return `${draw}, c = min(cap, ${base}${exponent ? `^(${exponent})` : ''})`;
}

const JITTER_NAMES: Record<Jitter, string> = {
  none: 'none',
  full: 'full',
  equal: 'equal',
  decorrelated: 'decorrelated',
  decorrelatedBounded: 'bounded decorrelated',
  proportional: 'plus-minus',
  additiveRatio: 'additive',
  additiveMax: 'additive (ms)',
  slotted: 'slotted',
  pollyV2: 'Polly',
};

/** The name of a jitter in a sentence: `± 50%`, `bounded decorrelated`. Its numbers are known where they are set. */
export function jitterName({
  jitter,
  ratio,
  spreadMs,
}: Choice & { readonly ratio?: number; readonly spreadMs?: number }): string {
  if (jitter === 'proportional' && ratio !== undefined) return `±${percent(ratio)}`;
  if (jitter === 'additiveRatio' && ratio !== undefined) return `+0–${percent(ratio)}`;
  if (jitter === 'additiveMax' && spreadMs !== undefined) return `+0–${spreadMs}\u00a0ms`;
  return JITTER_NAMES[jitter];
}

function percent(ratio: number): string {
  return `${Number((100 * ratio).toPrecision(3))}%`;
}

export function title(strategy: Choice & { readonly ratio?: number; readonly spreadMs?: number }): string {
  const { backoff, jitter } = strategy;
  if (!curveActs(strategy)) return `${capitalised(jitterName(strategy))} jitter`;
  return `${capitalised(backoff)} · ${jitter === 'none' ? 'no' : jitterName(strategy)} jitter`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
