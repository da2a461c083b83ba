/**
 * Clients that retry by themselves. From the sources of the versions named here: ky 2.1.0, got 16.1.0, TanStack Query
 * 5.108.0 (@tanstack/query-core), AWS SDK for JavaScript 3.1169.0 (on @smithy/core 3.41.0).
 */
import { duration } from '../charts/format';
import { type Call, Fields, Fn, textOf, type Value } from './literal';
import {
  type Pasted,
  Untranslatable,
  countOf,
  curveOf,
  numberOf,
  ownFunction,
  remedy,
  retriesNote,
  type Library,
  type Options,
  type Reading,
} from './reading';

const METHODS = ['get', 'post', 'put', 'patch', 'head', 'delete'];

export const clients = {
  ky: {
    version: '2.1.0',
    callees: ['ky', 'ky.create', 'ky.extend', ...METHODS.map((method) => `ky.${method}`)],
    read: [
      'retry',
      'limit',
      'delay',
      'backoffLimit',
      'jitter',
      'methods',
      'statusCodes',
      'maxRetryAfter',
      'retryOnTimeout',
    ],
    others: { shouldRetry: 'retryOn', afterStatusCodes: 'nothing' },
    inside: 'retry',
    also: ['timeout', 'totalTimeout'],
    translate: ky,
    example: 'ky.create({\n  retry: {\n    limit: 5,\n    backoffLimit: 3000,\n    jitter: true,\n  },\n});',
  },
  got: {
    version: '16.1.0',
    callees: ['got', 'got.extend', 'got.stream', 'got.paginate', ...METHODS.map((method) => `got.${method}`)],
    read: [
      'retry',
      'limit',
      'calculateDelay',
      'backoffLimit',
      'noise',
      'methods',
      'statusCodes',
      'maxRetryAfter',
      'enforceRetryRules',
    ],
    others: { errorCodes: 'nothing' },
    inside: 'retry',
    translate: got,
    example: 'got.extend({\n  retry: {\n    limit: 5,\n    backoffLimit: 10_000,\n  },\n});',
  },
  'AWS SDK v3': {
    version: '3.1169.0',
    callees: [
      ...[
        'S3',
        'DynamoDB',
        'DynamoDBStreams',
        'SQS',
        'SNS',
        'Lambda',
        'STS',
        'KMS',
        'SSM',
        'SecretsManager',
        'EC2',
        'ECS',
        'EKS',
        'CloudWatch',
        'CloudWatchLogs',
        'CloudFront',
        'Kinesis',
        'Firehose',
        'EventBridge',
        'SFN',
        'SES',
        'SESv2',
        'IAM',
        'Athena',
        'Glue',
        'BedrockRuntime',
        'CognitoIdentityProvider',
      ].map((service) => `${service}Client`),
      'StandardRetryStrategy',
      'AdaptiveRetryStrategy',
      'ConfiguredRetryStrategy',
    ],
    modules: ['@aws-sdk/', '@smithy/'],
    read: ['maxAttempts', 'retryMode', 'retryStrategy'],
    others: {},
    inside: '',
    translate: aws,
    example: "new S3Client({\n  region: 'eu-west-1',\n  maxAttempts: 5,\n  retryMode: 'standard',\n});",
  },
  'TanStack Query': {
    version: '5.108.0',
    callees: [
      ...[
        'Query',
        'Queries',
        'InfiniteQuery',
        'SuspenseQuery',
        'SuspenseInfiniteQuery',
        'Mutation',
        'BaseQuery',
      ].flatMap((kind) => [`use${kind}`, `create${kind}`, `inject${kind}`]),
      'QueryClient',
      'queryOptions',
      'mutationOptions',
      'infiniteQueryOptions',
      'fetchQuery',
      'prefetchQuery',
      'ensureQueryData',
      'usePrefetchQuery',
      'setDefaultOptions',
      'setQueryDefaults',
    ],
    modules: ['@tanstack/'],
    read: ['retry', 'retryDelay'],
    others: { retryOnMount: 'nothing' },
    inside: '',
    translate: tanStack,
    example:
      "useQuery({\n  queryKey: ['orders'],\n  queryFn: fetchOrders,\n  retry: 5,\n" +
      '  retryDelay: (attempt) => Math.min(1000 * 2 ** attempt, 30_000),\n});',
  },
} satisfies Record<string, Library>;

/** Retries of a client that takes `retry: 5` or `retry: { limit: 5 }`. */
function limitOf(pasted: Pasted): number {
  const whole = pasted.get('retry');
  return typeof whole === 'number' ? countOf('retry', whole) : pasted.count('limit', 2);
}

/** Which requests a client retries, as options of createFetch. */
function requests(pasted: Pasted): Options {
  const words = (name: string, type: 'string' | 'number'): readonly (string | number)[] | undefined => {
    const value = pasted.get(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || !value.every((item: Value) => typeof item === type))
      throw new Untranslatable(`${name} must be a list of ${type}s, got ${textOf(value)}.${remedy(value)}`);
    return value as readonly (string | number)[];
  };
  const methods = words('methods', 'string')?.map((method) => String(method).toUpperCase());
  const retryOn = words('statusCodes', 'number');
  return { ...(methods && { methods }), ...(retryOn && { retryOn }), throwOnStatus: true };
}

function ky(pasted: Pasted): Reading {
  const retries = limitOf(pasted);
  const notes = [
    retriesNote(pasted.get('limit') === undefined && pasted.get('retry') !== undefined ? 'retry' : 'limit', retries),
  ];
  const capMs = pasted.number('backoffLimit', Infinity);
  const [delay, jitter] = [pasted.get('delay'), pasted.get('jitter')];
  const base = (k: number, random: number): Value =>
    delay instanceof Fn ? delay.apply([k], random) : 300 * 2 ** (k - 1);
  if (delay !== undefined && !(delay instanceof Fn)) throw ownFunction('delay', delay);
  if (jitter !== undefined && typeof jitter !== 'boolean' && !(jitter instanceof Fn))
    throw ownFunction('jitter', jitter);
  const wait = (k: number, random: number): Value => {
    const ms = base(k, random);
    return jitter === true && typeof ms === 'number'
      ? random * ms
      : jitter instanceof Fn
        ? jitter.apply([ms], random)
        : ms;
  };
  const uncapped = curveOf(
    jitter instanceof Fn ? 'jitter' : 'delay',
    jitter instanceof Fn ? jitter : delay,
    wait,
    retries,
    notes,
  );
  const options: Options = { ...uncapped, capMs: Math.min(capMs, uncapped['capMs'] as number) };
  const spread = options['jitter'] !== 'none';
  const clips =
    spread && capMs < Infinity && [1, 2, 3, 4, 5, 6, 7, 8].some((k) => k <= retries && Number(wait(k, 0.999)) > capMs);
  if (clips)
    notes.push(
      `ky cuts a wait to backoffLimit after the jitter, so clients retry together at ${duration(capMs)}. ` +
        'rejitter draws below the cap.',
    );
  if (pasted.get('maxRetryAfter') !== undefined)
    notes.push("ky shortens a longer Retry-After to maxRetryAfter, and so does longRetryAfter: 'cap'.");
  const { more, said } = kyTimeouts(pasted);
  const hint = pasted.number('maxRetryAfter', Infinity);
  return {
    options: {
      ...belowCap(options),
      maxAttempts: retries + 1,
      ...(hint < Infinity && { maxRetryAfterMs: hint, longRetryAfter: 'cap' }),
      ...more,
    },
    fetch: requests(pasted),
    notes: [...notes, ...said],
    ...(clips && {
      before: {
        kind: 'policy',
        data: { version: 1, capRule: 'draw', ...belowCap(options), maxAttempts: retries + 1 },
      } as const,
    }),
  };
}

/** rejitter rejects a cap below the base: the waits are all the cap then. */
function belowCap(options: Options): Options {
  const { baseMs, capMs, backoff } = options as { baseMs?: number; capMs: number; backoff: unknown };
  if (baseMs === undefined || baseMs <= capMs || Array.isArray(backoff)) return options;
  const { factor: _, stepMs: __, ...others } = options;
  return { ...others, backoff: 'fixed', baseMs: capMs };
}

function kyTimeouts(pasted: Pasted): { more: Options; said: string[] } {
  const [timeout, total] = [pasted.around.map.get('timeout'), pasted.around.map.get('totalTimeout')];
  const retried = pasted.flag('retryOnTimeout');
  const more = {
    ...(retried && timeout !== false && { attemptTimeoutMs: numberOf('timeout', timeout ?? 10_000) }),
    ...(typeof total === 'number' && { totalTimeoutMs: numberOf('totalTimeout', total) }),
  };
  return {
    more,
    said: retried
      ? []
      : [
          'ky ends a request after its timeout (10\u00a0s by default) and does not retry it. attemptTimeoutMs ' +
            'retries it.',
        ],
  };
}

function got(pasted: Pasted): Reading {
  const retries = limitOf(pasted);
  const notes = [
    retriesNote(pasted.get('limit') === undefined && pasted.get('retry') !== undefined ? 'retry' : 'limit', retries),
  ];
  const backoffLimit = pasted.number('backoffLimit', Infinity);
  const noise = pasted.number('noise', 100);
  const own = pasted.get('calculateDelay');
  if (own !== undefined && !(own instanceof Fn)) throw ownFunction('calculateDelay', own);
  const computed = (k: number, random: number): number =>
    Math.max(1, Math.min(1000 * 2 ** (k - 1), backoffLimit) + noise * random);
  const context = (k: number, random: number): Fields => {
    const fields = new Fields();
    fields.map.set('attemptCount', k).set('computedValue', computed(k, random)).set('retryOptions', pasted.fields);
    return fields;
  };
  // Two draws in one wait: the noise of got is small next to another one.
  const draws = own instanceof Fn && own.text.includes('Math.random');
  const wait = (k: number, random: number): Value =>
    own instanceof Fn ? own.apply([context(k, draws ? 0.5 : random)], random) : computed(k, random);
  const options = curveOf('calculateDelay', own, wait, retries, notes);
  if (own === undefined && noise > 0) notes.push(`got adds up to ${duration(noise)} to each wait.`);
  if (own instanceof Fn) notes.push('got stops when calculateDelay returns 0. rejitter retries at once.');
  notes.push('got retries some network errors (errorCodes). createFetch retries every failure of the network.');
  const hint = pasted.number('maxRetryAfter', Infinity);
  return {
    options: { ...belowCap(options), maxAttempts: retries + 1, ...(hint < Infinity && { maxRetryAfterMs: hint }) },
    fetch: requests(pasted),
    notes,
  };
}

function aws(pasted: Pasted): Reading {
  const notes: string[] = [];
  const named = (name: string): Call | undefined => pasted.calls.get(name);
  const configured = named('ConfiguredRetryStrategy');
  const strategy = configured ?? named('StandardRetryStrategy') ?? named('AdaptiveRetryStrategy');
  const dynamo = [...pasted.calls.keys()].some((name) => name.startsWith('DynamoDB'));
  const [attempts] = strategy?.args ?? [];
  const given =
    typeof attempts === 'number'
      ? attempts
      : attempts instanceof Fields
        ? attempts.map.get('maxAttempts')
        : attempts instanceof Fn
          ? attempts.apply([], 0)
          : undefined;
  const maxAttempts = Math.max(1, countOf('maxAttempts', given ?? pasted.get('maxAttempts') ?? (dynamo ? 4 : 3)));
  const mode = pasted.get('retryMode') ?? 'standard';
  if (mode !== 'standard' && mode !== 'adaptive' && mode !== 'legacy')
    throw new Untranslatable(`retryMode must be 'standard' or 'adaptive', got ${textOf(mode)}.${remedy(mode)}`);
  if (mode === 'adaptive' || named('AdaptiveRetryStrategy'))
    notes.push(
      'Adaptive mode also limits the rate of the client while the service throttles. The translation leaves that out.',
    );

  const delay = configured?.args[1];
  if (delay !== undefined) {
    notes.push('Every client has a retry quota as well. rejitter has a retry budget for that.');
    if (typeof delay === 'number')
      return {
        options: { backoff: 'fixed', baseMs: numberOf('the delay', delay), jitter: 'none', maxAttempts },
        notes,
      };
    if (!(delay instanceof Fn)) throw ownFunction('the delay', delay);
    return {
      options: {
        ...curveOf('the delay', delay, (k, random) => delay.apply([k], random), maxAttempts - 1, notes),
        maxAttempts,
      },
      notes,
    };
  }
  const base = attempts instanceof Fields ? attempts.map.get('baseDelay') : undefined;
  const baseMs = base === undefined ? (dynamo ? 25 : undefined) : numberOf('baseDelay', base);
  notes.push(
    "The SDK waits longer when the service throttles: preset 'awsSdk2026Throttling' has that base of 1 s. These " +
      'are the waits after other errors, as since 2026.',
  );
  notes.push('Every client has a retry quota as well. rejitter has a retry budget for that.');
  return { preset: 'awsSdk2026', options: { ...(baseMs !== undefined && { baseMs }), maxAttempts }, notes };
}

function tanStack(pasted: Pasted): Reading {
  const notes: string[] = [];
  const retries = tanStackRetries(pasted.get('retry'), notes);
  const delay = pasted.get('retryDelay');
  if (delay === undefined)
    notes.push('Without retryDelay, TanStack Query waits 1 s, 2 s, 4 s … up to 30 s, without jitter.');
  if (delay !== undefined && typeof delay !== 'number' && !(delay instanceof Fn))
    throw ownFunction('retryDelay', delay);
  // Its functions count failures from 0.
  const wait = (k: number, random: number): Value =>
    delay instanceof Fn
      ? delay.apply([k - 1], random)
      : delay === undefined
        ? Math.min(1000 * 2 ** (k - 1), 30_000)
        : numberOf('retryDelay', delay);
  const options = curveOf('retryDelay', delay, wait, Math.max(retries, delay === undefined ? 7 : 1), notes);
  notes.push('TanStack Query pauses retries while the device is offline or the page is hidden. rejitter does not.');
  return { options: { ...options, maxAttempts: retries + 1 }, notes };
}

function tanStackRetries(retry: Value, notes: string[]): number {
  if (retry === undefined) {
    notes.push('`retry` is 3 by default in a browser, which makes 4 attempts. On a server it is 0.');
    return 3;
  }
  if (typeof retry === 'boolean') {
    notes.push(retry ? '`retry: true` retries until the query succeeds.' : '`retry: false` never retries.');
    return retry ? Infinity : 0;
  }
  if (retry instanceof Fn) {
    for (let failures = 0; failures <= 100; failures++) {
      const answer = retry.apply([failures], 0);
      if (typeof answer !== 'boolean') break;
      if (!answer) {
        notes.push(`\`retry\` returns false after ${failures + 1} failures, so there are ${failures + 1} attempts.`);
        return failures;
      }
      if (failures === 100) return Infinity;
    }
    throw new Untranslatable(
      'retry is a function that decides by the error. Write the number of retries in its place. In rejitter, ' +
        'retryIf decides by the error.',
    );
  }
  const retries = countOf('retry', retry);
  notes.push(retriesNote('retry', retries));
  return retries;
}
