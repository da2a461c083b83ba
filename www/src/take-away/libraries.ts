/**
 * What the options of other retry libraries mean, as options of rejitter. From the sources of the
 * versions named here: p-retry 9.0.0, axios-retry 4.5.0, cockatiel 4.0.0, async-retry 1.3.3 (on
 * retry 0.13.1), exponential-backoff 3.1.3, @lifeomic/attempt 3.1.0.
 */
import type { PresetName } from 'rejitter';
import { duration } from '../charts/format';
import { Call, Fields, Other, textOf, type Value } from './literal';

/** Options of rejitter by name; checked by rejitter itself. */
export type Options = Readonly<Record<string, unknown>>;

export interface Reading {
  readonly options: Options;
  /** The preset that `options` change. */
  readonly preset?: PresetName;
  /** What is not the same, in sentences. */
  readonly notes: readonly string[];
}

export interface Library {
  readonly version: string;
  /** Functions and classes by which its calls are known. */
  readonly callees: readonly string[];
  /** The options that `read` looks at. */
  readonly read: readonly string[];
  /** Its other options, and what stands for each in rejitter; '' where nothing needs to. */
  readonly others: Readonly<Record<string, string>>;
  readonly translate: (pasted: Pasted) => Reading;
  readonly example: string;
}

/** Why there is no translation, as one sentence. */
export class Untranslatable extends Error {}

/** The options that were pasted, and the calls around and within them. */
export class Pasted {
  readonly fields: Fields;
  readonly calls: ReadonlyMap<string, Call>;
  constructor(fields: Fields, calls: ReadonlyMap<string, Call>) {
    this.fields = fields;
    this.calls = calls;
  }

  get(name: string): Value {
    return this.fields.map.get(name);
  }

  number(name: string, fallback: number): number {
    return numberOf(name, this.get(name) ?? fallback);
  }

  /** A number of retries or attempts. */
  count(name: string, fallback: number): number {
    const value = this.number(name, fallback);
    if (value !== Infinity && !Number.isInteger(value)) throw new Untranslatable(`${name} is ${value}; write a whole number from 0, or Infinity.`);
    return value;
  }

  flag(name: string, fallback = false): boolean {
    const value = this.get(name) ?? fallback;
    if (typeof value !== 'boolean') throw new Untranslatable(`${name} is ${textOf(value)}, which has no value here; write true or false.`);
    return value;
  }
}

function numberOf(name: string, value: Value): number {
  if (typeof value !== 'number' || !(value >= 0)) {
    const why = value instanceof Other || value instanceof Call ? ', which has no value here' : '';
    throw new Untranslatable(`${name} is ${textOf(value)}${why}; write a number from 0.`);
  }
  return value;
}

const HOOKS = { onRetry: 'onRetry' };
const ABORT = { signal: 'signal' };

export const LIBRARIES = {
  'p-retry': {
    version: '9.0.0',
    callees: ['pRetry', 'makeRetriable'],
    read: ['retries', 'factor', 'minTimeout', 'maxTimeout', 'randomize', 'maxRetryTime'],
    others: { ...ABORT, unref: 'unref', onFailedAttempt: 'onFailure', shouldRetry: 'retryIf', shouldConsumeRetry: 'nothing' },
    translate: pRetry,
    example: 'pRetry(fetchOrders, {\n  retries: 5,\n  minTimeout: 1000,\n  maxTimeout: 30 * 1000,\n  randomize: true,\n});',
  },
  'axios-retry': {
    version: '4.5.0',
    callees: ['axiosRetry'],
    read: ['retries', 'retryDelay', 'shouldResetTimeout'],
    others: { ...HOOKS, retryCondition: 'retryIf', validateResponse: 'retryOnResult', onMaxRetryTimesExceeded: 'onGiveUp' },
    translate: axiosRetry,
    example: 'axiosRetry(axios, {\n  retries: 3,\n  retryDelay: axiosRetry.exponentialDelay,\n});',
  },
  cockatiel: {
    version: '4.0.0',
    callees: ['ExponentialBackoff', 'ConstantBackoff', 'IterableBackoff', 'DelegateBackoff', 'handleAll', 'handleType', 'handleWhen', 'handleResultType', 'handleWhenResult'],
    read: ['maxAttempts', 'backoff', 'initialDelay', 'maxDelay', 'exponent', 'generator'],
    others: {},
    translate: cockatiel,
    example: 'retry(handleAll, {\n  maxAttempts: 6,\n  backoff: new ExponentialBackoff({\n    initialDelay: 128,\n    maxDelay: 30_000,\n  }),\n});',
  },
  'async-retry': {
    version: '1.3.3',
    callees: ['asyncRetry'],
    read: ['retries', 'factor', 'minTimeout', 'maxTimeout', 'randomize', 'maxRetryTime', 'forever'],
    others: { ...HOOKS, unref: 'unref' },
    translate: asyncRetry,
    example: 'asyncRetry(async (bail) => fetchOrders(bail), {\n  retries: 5,\n  factor: 2,\n  maxTimeout: 10_000,\n});',
  },
  'exponential-backoff': {
    version: '3.1.3',
    callees: ['backOff'],
    read: ['numOfAttempts', 'startingDelay', 'timeMultiple', 'maxDelay', 'jitter', 'delayFirstAttempt'],
    others: { retry: 'retryIf' },
    translate: exponentialBackoff,
    example: "backOff(() => fetchOrders(), {\n  numOfAttempts: 6,\n  startingDelay: 200,\n  jitter: 'full',\n});",
  },
  '@lifeomic/attempt': {
    version: '3.1.0',
    callees: [],
    read: ['delay', 'initialDelay', 'minDelay', 'maxDelay', 'factor', 'maxAttempts', 'timeout', 'jitter', 'initialJitter', 'calculateDelay'],
    others: { handleError: 'retryIf', handleTimeout: 'nothing', beforeAttempt: 'onAttempt' },
    translate: attempt,
    example: 'retry(fetchOrders, {\n  delay: 200,\n  factor: 2,\n  maxDelay: 5000,\n  maxAttempts: 6,\n  jitter: true,\n});',
  },
} satisfies Record<string, Library>;

export type LibraryName = keyof typeof LIBRARIES;

function pRetry(pasted: Pasted): Reading {
  const retries = pasted.count('retries', 10);
  const notes = [retriesNote('retries', retries)];
  if (pasted.number('maxRetryTime', Infinity) === 0) throw new Untranslatable('With maxRetryTime 0, p-retry never retries.');
  if (pasted.get('maxRetryTime') !== undefined) {
    notes.push('p-retry cuts the last wait to what maxRetryTime leaves, tries once more, and lets a running attempt finish; totalTimeoutMs begins no wait that cannot end in time, and ends a running attempt.');
  }
  notes.push('An attempt that throws a TypeError, other than for the network, ends p-retry; here retryIf would say so.');
  return {
    // A factor of 0 is read as 1.
    ...retryCurve(pasted, retries, pasted.number('factor', 2) || 1, pasted.number('minTimeout', 1000), pasted.flag('randomize'), notes),
    notes,
  };
}

function asyncRetry(pasted: Pasted): Reading {
  const retries = pasted.count('retries', 10);
  const forever = pasted.flag('forever');
  const randomize = pasted.flag('randomize', true);
  const factor = pasted.number('factor', 2);
  // Zero is read as 1 ms.
  const minMs = Math.max(1, pasted.number('minTimeout', 1000));
  if (minMs > pasted.number('maxTimeout', Infinity)) throw new Untranslatable('minTimeout is greater than maxTimeout, which async-retry refuses.');
  if (retries === Infinity) throw new Untranslatable('With retries: Infinity async-retry draws waits without end before the first attempt; it takes forever: true instead.');
  const notes = forever ? [] : [retriesNote('retries', retries)];
  if (pasted.get('randomize') === undefined) notes.push('`randomize` is on by default.');
  if (randomize && factor < 2 && retries > 1) notes.push('async-retry draws all waits beforehand and sorts them; here they come as they are drawn.');
  if (pasted.get('maxRetryTime') !== undefined) {
    notes.push('async-retry looks at maxRetryTime after a failure only, so its last wait and attempt may end later; totalTimeoutMs ends both.');
  }
  notes.push('`bail(error)` is `throw permanent(error)`. async-retry rejects with the most frequent error, rejitter with the last one.');
  const reading = retryCurve(pasted, retries, factor, minMs, randomize, notes);
  if (!forever) return { ...reading, notes };

  const drawn = Math.max(1, retries);
  notes.unshift(`\`forever\` repeats wait ${drawn} for good, ${randomize ? 'always the same draw; here each is drawn anew' : 'as a list does here'}.`);
  const { factor: _, baseMs, backoff, ...rest } = reading.options;
  return { ...reading, options: { backoff: powers(minMs, factor, drawn), ...rest, maxAttempts: Infinity }, notes };
}

/** The waits of `retry` and its descendants: min(maxTimeout, U·minTimeout·factor^(k−1)), U 1 or from 1 to 2. */
function retryCurve(pasted: Pasted, retries: number, factor: number, baseMs: number, randomize: boolean, notes: string[]): Omit<Reading, 'notes'> {
  const capMs = pasted.number('maxTimeout', Infinity);
  const curve = exponential(baseMs, factor, capMs, retries);
  // 0 is no limit to `retry`.
  const totalTimeoutMs = pasted.number('maxRetryTime', Infinity) || Infinity;
  const options = { ...curve, maxAttempts: retries + 1, ...(totalTimeoutMs < Infinity && { totalTimeoutMs }) };
  if (!randomize) return { options: { ...options, jitter: 'none' } };
  const highest = 2 * baseMs * factor ** (retries - 1);
  if (highest > capMs) {
    notes.push(`\`randomize\` multiplies by 1 to 2 and then cuts at maxTimeout, so that clients pile up at ${duration(capMs)}. With twice the base, jitter 'equal' draws the same waits below it, and stays spread there.`);
  } else {
    notes.push("`randomize` multiplies by 1 to 2: these are the waits of jitter 'equal' with twice the base.");
  }
  return { options, preset: 'pRetryRandomized' };
}

function axiosRetry(pasted: Pasted): Reading {
  const retries = pasted.count('retries', 3);
  const notes = [retriesNote('retries', retries)];
  const { options, hint } = axiosDelay(pasted.get('retryDelay'), notes);
  if (hint) notes.push('It waits as long as Retry-After says, however long. createFetch of rejitter/fetch reads that header too, up to maxRetryAfterMs (60 s).');
  if (!pasted.flag('shouldResetTimeout')) notes.push("axios's timeout is for all attempts and waits together, as totalTimeoutMs is; with shouldResetTimeout for each, as attemptTimeoutMs.");
  notes.push('Around axios, retryIf says which errors are retried: axios-retry takes network errors, and 429 and 5xx of GET, HEAD, OPTIONS, PUT and DELETE.');
  return { options: { ...options, maxAttempts: retries + 1 }, notes };
}

/** `hint`: whether the delay follows Retry-After. */
function axiosDelay(delay: Value, notes: string[]): { options: Options; hint: boolean } {
  const linear = (baseMs: number, hint: boolean) => ({ options: { backoff: 'linear', baseMs, capMs: Infinity, jitter: 'none' }, hint });
  const doubling = (delayFactor: number) => {
    notes.push(`exponentialDelay raises its counter first, so the first wait is ${duration(2 * delayFactor)}, twice the delay factor; it adds 0 to 20 %, upwards only.`);
    return { options: { baseMs: 2 * delayFactor, factor: 2, capMs: Infinity, jitter: { type: 'additive', ratio: 0.2 } }, hint: true };
  };
  const none = (baseMs: number, hint: boolean) => ({ options: { backoff: 'fixed', baseMs, capMs: Infinity, jitter: 'none' }, hint });

  if (delay === undefined) {
    notes.push('Without retryDelay, axios-retry does not wait at all.');
    return none(0, true);
  }
  if (delay instanceof Call && lastName(delay.callee) === 'linearDelay') return linear(numberOf('the delay factor', delay.args[0] ?? 100), true);
  if (delay instanceof Other && delay.kind === 'name') {
    if (lastName(delay.text) === 'exponentialDelay') return doubling(100);
    if (lastName(delay.text) === 'linearDelay') throw new Untranslatable('linearDelay makes a delay function when it is called: write axiosRetry.linearDelay().');
  }
  if (delay instanceof Other && delay.kind === 'function') {
    const within = (pattern: RegExp) => pattern.exec(delay.text)?.slice(1).find(Boolean)?.replaceAll('_', '');
    const factor = within(/\bexponentialDelay\([^,()]*,[^,()]*,\s*([\d_]+)\s*\)/);
    if (factor !== undefined) return doubling(Number(factor));
    if (/\bexponentialDelay\([^,()]*(?:,[^,()]*)?\)/.test(delay.text)) return doubling(100);
    const step = within(/(?:=>|\breturn\b)\s*(?:\w+\s*\*\s*([\d_]+)|([\d_]+)\s*\*\s*\w+)[\s;}]*$/);
    if (step !== undefined) return linear(Number(step), false);
    const ms = within(/(?:=>|\breturn\b)\s*([\d_]+)[\s;}]*$/);
    if (ms !== undefined) return none(Number(ms), false);
  }
  throw ownFunction('retryDelay', delay);
}

function cockatiel(pasted: Pasted): Reading {
  const retries = pasted.count('maxAttempts', Infinity);
  const notes = [
    retries === Infinity
      ? "Without maxAttempts, cockatiel's retry() has no limit of attempts."
      : `cockatiel's maxAttempts counts retries: ${retries} are ${retries + 1} attempts.`,
    'In cockatiel an abort waits for the wait to end; here it ends it at once.',
  ];
  return { options: { ...cockatielBackoff(pasted, retries, notes), maxAttempts: retries + 1 }, notes };
}

function cockatielBackoff(pasted: Pasted, retries: number, notes: string[]): Options {
  const given = pasted.get('backoff');
  if (given !== undefined && !(given instanceof Call)) throw new Untranslatable(`backoff is ${textOf(given)}, which has no value here; write new ExponentialBackoff(…) or one of the others.`);
  const backoff = given ?? ['Constant', 'Iterable', 'Delegate', 'Exponential'].map((kind) => pasted.calls.get(`${kind}Backoff`)).find(Boolean);
  const first = backoff?.args[0];
  switch (backoff?.callee) {
    case 'ConstantBackoff':
      return { backoff: 'fixed', baseMs: numberOf('the interval', first), capMs: Infinity, jitter: 'none' };
    case 'IterableBackoff':
      if (!Array.isArray(first) || first.length === 0) throw new Untranslatable('IterableBackoff needs a list of numbers.');
      return { backoff: first.map((ms: Value) => numberOf('a wait in the list', ms)), capMs: Infinity, jitter: 'none' };
    case 'ExponentialBackoff':
      if (first !== undefined && !(first instanceof Fields)) throw new Untranslatable(`The options of ExponentialBackoff are ${textOf(first)}, which has no value here.`);
      return cockatielExponential(new Pasted(first ?? new Fields(), pasted.calls), retries, notes);
    case undefined:
      if (['initialDelay', 'maxDelay', 'exponent', 'generator'].some((name) => pasted.fields.map.has(name))) return cockatielExponential(pasted, retries, notes);
      notes.push('Without backoff, cockatiel does not wait at all.');
      return { backoff: 'fixed', baseMs: 0, jitter: 'none' };
    default:
      throw ownFunction('backoff', backoff);
  }
}

function cockatielExponential(pasted: Pasted, retries: number, notes: string[]): Options {
  const baseMs = pasted.number('initialDelay', 128);
  const capMs = pasted.number('maxDelay', 30_000);
  const exponent = pasted.number('exponent', 2);
  const given = pasted.get('generator');
  const generator = lastName(given instanceof Other ? given.text : 'decorrelatedJitterGenerator');
  const jitter = { noJitterGenerator: 'none', fullJitterGenerator: 'full', halfJitterGenerator: 'equal', decorrelatedJitterGenerator: 'pollyV2' }[generator];
  if (jitter === undefined) throw ownFunction('generator', given);
  if (jitter !== 'pollyV2') {
    if (exponent !== 2) notes.push(`\`exponent\` ${exponent} does not act: only the default generator reads it, the others double.`);
    return { ...exponential(baseMs, 2, capMs, retries), jitter };
  }
  if (exponent !== 2) notes.push(`Its default generator grows with exponent ${exponent}; rejitter's 'pollyV2' doubles, as Polly's does.`);
  // The highest draw of wait k is (2^k − 2^(k−2)·tanh √(4(k−1)))/1.4 or near it: 1.08·2^(k−1).
  if (1.08 * baseMs * 2 ** (retries - 1) > capMs) {
    notes.push(`What is drawn above maxDelay becomes ${duration(capMs)} in cockatiel, so that clients pile up there; 'pollyV2' draws it again from the cap's upper half.`);
  }
  return { jitter, baseMs: Math.min(baseMs, capMs), capMs };
}

function exponentialBackoff(pasted: Pasted): Reading {
  const attempts = Math.max(1, pasted.count('numOfAttempts', 10));
  const startingMs = pasted.number('startingDelay', 100);
  const factor = pasted.number('timeMultiple', 2);
  const late = pasted.flag('delayFirstAttempt');
  const notes = late ? [`delayFirstAttempt waits ${duration(startingMs)} before the first attempt, which rejitter never does; the later waits are these.`] : [];
  const given = pasted.get('jitter') ?? 'none';
  if (given !== 'full' && given !== 'none') notes.push(`jitter is ${textOf(given)}; exponential-backoff reads all but 'full' as 'none'.`);
  const curve = exponential(late ? startingMs * factor : startingMs, factor, pasted.number('maxDelay', Infinity), attempts - 1);
  return { options: { ...curve, jitter: given === 'full' ? 'full' : 'none', maxAttempts: attempts }, notes };
}

function attempt(pasted: Pasted): Reading {
  if (pasted.get('calculateDelay') != null) throw ownFunction('calculateDelay', pasted.get('calculateDelay'));
  const delayMs = pasted.number('delay', 200);
  const minMs = pasted.number('minDelay', 0);
  if (delayMs < minMs) throw new Untranslatable('delay is less than minDelay, which @lifeomic/attempt refuses.');
  const factor = pasted.number('factor', 0);
  // Zero means none for the three limits.
  const capMs = pasted.number('maxDelay', 0) || Infinity;
  const maxAttempts = pasted.count('maxAttempts', 3) || Infinity;
  const attemptTimeoutMs = pasted.number('timeout', 0);
  const jitter = pasted.flag('jitter');
  const notes: string[] = [];
  if (!factor && capMs < Infinity) notes.push('maxDelay does not act: @lifeomic/attempt looks at it only with a factor.');
  if (minMs > 0 && !jitter) notes.push('minDelay does not act: @lifeomic/attempt looks at it only with jitter.');
  if (pasted.number('initialDelay', 0) > 0) notes.push('initialDelay waits before the first attempt, which rejitter never does.');
  if (pasted.flag('initialJitter')) notes.push('initialJitter waits before the first attempt, which rejitter never does.');
  if (attemptTimeoutMs > 0) notes.push('A timeout ends @lifeomic/attempt for good; attemptTimeoutMs is retried like any failure, unless retryIf says no to a TimeoutError.');
  const curve = factor ? exponential(delayMs, factor, capMs, maxAttempts - 1) : { backoff: 'fixed', baseMs: delayMs, capMs: Infinity };
  return {
    options: { ...curve, ...(jitter && minMs > 0 && { minMs }), jitter: jitter ? 'full' : 'none', maxAttempts, ...(attemptTimeoutMs > 0 && { attemptTimeoutMs }) },
    notes,
  };
}

/** min(cap, base·factor^(k−1)) in rejitter's words, which knows no shrinking factor and no cap below the base. */
function exponential(baseMs: number, factor: number, capMs: number, retries: number): Options {
  if (factor < 1) return { backoff: powers(baseMs, factor, Math.max(1, Math.min(retries, 20))), capMs };
  if (factor === 1 || baseMs >= capMs) return { backoff: 'fixed', baseMs: Math.min(baseMs, capMs), capMs };
  return { backoff: 'exponential', baseMs, capMs, factor };
}

function powers(baseMs: number, factor: number, length: number): number[] {
  return Array.from({ length }, (_, i) => Math.round(baseMs * factor ** i));
}

function retriesNote(name: string, retries: number): string {
  return retries === Infinity ? `\`${name}\` is Infinity: only success ends it, or the signal.` : `\`${name}\` ${retries} makes ${retries + 1} attempts: maxAttempts counts the first.`;
}

function ownFunction(name: string, value: Value): Untranslatable {
  return new Untranslatable(`${name} is ${textOf(value)}, and nothing that is pasted here is run. rejitter takes a function of your own as backoff: (k) => ms.`);
}

/** `exponentialDelay` of `axiosRetry.exponentialDelay`. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
