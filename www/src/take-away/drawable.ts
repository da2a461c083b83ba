/**
 * Any policy as the nearest one that the page draws: four backoffs, four jitters, a finite cap. What
 * is drawn differently is said.
 */
import type { PolicyData } from 'rejitter';
import { duration } from '../charts/format';
import { BACKOFFS, INITIAL, JITTERS, capitalised, type Backoff, type Jitter, type Strategy } from '../state/strategy';

export interface Drawable {
  readonly strategy: Strategy;
  /** What the figures show otherwise than the policy has it. */
  readonly notes: readonly string[];
}

/** What the page takes: state/state.ts. */
const ATTEMPTS = { least: 2, most: 20 };
const MS = { least: 1, most: 3_600_000 };

const GOLDEN = (1 + Math.sqrt(5)) / 2;

/** Of the policy as `toJSON` gives it, which leaves defaults out. */
export function drawable(data: PolicyData): Drawable {
  const notes: string[] = [];
  const number = (name: string, fallback: number): number => {
    const value = data[name];
    return value === 'Infinity' ? Infinity : typeof value === 'number' ? value : fallback;
  };

  const maxAttempts = number('maxAttempts', 6);
  const drawnAttempts = clamped(maxAttempts, ATTEMPTS);
  if (drawnAttempts !== maxAttempts) {
    const given = maxAttempts === Infinity ? 'no limit of attempts' : `${maxAttempts} attempt${maxAttempts === 1 ? '' : 's'}`;
    notes.push(`${drawnAttempts} attempts instead of ${given}.`);
  }

  const truncateAt = number('truncateAt', 10);
  const { backoff } = data;
  const listed = Array.isArray(backoff) ? backoff.map((ms) => (ms === 'Infinity' ? Infinity : Number(ms))) : [];
  const capMs = number('capMs', Math.max(INITIAL.capMs, number('baseMs', 0), ...listed));
  const baseMs = number('baseMs', backoff === 'truncated' && capMs < Infinity ? capMs / 2 ** (truncateAt - 1) : 100);
  const curve = drawnCurve(backoff, { baseMs, capMs, factor: number('factor', 2), stepMs: number('stepMs', baseMs), waits: drawnAttempts - 1 }, notes);
  const draw = drawnJitter(data['jitter'], data['capRule'], notes);
  if (draw.curve) curve.backoff = draw.curve;
  const minMs = number('minMs', 0);
  if (minMs > 0) notes.push(`Without the floor of ${duration(minMs)}.`);

  const bounds = { baseMs: curve.baseMs * draw.base, capMs: capMs * draw.cap };
  const drawn = { baseMs: clamped(rounded(bounds.baseMs), MS), capMs: clamped(rounded(bounds.capMs), MS) };
  if (bounds.baseMs < MS.least) notes.push(`A base of ${duration(MS.least)} instead of ${duration(bounds.baseMs)}.`);
  if (bounds.baseMs > MS.most) notes.push(`A base of ${duration(MS.most)} instead of ${duration(bounds.baseMs)}.`);
  if (bounds.capMs > MS.most) notes.push(`A cap of ${duration(MS.most)}, the longest here, instead of ${capMs === Infinity ? 'none' : duration(bounds.capMs)}.`);

  const strategy = {
    ...INITIAL,
    ...drawn,
    capMs: Math.max(drawn.baseMs, drawn.capMs),
    backoff: curve.backoff,
    jitter: draw.jitter,
    maxAttempts: drawnAttempts,
    totalTimeoutMs: number('totalTimeoutMs', Infinity),
    ...(curve.backoff === 'exponential' && { factor: curve.factor }),
    ...(curve.backoff === 'truncated' && { truncateAt }),
  };
  return { strategy, notes };
}

interface Curve {
  backoff: Backoff;
  readonly baseMs: number;
  readonly factor: number;
}

interface Numbers {
  readonly baseMs: number;
  readonly capMs: number;
  readonly factor: number;
  readonly stepMs: number;
  readonly waits: number;
}

function drawnCurve(backoff: unknown, { baseMs, capMs, factor, stepMs, waits }: Numbers, notes: string[]): Curve {
  const curve = (kind: Backoff, base = baseMs, growth = factor): Curve => ({ backoff: kind, baseMs: base, factor: growth });
  if (Array.isArray(backoff)) return nearestToList(backoff.map((ms) => Math.min(capMs, Number(ms))), waits, notes);
  if (backoff === 'fibonacci') {
    notes.push('Exponential backoff with factor 1.618, to which Fibonacci numbers grow.');
    return curve('exponential', baseMs, GOLDEN);
  }
  if (backoff === 'linear' && stepMs !== baseMs) {
    if (stepMs === 0) return curve('fixed');
    const last = (baseMs + stepMs * (waits - 1)) / waits;
    notes.push(`Linear backoff with ${duration(rounded(last))} a wait, which ends at the same wait ${waits}.`);
    return curve('linear', last);
  }
  return curve(BACKOFFS.find((kind) => kind === backoff) ?? 'exponential');
}

/** A list that is one of the curves is drawn as that; else as the exponential one between its ends. */
function nearestToList(list: readonly number[], waits: number, notes: string[]): Curve {
  const values = Array.from({ length: waits }, (_, i) => list[Math.min(i, list.length - 1)] ?? 0);
  const [first = 0, second = first] = values;
  const fits = (value: (k: number) => number) => values.every((ms, i) => Math.abs(ms - value(i + 1)) <= 1e-3 * ms);
  const growth = first > 0 ? second / first : 1;
  if (fits(() => first)) return { backoff: 'fixed', baseMs: first, factor: 2 };
  if (fits((k) => first * k)) return { backoff: 'linear', baseMs: first, factor: 2 };
  if (growth >= 1 && fits((k) => first * growth ** (k - 1))) return { backoff: 'exponential', baseMs: first, factor: rounded(growth) };
  const last = values.at(-1) ?? first;
  if (last <= first || first === 0) {
    const mean = values.reduce((sum, ms) => sum + ms, 0) / waits;
    notes.push(`A fixed wait of ${duration(mean)}, the mean of the list.`);
    return { backoff: 'fixed', baseMs: mean, factor: 2 };
  }
  const factor = rounded((last / first) ** (1 / (waits - 1)));
  notes.push(`Exponential backoff with factor ${factor}, from the first wait of the list to its last.`);
  return { backoff: 'exponential', baseMs: first, factor };
}

interface Draw {
  readonly jitter: Jitter;
  /** What base and cap are multiplied by. */
  readonly base: number;
  readonly cap: number;
  /** Where the jitter comes with a curve of its own. */
  readonly curve?: Backoff;
}

/** The page's jitters by the width of the draw over its mean, and the ceiling over the mean. */
const WIDTHS = [
  { jitter: 'none', width: 0, ceiling: 1 },
  { jitter: 'equal', width: 2 / 3, ceiling: 4 / 3 },
  { jitter: 'full', width: 2, ceiling: 2 },
] as const;

function drawnJitter(jitter: unknown, capRule: unknown, notes: string[]): Draw {
  const same = JITTERS.find((kind) => kind === jitter);
  if (same) return { jitter: same, base: 1, cap: 1 };
  if (jitter === 'decorrelatedBounded') {
    notes.push("Jitter 'decorrelated', which piles up at the cap; 'decorrelatedBounded' does not.");
    return { jitter: 'decorrelated', base: 1, cap: 1 };
  }
  if (jitter === 'slotted') {
    notes.push('Truncated backoff with full jitter, which draws any wait where Ethernet draws whole slots.');
    return { jitter: 'full', base: 2, cap: 1, curve: 'truncated' };
  }
  if (jitter === 'pollyV2') {
    notes.push("Full jitter with the same base, whose waits have the same mean from wait 3 on; 'pollyV2' is narrower, and its first wait longer.");
    return { jitter: 'full', base: 1, cap: 1, curve: 'exponential' };
  }
  const { type, ratio } = jitter as { type: string; ratio?: number };
  if (ratio === undefined) {
    notes.push('No jitter, for one that adds at most so many milliseconds.');
    return { jitter: 'none', base: 1, cap: 1 };
  }
  const mean = type === 'additive' ? 1 + ratio / 2 : 1;
  const width = (type === 'additive' ? ratio : 2 * ratio) / mean;
  const nearest = WIDTHS.reduce((best, kind) => (Math.abs(kind.width - width) < Math.abs(best.width - width) ? kind : best));
  const base = mean * nearest.ceiling;
  // Where the cap bounds the draw, the ceiling under it is cap / (1 + ratio).
  const cap = capRule === 'draw' ? 1 : capRule === 'ceiling' ? base : base / (1 + ratio);
  const times = Math.abs(base - 2) < 1e-9 ? 'twice' : `${rounded(base)} times`;
  const what = `${nearest.jitter === 'none' ? 'No' : capitalised(nearest.jitter)} jitter with ${times} the base`;
  const percent = Math.round(100 * ratio);
  if (Math.abs(nearest.width - width) > 1e-9) {
    notes.push(`${what}: the same mean as with ${type === 'additive' ? '0 to +' : '±'}${percent}\u00a0%, and the nearest spread here.`);
  } else {
    notes.push(`${what}: the same waits${capRule === 'draw' ? ', but for the pile at the cap' : ''}.`);
  }
  return { jitter: nearest.jitter, base, cap };
}

function clamped(value: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, value));
}

/** To three decimals: what is written into the link. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
