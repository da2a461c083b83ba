/**
 * Options of other retry libraries as options of rejitter. From the sources of the versions named here:
 * p-retry 9.0.0, axios-retry 4.5.0, cockatiel 4.0.0, async-retry 1.3.3 (on retry 0.13.1), exponential-backoff 3.1.3,
 * @lifeomic/attempt 3.1.0. The clients that retry by themselves are in clients.ts.
 */
import { duration } from '../charts/format';
import { clients } from './clients';
import { Call, Fields, Fn, Other, textOf, type Value } from './literal';
import {
  Pasted,
  Untranslatable,
  curveOf,
  exponential,
  lastName,
  numberOf,
  ownFunction,
  powers,
  remedy,
  retriesNote,
  type Library,
  type Options,
  type Reading,
} from './reading';

const HOOKS = { onRetry: 'onRetry' };
const ABORT = { signal: 'signal' };

export const LIBRARIES = {
  'p-retry': {
    version: '9.0.0',
    callees: ['pRetry', 'makeRetriable'],
    read: ['retries', 'factor', 'minTimeout', 'maxTimeout', 'randomize', 'maxRetryTime'],
    others: {
      ...ABORT,
      unref: 'unref',
      onFailedAttempt: 'onFailure',
      shouldRetry: 'retryIf',
      shouldConsumeRetry: 'nothing',
    },
    translate: pRetry,
    example:
      'pRetry(fetchOrders, {\n  retries: 5,\n  minTimeout: 1000,\n  maxTimeout: 30 * 1000,\n  randomize: true,\n});',
  },
  'axios-retry': {
    version: '4.5.0',
    callees: ['axiosRetry'],
    read: ['retries', 'retryDelay', 'shouldResetTimeout'],
    others: {
      ...HOOKS,
      retryCondition: 'retryIf',
      validateResponse: 'retryOnResult',
      onMaxRetryTimesExceeded: 'onGiveUp',
    },
    translate: axiosRetry,
    example: 'axiosRetry(axios, {\n  retries: 3,\n  retryDelay: axiosRetry.exponentialDelay,\n});',
  },
  cockatiel: {
    version: '4.0.0',
    callees: [
      'ExponentialBackoff',
      'ConstantBackoff',
      'IterableBackoff',
      'DelegateBackoff',
      'handleAll',
      'handleType',
      'handleWhen',
      'handleResultType',
      'handleWhenResult',
    ],
    generic: ['retry', 'wrap'],
    read: ['maxAttempts', 'backoff', 'initialDelay', 'maxDelay', 'exponent', 'generator'],
    others: {},
    translate: cockatiel,
    example:
      'retry(handleAll, {\n  maxAttempts: 10,\n  backoff: new ExponentialBackoff({\n    initialDelay: 128,\n' +
      '    maxDelay: 30_000,\n  }),\n});',
  },
  'async-retry': {
    version: '1.3.3',
    callees: ['asyncRetry'],
    generic: ['retry'],
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
    read: [
      'delay',
      'initialDelay',
      'minDelay',
      'maxDelay',
      'factor',
      'maxAttempts',
      'timeout',
      'jitter',
      'initialJitter',
      'calculateDelay',
    ],
    others: { handleError: 'retryIf', handleTimeout: 'nothing', beforeAttempt: 'onAttempt' },
    translate: attempt,
    generic: ['retry'],
    example:
      'retry(fetchOrders, {\n  delay: 200,\n  factor: 2,\n  maxDelay: 5000,\n  maxAttempts: 6,\n  jitter: true,\n});',
  },
  ...clients,
} satisfies Record<string, Library>;

export type LibraryName = keyof typeof LIBRARIES;

function pRetry(pasted: Pasted): Reading {
  const retries = pasted.count('retries', 10);
  const notes = [retriesNote('retries', retries)];
  if (pasted.number('maxRetryTime', Infinity) === 0)
    throw new Untranslatable('With maxRetryTime 0, p-retry never retries.');
  if (pasted.get('maxRetryTime') !== undefined) {
    notes.push(
      'p-retry shortens the last wait to fit maxRetryTime, tries once more, and lets a running attempt finish. ' +
        'totalTimeoutMs starts no wait that would end too late, and it ends a running attempt.',
    );
  }
  notes.push('p-retry does not retry a TypeError, except network errors. In rejitter, retryIf decides that.');
  return {
    // A factor of 0 is read as 1.
    ...retryCurve(
      pasted,
      retries,
      pasted.number('factor', 2) || 1,
      pasted.number('minTimeout', 1000),
      pasted.flag('randomize'),
      notes,
    ),
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
  if (minMs > pasted.number('maxTimeout', Infinity))
    throw new Untranslatable('minTimeout is greater than maxTimeout, which async-retry rejects.');
  if (retries === Infinity)
    throw new Untranslatable(
      'With retries: Infinity, async-retry computes waits forever before the first attempt. It has forever: true ' +
        'for that.',
    );
  const notes = forever ? [] : [retriesNote('retries', retries)];
  if (pasted.get('randomize') === undefined) notes.push('`randomize` is on by default.');
  const sorts = randomize && factor < 2 && retries > 1;
  if (sorts)
    notes.push(
      'async-retry draws all waits in advance and sorts them, so its first waits are shorter and its last ones ' +
        'longer. rejitter draws each wait on its own.',
    );
  if (pasted.get('maxRetryTime') !== undefined) {
    notes.push(
      'async-retry checks maxRetryTime only after a failure, so its last wait and attempt may end later. ' +
        'totalTimeoutMs ends both.',
    );
  }
  notes.push(
    '`bail(error)` is `throw permanent(error)`. async-retry rejects with the most frequent error, rejitter with ' +
      'the last one.',
  );
  const reading = retryCurve(pasted, retries, factor, minMs, randomize, notes);
  const before =
    sorts && !forever
      ? {
          before: {
            kind: 'sorted',
            baseMs: minMs,
            factor,
            capMs: pasted.number('maxTimeout', Infinity),
            waits: Math.min(retries, 20),
          } as const,
        }
      : {};
  if (!forever) return { ...reading, notes, ...before };

  const drawn = Math.max(1, retries);
  notes.unshift(
    `\`forever\` repeats wait ${drawn} forever, ` +
      (randomize ? 'with the same draw each time. rejitter draws each wait again.' : 'and so does a list in rejitter.'),
  );
  const { factor: _, baseMs, backoff, ...rest } = reading.options;
  return { ...reading, options: { backoff: powers(minMs, factor, drawn), ...rest, maxAttempts: Infinity }, notes };
}

/** The waits of `retry`: min(maxTimeout, U·minTimeout·factor^(k−1)), where U is 1, or uniform on [1, 2). */
function retryCurve(
  pasted: Pasted,
  retries: number,
  factor: number,
  baseMs: number,
  randomize: boolean,
  notes: string[],
): Omit<Reading, 'notes'> {
  const capMs = pasted.number('maxTimeout', Infinity);
  const curve = exponential(baseMs, factor, capMs, retries);
  // `retry` takes 0 for no limit.
  const totalTimeoutMs = pasted.number('maxRetryTime', Infinity) || Infinity;
  const options = { ...curve, maxAttempts: retries + 1, ...(totalTimeoutMs < Infinity && { totalTimeoutMs }) };
  if (!randomize) return { options: { ...options, jitter: 'none' } };
  const highest = 2 * baseMs * factor ** (retries - 1);
  if (highest > capMs) {
    notes.push(
      `\`randomize\` multiplies by 1 to 2 and then cuts at maxTimeout, and many waits become exactly ` +
        `${duration(capMs)}. Jitter 'equal' with twice the base draws the same waits below the cap and stays ` +
        'spread at it.',
    );
  } else {
    notes.push("`randomize` multiplies by 1 to 2: jitter 'equal' with twice the base gives the same waits.");
  }
  return { options, preset: 'pRetryRandomized' };
}

function axiosRetry(pasted: Pasted): Reading {
  const retries = pasted.count('retries', 3);
  const notes = [retriesNote('retries', retries)];
  const { options, hint } = axiosDelay(pasted.get('retryDelay'), retries, notes);
  if (hint)
    notes.push('axios-retry obeys Retry-After however long it is. createFetch obeys it up to maxRetryAfterMs (60 s).');
  if (!pasted.flag('shouldResetTimeout'))
    notes.push(
      'The timeout of axios covers all attempts and waits together, like totalTimeoutMs. With shouldResetTimeout ' +
        'it covers each attempt, like attemptTimeoutMs.',
    );
  notes.push(
    'axios-retry retries network errors, and 429 and 5xx of idempotent requests. createFetch retries the same ' +
      'methods and the usual transient statuses: retryOn changes them.',
  );
  return { options: { ...options, maxAttempts: retries + 1 }, fetch: { throwOnStatus: true }, notes };
}

/** `hint`: whether the delay follows Retry-After. */
function axiosDelay(delay: Value, retries: number, notes: string[]): { options: Options; hint: boolean } {
  const doubling = (delayFactor: number) => {
    notes.push(
      `exponentialDelay doubles before the first wait, which is ${duration(2 * delayFactor)}, and adds 0 to 20%.`,
    );
    return {
      options: { baseMs: 2 * delayFactor, factor: 2, capMs: Infinity, jitter: { type: 'additive', ratio: 0.2 } },
      hint: true,
    };
  };
  const named = (value: Value): { options: Options; hint: boolean } | undefined => {
    if (value instanceof Call && lastName(value.callee) === 'exponentialDelay')
      return doubling(numberOf('the delay factor', value.args[2] ?? 100));
    if (value instanceof Other && lastName(value.text) === 'exponentialDelay') return doubling(100);
    if (!(value instanceof Call) || lastName(value.callee) !== 'linearDelay') return undefined;
    return {
      options: {
        backoff: 'linear',
        baseMs: numberOf('the delay factor', value.args[0] ?? 100),
        capMs: Infinity,
        jitter: 'none',
      },
      hint: true,
    };
  };

  if (delay === undefined) {
    notes.push('Without retryDelay, axios-retry does not wait at all.');
    return { options: { backoff: 'fixed', baseMs: 0, capMs: Infinity, jitter: 'none' }, hint: true };
  }
  if (delay instanceof Other && lastName(delay.text) === 'linearDelay')
    throw new Untranslatable('linearDelay returns a delay function when it is called: write axiosRetry.linearDelay().');
  const known = named(delay instanceof Fn ? delay.apply([1], 0.5) : delay);
  if (known) return known;
  if (!(delay instanceof Fn)) throw ownFunction('retryDelay', delay);
  return {
    options: curveOf('retryDelay', delay, (k, random) => delay.apply([k], random), retries, notes),
    hint: false,
  };
}

function cockatiel(pasted: Pasted): Reading {
  const retries = pasted.count('maxAttempts', Infinity);
  const notes = [
    retries === Infinity
      ? "Without maxAttempts, cockatiel's retry() has no limit of attempts."
      : `cockatiel's maxAttempts counts retries: ${retries} retries are ${retries + 1} attempts.`,
    'An abort ends a wait at once. In cockatiel it takes effect when the wait ends.',
  ];
  const { before, ...options } = cockatielBackoff(pasted, retries, notes);
  return { options: { ...options, maxAttempts: retries + 1 }, notes, ...(before && { before }) };
}

type WithBefore = Options & Pick<Reading, 'before'>;

function cockatielBackoff(pasted: Pasted, retries: number, notes: string[]): WithBefore {
  const given = pasted.get('backoff');
  if (given !== undefined && !(given instanceof Call))
    throw new Untranslatable(
      'backoff must be new ExponentialBackoff(…) or another backoff of cockatiel, got ' +
        `${textOf(given)}.${remedy(given)}`,
    );
  const backoff =
    given ??
    ['Constant', 'Iterable', 'Delegate', 'Exponential'].map((kind) => pasted.calls.get(`${kind}Backoff`)).find(Boolean);
  const first = backoff?.args[0];
  switch (backoff?.callee) {
    case 'ConstantBackoff':
      return { backoff: 'fixed', baseMs: numberOf('the interval', first), capMs: Infinity, jitter: 'none' };
    case 'IterableBackoff':
      if (!Array.isArray(first) || first.length === 0)
        throw new Untranslatable('IterableBackoff needs a list of numbers.');
      return { backoff: first.map((ms: Value) => numberOf('a wait in the list', ms)), capMs: Infinity, jitter: 'none' };
    case 'ExponentialBackoff':
      if (first !== undefined && !(first instanceof Fields))
        throw new Untranslatable(
          `The options of ExponentialBackoff must be an object, got ${textOf(first)}.${remedy(first)}`,
        );
      return cockatielExponential(new Pasted(first ?? new Fields(), pasted.calls), retries, notes);
    case 'DelegateBackoff': {
      if (!(first instanceof Fn)) throw ownFunction('backoff', first);
      const wait = (k: number, random: number): Value => {
        const context = new Fields();
        context.map.set('attempt', k);
        return first.apply([context], random);
      };
      return curveOf('DelegateBackoff', first, wait, retries, notes);
    }
    case undefined:
      if (['initialDelay', 'maxDelay', 'exponent', 'generator'].some((name) => pasted.fields.map.has(name)))
        return cockatielExponential(pasted, retries, notes);
      notes.push('Without backoff, cockatiel does not wait at all.');
      return { backoff: 'fixed', baseMs: 0, jitter: 'none' };
    default:
      throw ownFunction('backoff', backoff);
  }
}

function cockatielExponential(pasted: Pasted, retries: number, notes: string[]): WithBefore {
  const baseMs = pasted.number('initialDelay', 128);
  const capMs = pasted.number('maxDelay', 30_000);
  const exponent = pasted.number('exponent', 2);
  const given = pasted.get('generator');
  const generator = lastName(given instanceof Other ? given.text : 'decorrelatedJitterGenerator');
  const jitter = {
    noJitterGenerator: 'none',
    fullJitterGenerator: 'full',
    halfJitterGenerator: 'equal',
    decorrelatedJitterGenerator: 'pollyV2',
  }[generator];
  if (jitter === undefined) throw ownFunction('generator', given);
  if (jitter !== 'pollyV2') {
    if (exponent !== 2)
      notes.push(
        `\`exponent\` ${exponent} has no effect: only the default generator reads it. The other generators double.`,
      );
    return { ...exponential(baseMs, 2, capMs, retries), jitter };
  }
  if (exponent !== 2)
    notes.push(
      `The default generator grows with exponent ${exponent}. rejitter's 'pollyV2' always doubles, like Polly.`,
    );
  // The highest draw of wait k is (2^k − 2^(k−2)·tanh √(4(k−1)))/1.4 or near it: 1.08·2^(k−1).
  const clips = 1.08 * baseMs * 2 ** (retries - 1) > capMs;
  if (clips) {
    notes.push(
      `cockatiel cuts longer draws to exactly ${duration(capMs)}, so clients retry together there. 'pollyV2' ` +
        'draws them again from the upper half of the cap.',
    );
  }
  const options = { jitter, baseMs: Math.min(baseMs, capMs), capMs };
  return clips || exponent !== 2
    ? { ...options, before: { kind: 'cockatiel', baseMs, exponent, capMs, waits: Math.min(retries, 20) } }
    : options;
}

function exponentialBackoff(pasted: Pasted): Reading {
  const attempts = Math.max(1, pasted.count('numOfAttempts', 10));
  const startingMs = pasted.number('startingDelay', 100);
  const factor = pasted.number('timeMultiple', 2);
  const late = pasted.flag('delayFirstAttempt');
  const notes = late
    ? [
        `delayFirstAttempt waits ${duration(startingMs)} before the first attempt. rejitter never does. The ` +
          'later waits are the same.',
      ]
    : [];
  const given = pasted.get('jitter') ?? 'none';
  if (given !== 'full' && given !== 'none')
    notes.push(`jitter is ${textOf(given)}. exponential-backoff reads everything except 'full' as 'none'.`);
  const curve = exponential(
    late ? startingMs * factor : startingMs,
    factor,
    pasted.number('maxDelay', Infinity),
    attempts - 1,
  );
  return { options: { ...curve, jitter: given === 'full' ? 'full' : 'none', maxAttempts: attempts }, notes };
}

function attempt(pasted: Pasted): Reading {
  const delayMs = pasted.number('delay', 200);
  const minMs = pasted.number('minDelay', 0);
  if (delayMs < minMs) throw new Untranslatable('delay is less than minDelay, which @lifeomic/attempt rejects.');
  const factor = pasted.number('factor', 0);
  // Zero means none for the three limits.
  const capMs = pasted.number('maxDelay', 0) || Infinity;
  const maxAttempts = pasted.count('maxAttempts', 3) || Infinity;
  const attemptTimeoutMs = pasted.number('timeout', 0);
  const jitter = pasted.flag('jitter');
  const notes: string[] = [];
  if (!factor && capMs < Infinity) notes.push('maxDelay has no effect: @lifeomic/attempt reads it only with a factor.');
  if (minMs > 0 && !jitter) notes.push('minDelay has no effect: @lifeomic/attempt reads it only with jitter.');
  if (pasted.number('initialDelay', 0) > 0)
    notes.push('initialDelay waits before the first attempt. rejitter never does.');
  if (pasted.flag('initialJitter')) notes.push('initialJitter waits before the first attempt. rejitter never does.');
  if (attemptTimeoutMs > 0)
    notes.push(
      'A timeout ends @lifeomic/attempt at once. rejitter retries it like any failure, unless retryIf returns ' +
        'false for a TimeoutError.',
    );
  const own = pasted.get('calculateDelay');
  if (own !== undefined && own !== null) {
    if (!(own instanceof Fn)) throw ownFunction('calculateDelay', own);
    const context = (k: number): Fields => {
      const fields = new Fields();
      fields.map.set('attemptNum', k - 1).set('attemptsRemaining', maxAttempts - k);
      return fields;
    };
    const waits = curveOf(
      'calculateDelay',
      own,
      (k, random) => own.apply([context(k), pasted.fields], random),
      maxAttempts - 1,
      notes,
    );
    return { options: { ...waits, maxAttempts, ...(attemptTimeoutMs > 0 && { attemptTimeoutMs }) }, notes };
  }
  const curve = factor
    ? exponential(delayMs, factor, capMs, maxAttempts - 1)
    : { backoff: 'fixed', baseMs: delayMs, capMs: Infinity };
  return {
    options: {
      ...curve,
      ...(jitter && minMs > 0 && { minMs }),
      jitter: jitter ? 'full' : 'none',
      maxAttempts,
      ...(attemptTimeoutMs > 0 && { attemptTimeoutMs }),
    },
    notes,
  };
}
