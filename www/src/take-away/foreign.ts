/**
 * Retry settings of other languages, recognised by their names. Numbers in the text count; everything else has the
 * library's default. From the sources of Polly 8, cenkalti/backoff v5, google-http-client 2, go-retryablehttp 0.7,
 * gRPC's proposal A6, tenacity 9.2.1, resilience4j 2, spring-retry 2 and Spring Framework 7.
 */
import { duration } from '../charts/format';
import type { Options, Reading } from './reading';
import { Text, durationOf, plainNumber } from './text';

interface Foreign {
  readonly name: string;
  /** Names that only this library uses. */
  readonly sign: RegExp;
  /** Options that change no wait, and their counterparts. */
  readonly others: Readonly<Record<string, string>>;
  readonly translate: (text: Text) => Omit<Reading, 'notes'>;
}

const FOREIGN: readonly Foreign[] = [
  {
    name: 'Polly 8',
    sign: /\b(?:Http)?RetryStrategyOptions\b|\bDelayBackoffType\b|\bResiliencePipelineBuilder\b|\bWaitAndRetry(?:Async)?\b|\bDecorrelatedJitterBackoffV2\b|\bAddStandardResilienceHandler\b/,
    others: { ShouldHandle: 'retryIf', OnRetry: 'onRetry', DelayGenerator: 'retryIf with { afterMs }' },
    translate: polly,
  },
  {
    name: 'go-retryablehttp',
    sign: /\bretryablehttp\b|\bRetryWaitM(?:in|ax)\b/,
    others: { CheckRetry: 'retryOn', Backoff: 'backoff', RequestLogHook: 'onAttempt' },
    translate: (text) => {
      const retries = text.number('RetryMax');
      return {
        preset: 'goRetryableHttp',
        options: said({
          baseMs: text.ms('RetryWaitMin'),
          capMs: text.ms('RetryWaitMax'),
          maxAttempts: plus(retries, 1),
        }),
      };
    },
  },
  {
    name: 'Google HTTP client',
    sign: /\bset(?:InitialInterval|MaxInterval|MaxElapsedTime)Millis\b|com\.google\.api\.client/,
    others: {},
    translate: (text) => ({
      preset: 'googleHttpClient',
      options: googleLike(
        text,
        'setInitialIntervalMillis',
        'setMultiplier',
        'setMaxIntervalMillis',
        'setMaxElapsedTimeMillis',
        'setRandomizationFactor',
      ),
    }),
  },
  {
    name: 'cenkalti/backoff',
    sign: /\bbackoff\.(?:New\w*BackOff|ExponentialBackOff|With\w+|Retry\w*)\b|\bRandomizationFactor\b/,
    others: { WithNotify: 'onRetry', WithContext: 'signal' },
    translate: (text) => {
      const retries = text.argument('WithMaxRetries', 1);
      const options = googleLike(
        text,
        'InitialInterval',
        'Multiplier',
        'MaxInterval',
        text.has('WithMaxElapsedTime') ? 'WithMaxElapsedTime' : 'MaxElapsedTime',
        'RandomizationFactor',
      );
      return {
        preset: 'cenkalti',
        options: { ...options, ...said({ maxAttempts: plus(retries, 1) ?? text.number('WithMaxTries') }) },
      };
    },
  },
  {
    name: 'gRPC',
    sign: /\binitialBackoff\b|\bbackoffMultiplier\b/,
    others: { retryableStatusCodes: 'retryIf' },
    translate: (text) => ({
      preset: 'grpc',
      options: said({
        maxAttempts: text.number('maxAttempts'),
        baseMs: text.ms('initialBackoff'),
        capMs: text.ms('maxBackoff'),
        factor: text.number('backoffMultiplier'),
      }),
    }),
  },
  {
    name: 'tenacity',
    sign: /\btenacity\b|\bstop_after_(?:attempt|delay)\b|\bwait_(?:random|exponential|fixed|chain|incrementing)\w*/,
    others: {
      retry_if_exception_type: 'retryIf',
      retry_if_result: 'retryOnResult',
      before_sleep: 'onRetry',
      after: 'onFailure',
      reraise: 'finalError',
    },
    translate: tenacity,
  },
  {
    name: 'resilience4j',
    sign: /\bresilience4j\b|\bRetryConfig\b|\bIntervalFunction\b|\b(?:enable|exponential)-?\w*-?[Bb]ackoff/,
    others: {
      retryExceptions: 'retryIf',
      ignoreExceptions: 'retryIf',
      retryOnResult: 'retryOnResult',
      retryOnException: 'retryIf',
    },
    translate: resilience4j,
  },
  {
    name: 'Spring',
    sign: /@Retryable\b|@Backoff\b|\bRetryTemplate\b/,
    others: {
      retryFor: 'retryIf',
      noRetryFor: 'retryIf',
      include: 'retryIf',
      exclude: 'retryIf',
      includes: 'retryIf',
      excludes: 'retryIf',
      recover: 'a catch',
    },
    translate: spring,
  },
];

export const FOREIGN_NAMES: readonly string[] = FOREIGN.map(({ name }) => name);

/** The reading of a text in another language, and the library it looks like. */
export function foreign(source: string): { readonly name: string; readonly reading: Reading } | undefined {
  const found = FOREIGN.find(({ sign }) => sign.test(source));
  if (!found) return undefined;
  const text = new Text(source);
  const reading = found.translate(text);
  const notes = [
    text.read.length > 0 ? `Read from the text: ${text.read.join(', ')}.` : 'No number could be read from the text.',
    'Everything else has the default of ' +
      `${reading.preset === undefined ? found.name : `the preset '${reading.preset}'`}.`,
    ...text.unread.map((name) => `The value of \`${name}\` could not be read, so the figures use its default.`),
    ...text.notes,
    ...Object.entries(found.others)
      .filter(([name]) => text.sets(name))
      .map(([name, ours]) => `\`${name}\` is \`${ours}\` in rejitter.`),
  ];
  const more = text.others(Object.keys(found.others));
  if (more.length > 0) notes.push(`Not translated: ${more.map((name) => `\`${name}\``).join(', ')}.`);
  return { name: found.name, reading: { ...reading, notes } };
}

/** The options that have a value. */
function said(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function plus(value: number | undefined, more: number): number | undefined {
  return value === undefined ? undefined : value + more;
}

function proportional(ratio: number | undefined): object | undefined {
  return ratio === undefined ? undefined : ratio === 0 ? undefined : { type: 'proportional', ratio };
}

/** The fields that Google's client and cenkalti/backoff share. An elapsed time of 0 means no limit. */
function googleLike(
  text: Text,
  ...names: [interval: string, factor: string, cap: string, total: string, ratio: string]
): Options {
  const ratio = text.number(names[4]);
  const total = text.ms(names[3]);
  return said({
    baseMs: text.ms(names[0]),
    factor: text.number(names[1]),
    capMs: text.ms(names[2]),
    totalTimeoutMs: total === 0 ? Infinity : total,
    jitter: ratio === 0 ? 'none' : proportional(ratio),
  });
}

/** The waits of a library that cuts at its cap after the jitter, where rejitter draws below the cap. */
function cut(options: Options): Omit<Reading, 'notes'> {
  const capped = typeof options['capMs'] === 'number' && options['capMs'] < Infinity && options['jitter'] !== 'none';
  return {
    options,
    ...(capped && { before: { kind: 'policy', data: { version: 1, capRule: 'draw', ...options } } as const }),
  };
}

function polly(text: Text): Omit<Reading, 'notes'> {
  if (text.has('DecorrelatedJitterBackoffV2')) {
    const maxAttempts = plus(text.number('retryCount'), 1);
    return { preset: 'polly', options: said({ baseMs: text.ms('medianFirstRetryDelay'), maxAttempts }) };
  }
  const version7 = text.args(text.has('WaitAndRetryAsync') ? 'WaitAndRetryAsync' : 'WaitAndRetry');
  if (version7 && !text.has('RetryStrategyOptions')) {
    const retries = plainNumber(version7[0] ?? '');
    const power = /Math\.Pow\(\s*(\d+)/.exec(version7.join(', '))?.[1];
    const fixed = durationOf(/TimeSpan\.From\w+\([\d._]+/.exec(version7.join(', '))?.[0] ?? '', 1);
    if (retries !== undefined) text.said('retryCount', String(retries));
    const attempts = (retries ?? 3) + 1;
    if (power !== undefined) {
      text.notes.push(`The function is read as ${power} to the power of the retry's number, in seconds.`);
      return {
        options: {
          baseMs: 1000 * Number(power),
          factor: Number(power),
          capMs: Infinity,
          jitter: 'none',
          maxAttempts: attempts,
        },
      };
    }
    if (fixed !== undefined)
      return { options: { backoff: 'fixed', baseMs: fixed, capMs: Infinity, jitter: 'none', maxAttempts: attempts } };
    return { preset: 'polly', options: said({ maxAttempts: plus(retries, 1) }) };
  }

  // Its options for HTTP have other defaults.
  const http = text.has('HttpRetryStrategyOptions') || text.has('AddStandardResilienceHandler');
  const type = text.word('BackoffType') ?? (http ? 'Exponential' : 'Constant');
  const jitter = text.flag('UseJitter') ?? http;
  const [baseMs, capMs, retries] = [text.ms('Delay'), text.ms('MaxDelay'), text.number('MaxRetryAttempts')];
  if (type === 'Exponential' && jitter)
    return { preset: 'polly', options: said({ baseMs, capMs, maxAttempts: plus(retries, 1) }) };
  text.notes.push(
    `Polly's backoff is ${type.toLowerCase()}${text.has('BackoffType') ? '' : ' by default'}, ` +
      `${jitter ? 'with ±25% jitter' : 'without jitter'}. The preset 'polly' has exponential backoff with its jitter.`,
  );
  const backoff = type === 'Exponential' ? 'exponential' : type === 'Linear' ? 'linear' : 'fixed';
  return cut({
    backoff,
    jitter: jitter ? { type: 'proportional', ratio: 0.25 } : 'none',
    baseMs: baseMs ?? 2000,
    capMs: capMs ?? Infinity,
    maxAttempts: (retries ?? 3) + 1,
  });
}

function tenacity(text: Text): Omit<Reading, 'notes'> {
  const attempts = text.argument('stop_after_attempt', 0);
  const deadline = text.args('stop_after_delay')?.[0];
  const limits = {
    maxAttempts: attempts ?? Infinity,
    ...said({ totalTimeoutMs: deadline === undefined ? undefined : durationOf(deadline, 1000) }),
  };
  if (attempts === undefined) text.notes.push('Without stop_after_attempt, tenacity has no limit of attempts.');

  // Arguments by name or by position, in seconds.
  const kind = [
    'wait_exponential_jitter',
    'wait_random_exponential',
    'wait_exponential',
    'wait_incrementing',
    'wait_random',
    'wait_fixed',
  ].find((name) => text.has(name));
  const args = kind === undefined ? [] : (text.args(kind) ?? []);
  const seconds = (name: string, position: number, fallback: number, unit = 1000): number => {
    text.know(name);
    const named = args.find((arg) => new RegExp(`^${name}\\s*=`).test(arg))?.replace(/^\w+\s*=\s*/, '');
    const given = named ?? (args[position]?.includes('=') ? undefined : args[position]);
    if (given === undefined) return fallback;
    const value = durationOf(given, unit);
    if (value === undefined) text.unread.push(name);
    else text.said(name, unit === 1 ? String(value) : duration(value));
    return value ?? fallback;
  };
  const most = args.length > 4 || (kind !== undefined && text.args(kind) === undefined);
  if (most) text.unread.push(kind ?? 'wait');
  switch (kind) {
    case 'wait_fixed':
      return {
        options: { backoff: 'fixed', baseMs: seconds('wait', 0, 1000), jitter: 'none', capMs: Infinity, ...limits },
      };
    case 'wait_random': {
      const [min, max] = [seconds('min', 0, 0), seconds('max', 1, 1000)];
      return {
        options: {
          backoff: 'fixed',
          baseMs: max,
          capMs: max,
          ...(min > 0 && { minMs: min }),
          jitter: 'full',
          ...limits,
        },
      };
    }
    case 'wait_incrementing': {
      const [start, step, cap] = [
        seconds('start', 0, 0),
        seconds('increment', 1, 100_000),
        seconds('max', 2, Infinity),
      ];
      return {
        options: {
          backoff: 'linear',
          baseMs: Math.min(start, cap),
          stepMs: step,
          capMs: cap,
          jitter: 'none',
          ...limits,
        },
      };
    }
    case 'wait_exponential':
    case 'wait_random_exponential': {
      const [baseMs, capMs, factor, minMs] = [
        seconds('multiplier', 0, 1000),
        seconds('max', 1, Infinity),
        seconds('exp_base', 2, 2, 1),
        seconds('min', 3, 0),
      ];
      const jitter = kind === 'wait_exponential' ? 'none' : 'full';
      return {
        options: {
          baseMs: Math.min(baseMs, capMs),
          capMs: Math.max(capMs, minMs),
          factor,
          ...(minMs > 0 && { minMs }),
          jitter,
          ...limits,
        },
      };
    }
    case 'wait_exponential_jitter': {
      const [first, capMs, factor, maxMs] = [
        seconds('initial', 0, 1000),
        seconds('max', 1, Infinity),
        seconds('exp_base', 2, 2, 1),
        seconds('jitter', 3, 1000),
      ];
      const baseMs = Math.min(text.has('multiplier') ? seconds('multiplier', 9, first) : first, capMs);
      return cut({ baseMs, capMs, factor, jitter: maxMs > 0 ? { type: 'additive', maxMs } : 'none', ...limits });
    }
    default:
      text.notes.push('Without wait, tenacity does not wait at all.');
      return { options: { backoff: 'fixed', baseMs: 0, jitter: 'none', ...limits } };
  }
}

function resilience4j(text: Text): Omit<Reading, 'notes'> {
  const maxAttempts = text.number('maxAttempts') ?? text.number('max-attempts') ?? 3;
  const kind = ['ofExponentialRandomBackoff', 'ofExponentialBackoff', 'ofRandomized'].find((name) => text.has(name));
  if (kind !== undefined) {
    const args = (text.args(kind) ?? []).map((arg, i) => {
      const value = durationOf(arg, 1);
      if (value === undefined) text.unread.push(`argument ${i + 1} of ${kind}`);
      return value;
    });
    text.said(kind, args.join(', '));
    const random =
      kind === 'ofExponentialRandomBackoff' ? (args[2] ?? 0.5) : kind === 'ofRandomized' ? (args[1] ?? 0.5) : 0;
    const cap =
      (kind === 'ofExponentialRandomBackoff' ? args[3] : kind === 'ofExponentialBackoff' ? args[2] : undefined) ??
      Infinity;
    const curve = kind === 'ofRandomized' ? { backoff: 'fixed' } : { backoff: 'exponential', factor: args[1] ?? 1.5 };
    return cut({
      ...curve,
      baseMs: Math.min(args[0] ?? 500, cap),
      capMs: cap,
      jitter: proportional(random) ?? 'none',
      maxAttempts,
    });
  }
  const baseMs = text.ms('waitDuration') ?? text.ms('wait-duration') ?? 500;
  const grows = text.flag('enableExponentialBackoff') ?? text.flag('enable-exponential-backoff') ?? false;
  const factor = text.number('exponentialBackoffMultiplier') ?? text.number('exponential-backoff-multiplier') ?? 1.5;
  const capMs = text.ms('exponentialMaxWaitDuration') ?? text.ms('exponential-max-wait-duration') ?? Infinity;
  const draws = text.flag('enableRandomizedWait') ?? text.flag('enable-randomized-wait') ?? false;
  const ratio = text.number('randomizedWaitFactor') ?? text.number('randomized-wait-factor') ?? 0.5;
  return cut({
    ...(grows ? { backoff: 'exponential', factor } : { backoff: 'fixed' }),
    baseMs,
    capMs: grows ? capMs : Infinity,
    jitter: (draws && proportional(ratio)) || 'none',
    maxAttempts,
  });
}

function spring(text: Text): Omit<Reading, 'notes'> {
  const built = ['exponentialBackoff', 'uniformRandomBackoff', 'fixedBackoff'].find(
    (name) => text.args(name) !== undefined,
  );
  const args = built === undefined ? [] : (text.args(built) ?? []);
  if (built !== undefined) text.said(built, args.join(', '));
  const numbers = args.map((arg) => durationOf(arg, 1));
  // Spring Framework 7 counts retries; spring-retry counts attempts.
  const seven = text.has('maxRetries') || (text.has('Retryable') && !text.has('Backoff') && text.has('delay'));
  const maxAttempts = seven ? (text.number('maxRetries') ?? 3) + 1 : (text.number('maxAttempts') ?? 3);
  const delay = numbers[0] ?? text.ms('delay') ?? (built === undefined ? text.ms('Backoff') : undefined) ?? 1000;
  const multiplier = (built === 'exponentialBackoff' ? numbers[1] : undefined) ?? text.number('multiplier') ?? 0;
  const most = (built === 'exponentialBackoff' ? numbers[2] : numbers[1]) ?? text.ms('maxDelay') ?? 0;
  if (seven) {
    const [jitter, capMs] = [text.ms('jitter') ?? 0, most > 0 ? most : Infinity];
    const curve = multiplier > 1 ? { backoff: 'exponential', factor: multiplier } : { backoff: 'fixed' };
    if (jitter === 0) return { options: { ...curve, baseMs: delay, capMs, jitter: 'none', maxAttempts } };
    text.notes.push('Spring never waits less than `delay`, and neither does minMs.');
    return {
      options: {
        ...curve,
        baseMs: delay,
        minMs: delay,
        capMs,
        jitter: { type: 'proportional', ratio: Math.min(1, jitter / delay) },
        maxAttempts,
      },
    };
  }
  if (multiplier > 0) {
    const capMs = most > delay ? most : 30_000;
    const draws = text.flag('random') ?? args[3] === 'true';
    const jitter = draws && multiplier > 1 ? { type: 'additive', ratio: multiplier - 1 } : 'none';
    return cut({
      backoff: 'exponential',
      baseMs: Math.min(delay, capMs),
      factor: multiplier,
      capMs,
      jitter,
      maxAttempts,
    });
  }
  if (most > delay)
    return { options: { backoff: 'fixed', baseMs: most, capMs: most, minMs: delay, jitter: 'full', maxAttempts } };
  return { options: { backoff: 'fixed', baseMs: delay, capMs: Infinity, jitter: 'none', maxAttempts } };
}
