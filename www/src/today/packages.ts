/**
 * Options of JavaScript packages as options of rejitter, from the sources of the versions named here. async-retry is on
 * retry 0.13.1, the AWS SDK on @smithy/core 3.41.0.
 */
import { duration, plural } from '../charts/format';
import type { Changes } from '../state/presets';
import { Unread, type Pasted, type Value } from './reader';

export interface Reading extends Changes {
  /** Differences from the package, in sentences. */
  readonly notes: readonly string[];
  /** Set if the package sends requests itself. */
  readonly isClient?: boolean;
}

interface Package {
  readonly version: string;
  /** Names that only this package has. */
  readonly sign: RegExp;
  readonly modules: readonly string[];
  /** The options that `translate` reads; those of other packages too. */
  readonly read: readonly string[];
  /** Others that change no wait, and their counterparts. */
  readonly others: Readonly<Record<string, string>>;
  readonly translate: (options: Options) => Reading;
  /** A call as people write it. */
  readonly example: string;
}

/** Why there is no translation, as a sentence. */
export class Untranslatable extends Error {}

/** The pasted options, checked as they are read. */
export class Options {
  readonly pasted: Pasted;
  constructor(pasted: Pasted) {
    this.pasted = pasted;
  }

  get(name: string): Value | undefined {
    return this.pasted.values.get(name);
  }

  number(name: string, fallback: number): number {
    const value = this.get(name) ?? fallback;
    if (typeof value === 'number' && value >= 0) return value;
    throw new Untranslatable(`${name} must be a number of at least 0, got ${shown(value)}.${remedy(value)}`);
  }

  count(name: string, fallback: number): number {
    const value = this.number(name, fallback);
    if (value === Infinity || Number.isInteger(value)) return value;
    throw new Untranslatable(`${name} must be a whole number or Infinity, got ${value}.`);
  }

  flag(name: string, fallback = false): boolean {
    const value = this.get(name) ?? fallback;
    if (typeof value === 'boolean') return value;
    throw new Untranslatable(`${name} must be true or false, got ${shown(value)}.${remedy(value)}`);
  }

  /** Rejects a function: this page runs no pasted code. */
  noFunction(name: string): void {
    const value = this.get(name);
    if (value instanceof Unread) throw new Untranslatable(`${name} is ${shown(value)}.${remedy(value)}`);
  }
}

function shown(value: Value): string {
  if (value instanceof Unread) return value.isFunction ? 'a function' : `\`${value.text.slice(0, 60)}\``;
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function remedy(value: Value): string {
  if (!(value instanceof Unread)) return '';
  return value.isFunction
    ? ' This page runs no pasted code. rejitter takes a function as backoff: (k) => ms.'
    : ' Paste its value.';
}

/** `retries` 5 makes 6 attempts. */
function retriesNote(name: string, retries: number): string {
  return retries === Infinity
    ? `\`${name}\` is Infinity: only success or the signal ends the operation.`
    : `\`${name}\` ${retries} makes ${plural(retries + 1, 'attempt')}: maxAttempts counts the first attempt.`;
}

/** min(cap, base·factor^(k−1)) in rejitter's words, which has no shrinking factor and no cap below the base. */
function exponential(baseMs: number, factor: number, capMs: number): Record<string, unknown> {
  if (factor < 1) throw new Untranslatable('A factor below 1 makes the waits shrink, which rejitter does not do.');
  if (factor === 1 || baseMs >= capMs) return { backoff: 'fixed', baseMs: Math.min(baseMs, capMs), capMs };
  return { backoff: 'exponential', baseMs, capMs, factor };
}

const words = (text: string): readonly string[] => text.split(' ');
/** `name=counterpart`, or `name=` where there is none. */
const pairs = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(text.split(' ').flatMap((pair) => (pair ? [pair.split('=') as [string, string]] : [])));

const HTTP_PAIRS = 'methods=methods statusCodes=retryOn maxRetryAfter=maxRetryAfterMs timeout=attemptTimeoutMs';

export const PACKAGES = {
  'p-retry': {
    version: '9.0.0',
    sign: /\b(?:pRetry|makeRetriable)\b/,
    modules: ['p-retry'],
    read: words('retries factor minTimeout maxTimeout randomize maxRetryTime'),
    others: pairs('signal=signal unref=unref onFailedAttempt=onFailure shouldRetry=retryIf shouldConsumeRetry=retryIf'),
    translate: (options) => {
      const retries = options.count('retries', 10);
      const notes = [retriesNote('retries', retries)];
      if (options.get('maxRetryTime') !== undefined)
        notes.push('p-retry lets a running attempt finish after maxRetryTime; totalTimeoutMs ends it.');
      notes.push('p-retry does not retry a TypeError, except network errors. In rejitter, retryIf decides that.');
      return { ...retryPackage(options, retries, false, notes), notes };
    },
    example: 'pRetry(fetchOrders, {\n  retries: 10,\n  minTimeout: 1000,\n});',
  },
  'async-retry': {
    version: '1.3.3',
    sign: /\basyncRetry\b/,
    modules: ['async-retry'],
    read: words('retries factor minTimeout maxTimeout randomize maxRetryTime forever'),
    others: pairs('onRetry=onRetry unref=unref'),
    translate: (options) => {
      if (options.flag('forever'))
        throw new Untranslatable('forever repeats the last wait with the same draw, which no policy of rejitter does.');
      const retries = options.count('retries', 10);
      const notes = [
        retriesNote('retries', retries),
        ...(options.get('randomize') === undefined ? ['`randomize` is on by default.'] : []),
        '`bail(error)` is `throw permanent(error)`. async-retry rejects with the most frequent error, rejitter with the last one.',
      ];
      return { ...retryPackage(options, retries, true, notes), notes };
    },
    example: 'asyncRetry(async (bail) => fetchOrders(bail), {\n  retries: 10,\n});',
  },
  'axios-retry': {
    version: '4.5.0',
    sign: /\baxiosRetry\b/,
    modules: ['axios-retry'],
    read: words('retries retryDelay'),
    others: pairs(
      'onRetry=onRetry retryCondition=retryIf validateResponse=retryOnResult onMaxRetryTimesExceeded=onGiveUp ' +
        'shouldResetTimeout=attemptTimeoutMs',
    ),
    translate: (options) => {
      const retries = options.count('retries', 3);
      const delay = options.get('retryDelay');
      const text = delay instanceof Unread ? delay.text : '';
      const notes = [retriesNote('retries', retries)];
      const maxAttempts = retries + 1;
      const client = { notes, isClient: true };
      if (delay === undefined) {
        notes.push('Without retryDelay, axios-retry does not wait at all.');
        return { options: { backoff: 'fixed', baseMs: 0, jitter: 'none', maxAttempts }, ...client };
      }
      const linear = /linearDelay\s?\(\s?([\d_]*)/.exec(text);
      if (linear)
        return {
          options: {
            backoff: 'linear',
            baseMs: Number(linear[1]?.replaceAll('_', '') || 100),
            capMs: Infinity,
            jitter: 'none',
            maxAttempts,
          },
          ...client,
        };
      if (!/exponentialDelay$/.test(text)) options.noFunction('retryDelay');
      notes.push('exponentialDelay doubles before the first wait, which is 200 ms, and adds 0 to 20%.');
      return {
        options: { baseMs: 200, factor: 2, capMs: Infinity, jitter: { type: 'additive', ratio: 0.2 }, maxAttempts },
        ...client,
      };
    },
    example: 'axiosRetry(axios, {\n  retries: 3,\n  retryDelay: axiosRetry.exponentialDelay,\n});',
  },
  'exponential-backoff': {
    version: '3.1.3',
    sign: /\bbackOff\b/,
    modules: ['exponential-backoff'],
    read: words('numOfAttempts startingDelay timeMultiple maxDelay jitter delayFirstAttempt'),
    others: pairs('retry=retryIf'),
    translate: (options) => {
      const maxAttempts = Math.max(1, options.count('numOfAttempts', 10));
      const late = options.flag('delayFirstAttempt');
      const factor = options.number('timeMultiple', 2);
      const startingMs = options.number('startingDelay', 100) * (late ? factor : 1);
      return {
        options: {
          ...exponential(startingMs, factor, options.number('maxDelay', Infinity)),
          jitter: options.get('jitter') === 'full' ? 'full' : 'none',
          maxAttempts,
        },
        notes: late
          ? ['delayFirstAttempt waits before the first attempt. rejitter never does. The later waits are the same.']
          : [],
      };
    },
    example: 'backOff(() => fetchOrders(), {\n  numOfAttempts: 10,\n});',
  },
  ky: {
    version: '2.1.0',
    sign: /\bky(?:\.\w+)?\b(?=\s?\()/,
    modules: ['ky'],
    read: words('retry limit delay backoffLimit jitter retryOnTimeout'),
    others: pairs(`${HTTP_PAIRS} shouldRetry=retryOn afterStatusCodes=`),
    translate: (options) => {
      options.noFunction('delay');
      const retries = limitOf(options);
      const jitter = options.get('jitter') === undefined ? false : options.flag('jitter');
      const capMs = options.number('backoffLimit', Infinity);
      const notes = [retriesNote('limit', retries)];
      if (jitter && capMs < Infinity)
        notes.push(
          `ky cuts a wait to backoffLimit after the jitter, so clients retry together at ${duration(capMs)}. rejitter draws below the cap.`,
        );
      notes.push(
        options.get('retryOnTimeout') === true
          ? '`retryOnTimeout` is what `attemptTimeoutMs` does.'
          : 'ky does not retry a request that ends with its timeout. attemptTimeoutMs does.',
      );
      return {
        options: { ...exponential(300, 2, capMs), jitter: jitter ? 'full' : 'none', maxAttempts: retries + 1 },
        notes,
        isClient: true,
      };
    },
    example: 'ky.create({\n  retry: { limit: 2 },\n});',
  },
  got: {
    version: '16.1.0',
    sign: /\bgot(?:\.\w+)?\b(?=\s?\()/,
    modules: ['got'],
    read: words('retry limit calculateDelay backoffLimit noise'),
    others: pairs(`${HTTP_PAIRS} enforceRetryRules= errorCodes=`),
    translate: (options) => {
      options.noFunction('calculateDelay');
      const retries = limitOf(options);
      const noise = options.number('noise', 100);
      const curve = exponential(1000, 2, options.number('backoffLimit', Infinity));
      return {
        options: {
          ...curve,
          capMs: Number(curve['capMs']) + noise,
          jitter: { type: 'additive', maxMs: noise },
          maxAttempts: retries + 1,
        },
        notes: [retriesNote('limit', retries), `got adds up to ${duration(noise)} to each wait.`],
        isClient: true,
      };
    },
    example: 'got.extend({\n  retry: { limit: 2 },\n});',
  },
  'AWS SDK': {
    version: '3.1169.0',
    sign: /\b(?!Query)\w+Client\b|\b(?:Standard|Adaptive|Configured)RetryStrategy\b/,
    modules: ['@aws-sdk/', '@smithy/'],
    read: words('maxAttempts retryMode'),
    others: pairs('retryStrategy='),
    translate: (options) => {
      if (/ConfiguredRetryStrategy/.test(options.pasted.text))
        throw new Untranslatable(
          'ConfiguredRetryStrategy takes a function for its waits. Choose the preset that comes near, or write the waits.',
        );
      const dynamo = /DynamoDB/.test(options.pasted.text);
      const maxAttempts = Math.max(1, options.count('maxAttempts', dynamo ? 4 : 3));
      return {
        preset: 'awsSdk2026',
        options: { ...(dynamo && { baseMs: 25 }), maxAttempts },
        notes: [
          'The SDK waits longer when the service throttles: preset `awsSdk2026Throttling` has that base of 1 s.',
          'Every client has a retry quota as well. rejitter has a retry budget for that.',
          ...(options.get('retryMode') === 'adaptive'
            ? [
                "`retryMode` 'adaptive' also slows down first attempts. rejitter's cooldown does so after a 429 with Retry-After.",
              ]
            : []),
        ],
      };
    },
    example: "new S3Client({\n  maxAttempts: 3,\n  retryMode: 'standard',\n});",
  },
  cockatiel: {
    version: '4.0.0',
    sign: /\b(?:Exponential|Constant|Iterable|Delegate)Backoff\b|\bhandle(?:All|Type|When|ResultType|WhenResult)\b/,
    modules: ['cockatiel'],
    read: words('maxAttempts backoff initialDelay maxDelay exponent generator'),
    others: pairs(''),
    translate: (options) => {
      const retries = options.count('maxAttempts', Infinity);
      const notes = [
        retries === Infinity
          ? "Without maxAttempts, cockatiel's retry() has no limit of attempts."
          : `cockatiel's maxAttempts counts retries: ${retries} retries are ${plural(retries + 1, 'attempt')}.`,
        'An abort ends a wait at once. In cockatiel it takes effect when the wait ends.',
      ];
      return { options: { ...cockatiel(options, notes), maxAttempts: retries + 1 }, notes };
    },
    example: 'retry(handleAll, {\n  maxAttempts: 10,\n  backoff: new ExponentialBackoff(),\n});',
  },
} satisfies Record<string, Package>;

export type PackageName = keyof typeof PACKAGES;
export const PACKAGE_NAMES = Object.keys(PACKAGES) as PackageName[];

export function packageOf(name: PackageName): Package {
  return PACKAGES[name];
}

/** `retry: 5` or `retry: { limit: 5 }`. */
function limitOf(options: Options): number {
  return typeof options.get('retry') === 'number' ? options.count('retry', 2) : options.count('limit', 2);
}

/** The waits of `retry`: min(maxTimeout, U·minTimeout·factor^(k−1)), where U is 1, or uniform on [1, 2). */
function retryPackage(options: Options, retries: number, randomizes: boolean, notes: string[]): Changes {
  const capMs = options.number('maxTimeout', Infinity);
  const timeoutMs = options.number('maxRetryTime', Infinity) || Infinity;
  const shared = {
    ...exponential(options.number('minTimeout', 1000), options.number('factor', 2) || 1, capMs),
    maxAttempts: retries + 1,
    ...(timeoutMs < Infinity && { totalTimeoutMs: timeoutMs }),
  };
  if (!options.flag('randomize', randomizes)) return { options: { ...shared, jitter: 'none' } };
  notes.push(
    '`randomize` multiplies by 1 to 2 and cuts at maxTimeout: preset `pRetryRandomized` draws the same waits.',
  );
  return { preset: 'pRetryRandomized', options: shared };
}

function cockatiel(options: Options, notes: string[]): Record<string, unknown> {
  const { text } = options.pasted;
  const argument = /\bConstantBackoff\(\s*([\d_]+)\s*\)/.exec(text)?.[1];
  if (argument)
    return { backoff: 'fixed', baseMs: Number(argument.replaceAll('_', '')), capMs: Infinity, jitter: 'none' };
  const list = /\bIterableBackoff\(\s*\[([\d_,\s]+)\]/.exec(text)?.[1];
  if (list)
    return {
      backoff: list
        .split(',')
        .filter((part) => part.trim())
        .map((part) => Number(part.replaceAll('_', ''))),
      capMs: Infinity,
      jitter: 'none',
    };
  if (/\b(?:Constant|Iterable|Delegate)Backoff\b/.test(text))
    throw new Untranslatable('The argument of this backoff is not a number that can be read here.');
  if (
    !/\bExponentialBackoff\b/.test(text) &&
    options.get('initialDelay') === undefined &&
    options.get('backoff') === undefined
  ) {
    notes.push('Without backoff, cockatiel does not wait at all.');
    return { backoff: 'fixed', baseMs: 0, jitter: 'none' };
  }
  const [baseMs, capMs] = [options.number('initialDelay', 128), options.number('maxDelay', 30_000)];
  const generator = options.get('generator');
  const name = generator instanceof Unread ? generator.text.replace(/^.*\./, '') : 'decorrelatedJitterGenerator';
  const jitter = {
    noJitterGenerator: 'none',
    fullJitterGenerator: 'full',
    halfJitterGenerator: 'equal',
    decorrelatedJitterGenerator: 'pollyV2',
  }[name];
  if (jitter === undefined) throw new Untranslatable('generator must be one of the generators of cockatiel.');
  if (jitter !== 'pollyV2') return { ...exponential(baseMs, 2, capMs), jitter };
  notes.push("cockatiel cuts longer draws to exactly maxDelay; 'pollyV2' draws them again below the cap.");
  return { jitter, baseMs: Math.min(baseMs, capMs), capMs };
}
