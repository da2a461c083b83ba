/** Reads options of another library as options of rejitter: the parts that all libraries share. */
import type { Before } from '../compute/before-after';
import type { Changes } from '../state/presets';
import { Call, Fields, Fn, Other, textOf, type Value } from './literal';

/** Options of rejitter by name. The package checks them. */
export type Options = Readonly<Record<string, unknown>>;

export interface Reading extends Changes {
  /** Differences from the library, in sentences. */
  readonly notes: readonly string[];
  /** The library's own waits, where they differ from the translation. */
  readonly before?: Before;
  /** Set if the library sends requests itself: further options of createFetch. */
  readonly fetch?: Options;
}

export interface Library {
  readonly version: string;
  /** Functions and classes that only this library has. */
  readonly callees: readonly string[];
  /** Functions that other packages have as well. */
  readonly generic?: readonly string[];
  /** Names of its modules, if they differ from its own name. */
  readonly modules?: readonly string[];
  /** The options that `translate` reads. */
  readonly read: readonly string[];
  /** Its other options, and their counterparts in rejitter. */
  readonly others: Readonly<Record<string, string>>;
  /** Name of the option that holds these options, among options that have nothing to do with retrying. */
  readonly inside?: string;
  /** Options in addition to that one which `translate` reads. */
  readonly also?: readonly string[];
  readonly translate: (pasted: Pasted) => Reading;
  readonly example: string;
}

/** Why there is no translation, as one sentence. */
export class Untranslatable extends Error {}

export function reject(message: string): never {
  throw new Untranslatable(message);
}

/** The options that were pasted, and the calls around and within them. */
export class Pasted {
  readonly fields: Fields;
  /** The options around them, if they are one option of a client. */
  readonly around: Fields;
  readonly calls: ReadonlyMap<string, Call>;
  constructor(fields: Fields, calls: ReadonlyMap<string, Call>, around = new Fields()) {
    this.fields = fields;
    this.calls = calls;
    this.around = around;
  }

  get(name: string): Value {
    return this.fields.map.get(name);
  }

  number(name: string, fallback: number): number {
    return numberOf(name, this.get(name) ?? fallback);
  }

  /** A number of retries or attempts. */
  count(name: string, fallback: number): number {
    return countOf(name, this.get(name) ?? fallback);
  }

  flag(name: string, fallback = false): boolean {
    const value = this.get(name) ?? fallback;
    if (typeof value !== 'boolean')
      throw new Untranslatable(`${name} must be true or false, got ${textOf(value)}.${remedy(value)}`);
    return value;
  }
}

export function numberOf(name: string, value: Value): number {
  if (typeof value !== 'number' || !(value >= 0))
    throw new Untranslatable(`${name} must be a non-negative number, got ${textOf(value)}.${remedy(value)}`);
  return value;
}

export function countOf(name: string, value: Value): number {
  const number = numberOf(name, value);
  if (number !== Infinity && !Number.isInteger(number))
    throw new Untranslatable(`${name} must be a whole number or Infinity, got ${number}.`);
  return number;
}

/** The remedy for a value that is not known here. */
export function remedy(value: Value): string {
  if (value instanceof Other && value.kind === 'name') return ' A variable cannot be read here: paste its value.';
  if (value instanceof Other || value instanceof Call) return ' This page runs no pasted code: paste the value.';
  return '';
}

/** min(cap, base·factor^(k−1)) in rejitter's words, which has no shrinking factor and no cap below the base. */
export function exponential(baseMs: number, factor: number, capMs: number, retries: number): Options {
  if (factor < 1) return { backoff: powers(baseMs, factor, Math.max(1, Math.min(retries, MOST_READ))), capMs };
  if (factor === 1 || baseMs >= capMs) return { backoff: 'fixed', baseMs: Math.min(baseMs, capMs), capMs };
  return { backoff: 'exponential', baseMs, capMs, factor };
}

export function powers(baseMs: number, factor: number, length: number): number[] {
  return Array.from({ length }, (_, i) => Math.round(baseMs * factor ** i));
}

/** How many waits of a function are computed to recognise it. */
const MOST_READ = 20;

/** Computes wait k, with `random` for Math.random(). */
type Wait = (k: number, random: number) => Value;

/**
 * A function that gives wait k in ms, as backoff and jitter. Its values show the backoff, and how they change with the
 * random number shows the jitter.
 */
export function curveOf(name: string, fn: Value, wait: Wait, retries: number, notes: string[]): Options {
  // More waits than there are show the cap; but the function need not be right for them.
  try {
    const options = curveOfFirst(MOST_READ, name, fn, wait, retries, []);
    if (!Array.isArray(options['backoff'])) return options;
  } catch (failure) {
    if (!(failure instanceof Untranslatable)) throw failure;
  }
  return curveOfFirst(Math.max(1, Math.min(retries, MOST_READ)), name, fn, wait, retries, notes);
}

function curveOfFirst(count: number, name: string, fn: Value, wait: Wait, retries: number, notes: string[]): Options {
  const drawn = (random: number): number[] =>
    Array.from({ length: count }, (_, i) => {
      const ms = wait(i + 1, random);
      if (typeof ms !== 'number' || !Number.isFinite(ms)) throw ownFunction(name, fn);
      return Math.max(0, ms);
    });
  const [low, middle, high] = [drawn(0.25), drawn(0.5), drawn(0.75)] as const;
  const at = (values: readonly number[], i: number): number => values[i] ?? 0;
  const lo = low.map((ms, i) => Math.max(0, ms - (at(high, i) - ms) / 2));
  const hi = high.map((ms, i) => ms + (ms - at(low, i)) / 2);
  // Rounding to whole milliseconds changes no jitter.
  const straight = middle.every((ms, i) => Math.abs(ms - (at(low, i) + at(high, i)) / 2) <= 1);
  const every = (same: (lo: number, hi: number) => boolean): boolean =>
    straight && lo.every((ms, i) => same(ms, at(hi, i)));
  const [first = 0, ceiling = 0] = [lo[0], hi[0]];
  const ratio = first > 0 ? (ceiling - first) / first : Infinity;
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= Math.max(2, 1e-6 * b);

  if (low.every((ms, i) => ms === at(high, i))) return { ...fitted(middle, retries, name, notes), jitter: 'none' };
  if (every((ms) => ms <= 2)) return { ...fitted(hi, retries, name, notes), jitter: 'full' };
  if (every((ms, most) => near(ms, most / 2))) return { ...fitted(hi, retries, name, notes), jitter: 'equal' };
  if (every((ms, most) => near(most - ms, ceiling - first)))
    return widened(fitted(lo, retries, name, notes), ceiling - first, {
      type: 'additive',
      maxMs: rounded(ceiling - first),
    });
  if (every((ms, most) => near(most, ms * (1 + ratio))))
    return widened(fitted(lo, retries, name, notes), 0, { type: 'additive', ratio: rounded(ratio) }, 1 + ratio);
  throw new Untranslatable(
    `${name} draws its waits in a way that no jitter of rejitter does. Pass such a function as backoff: (k) => ms.`,
  );
}

/** Additive jitter adds to the curve, and the cap bounds both together. */
function widened(curve: Options, more: number, jitter: object, times = 1): Options {
  return { ...curve, capMs: rounded((curve['capMs'] as number) * times + more), jitter };
}

function fitted(values: readonly number[], retries: number, name: string, notes: string[]): Options {
  const [first = 0, second = first] = values;
  const last = values.at(-1) ?? first;
  const flat = values.length > 2 && last === values.at(-2) && last > first;
  const capMs = flat ? rounded(last) : Infinity;
  const fits = (ms: (k: number) => number): boolean =>
    values.every((value, i) => Math.abs(value - Math.min(capMs, ms(i + 1))) <= 1e-6 * value);
  const [baseMs, stepMs, factor] = [rounded(first), rounded(second - first), rounded(second / first)];
  if (fits(() => first)) return { backoff: 'fixed', baseMs, capMs };
  if (fits((k) => first * k)) return { backoff: 'linear', baseMs, capMs };
  if (second > first && fits((k) => first + stepMs * (k - 1))) return { backoff: 'linear', baseMs, stepMs, capMs };
  if (first > 0 && factor > 1 && fits((k) => first * factor ** (k - 1)))
    return { backoff: 'exponential', baseMs, factor, capMs };
  if (retries > values.length)
    notes.push(`\`${name}\` is read for ${values.length} waits; later waits repeat the last of these.`);
  return { backoff: values.map(rounded), capMs: Infinity };
}

function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

export function retriesNote(name: string, retries: number): string {
  if (retries === Infinity) return `\`${name}\` is Infinity: only success or the signal ends the operation.`;
  return (
    `\`${name}\` ${retries} makes ${retries + 1} ${retries === 0 ? 'attempt' : 'attempts'}: maxAttempts counts the ` +
    'first attempt.'
  );
}

export function ownFunction(name: string, value: Value): Untranslatable {
  const why =
    value instanceof Fn
      ? 'which does more than arithmetic with the number of the attempt'
      : 'whose value is not known here';
  return new Untranslatable(
    `${name} is ${textOf(value)}, ${why}. This page runs no pasted code. rejitter takes a function as backoff: ` +
      '(k) => ms.',
  );
}

/** `exponentialDelay` of `axiosRetry.exponentialDelay`. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
