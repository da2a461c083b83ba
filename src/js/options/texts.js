// The long texts of errors. Production bundles for browsers have none of them (long-development.js), so nothing here
// may be called at import, or be needed by a program that makes no mistake.

import { isFunction, isLimit, isLongest, isMs, isSwitch, isText, isWhole } from './checks.js';
import { BACKOFFS, JITTERS, hasOwnCurve } from './codes.js';
import { warnOnce } from './warnings.js';

const REMEDY = 'fetch(url, { retry: { idempotencyKey } })';

/**
 * The ends of sentences "must be …" or "must be omitted: …", and sentences of their own, by the names that rules give
 * them; some have a detail.
 * @type {Record<string, string | ((detail: any) => string)>}
 */
const SENTENCES = {
  __proto__: /** @type {any} */ (null),
  // Values of options.
  milliseconds: 'a number of milliseconds between 0 and 2^53 - 1',
  limit: 'a positive number of milliseconds or Infinity',
  idleTimeoutMs: 'a positive number of milliseconds, Infinity, or { firstMs, thenMs } with two of these',
  longest: 'a non-negative number of milliseconds or Infinity',
  finite: 'a finite, non-negative number of milliseconds',
  count: 'a non-negative integer',
  fn: 'a function',
  switch: 'true or false',
  signal: 'an AbortSignal, such as controller.signal',
  text: 'a string',
  object: 'an object',
  oneOf,
  factor: 'a finite number, at least 1',
  backoff: () =>
    `${oneOf(BACKOFFS)}, a function that maps the number of a wait to non-negative milliseconds, or a list of 1 ` +
    'to 1,000 such values',
  listLength: (most) => `between 1 and ${most}`,
  jitter: () =>
    `${oneOf(JITTERS)}, { type: 'proportional', ratio }, { type: 'additive', ratio } or { type: 'additive', maxMs }`,
  jitterType: "'proportional' or 'additive'",
  jitterParts: "a jitter has type and ratio, or type 'additive' and maxMs",
  spread: (most) => `above 0 and at most ${most}`,
  truncateAt: 'an integer between 1 and 1024',
  maxAttempts: 'a positive integer (first attempt included) or Infinity',
  seed: 'an integer between 0 and 2^53 - 1, a bigint between 0n and 2n ** 64n - 1n, or a string',
  protection: 'made by protect(), as in protect(budget()), or false',
  // Options that contradict each other.
  leastCap: (baseMs) => `at least baseMs (${baseMs})`,
  mostFloor: (capMs) => `at most capMs (${capMs})`,
  owner: ([name, backoff, jitter]) => {
    const why = hasOwnCurve(jitter) ? ` (jitter '${JITTERS[jitter]}' replaces the backoff)` : '';
    const also = name === 'truncateAt' ? " and jitter 'slotted'" : why;
    return `it applies only to backoff '${BACKOFFS[backoff]}'${also}`;
  },
  seedOrRandom: 'seed and random are mutually exclusive; set one of them',
  itsName: "the function's name determines it",
  onlyPolicy: 'only RetryPolicy supports it',
  ofPolicy: 'it belongs to the policy',
  // Something stands where options belong.
  aPolicy: 'options must be an object of options, got a RetryPolicy or a copy of one: use policy.run(fn)',
  aSignal: 'options must be an object of options, got an AbortSignal: pass { signal }',
  nothingOwn: 'options must be an object of options, got an object without own properties',
  // Callbacks.
  callback: 'a function and the first argument, as in retry(() => fetch(url), options)',
  draw: 'a number in [0, 1)',
  wait: 'a non-negative number of milliseconds',
  verdict: (blocks) => `true, false, { afterMs } between 0 and 2^53 - 1${blocks ? '' : ', or a promise of these'}`,
  neverAlive: 'idleTimeoutMs has ended an attempt without alive(), progress() or items of watch()',
  manyRows: (rows) => `${rows} rows of attempts by progress(): without totalTimeoutMs, they may never end`,
  // Policies and data.
  notPolicy: 'this must be a RetryPolicy: call policy.run(fn)',
  waitNumber: (most) => `an integer between 1 and ${most}`,
  mostHint: 'at most maxRetryAfterMs',
  as: 'RetryPolicy or a class that extends it',
  madeByToJson: (isText) => `an object made by toJSON()${isText ? ' (JSON.parse it first)' : ''}`,
  exactly: (value) => `${value}`,
  notData: 'it is not data',
  writable: 'a name or a list to be written as JSON',
  // fetch.
  retryOn: 'a list of statuses between 100 and 999, or a function',
  methods: 'a list of method names',
  idempotencyKey: "'auto', a string of visible ASCII characters, or a function that returns one",
  idempotencyHeader: 'the name of a header',
  noBody: 'it cannot see a body that you read: wrap request and reading in retry(), or set attemptTimeoutMs',
  classify: 'use retryOn, which receives the response or the error',
  useRetryOn: 'use retryOn',
  useThrowOnStatus: 'use throwOnStatus',
  useFetch: 'use createFetch(options, fetch)',
  useMetrics: 'use createFetch(new RetryPolicy({ metrics: true }))',
  secondArgument: 'an object; fetch is the second argument',
  manyKeys: () =>
    `idempotencyKey must be 'auto' or a function: each request needs its own. Set a text per call: ${REMEDY}`,
  key: 'a string of visible ASCII characters',
  noCrypto: "idempotencyKey 'auto' needs crypto. Pass a function that returns a unique text",
  absolute: (option) => `${option} needs an absolute URL`,
  misplaced: (name) => `${name} is an option of retry, not of fetch. Use fetch(url, { retry: { ${name} } })`,
  textOrNull: 'a string or null',
  request: 'a Request or nothing',
  repeatable: 'a request that is safe to repeat, with the same key',
  // Connections.
  wakeOn: 'a function or false',
  notOfConnections: 'a connection has none',
  useConnectTimeoutMs: 'use connectTimeoutMs',
  useRetryIf: 'use retryIf',
  useSilenceMs: 'use silenceMs of opened()',
  useOnOpen: 'use onOpen',
  // Protection.
  aPart: 'made by budget(), breaker(), cooldown(), limiter() or hedge()',
  twice: (part) => `${part}() was passed twice`,
  noPart: ([method, part]) => `${method}() needs a ${part}: use protect(${part}())`,
  noLimit: 'limiter() needs limit, concurrency or acquire',
  keyed: 'this Protection has a key: call for() on what protect() returned',
  isFailure: "true, false, 'ignore' or undefined",
  capacity: 'a non-negative number, at most 10^9',
  perSuccess: '0 or a number between 0.001 and 1,000',
  cost: 'a number, at least 0.001 and at most capacity',
  mostCost: (capacity) => `at most capacity (${capacity})`,
  preset: "'awsSdk2026'",
  failureRatio: 'a positive number, at most 1',
  windowMs: 'a number of milliseconds between 100 and 3,600,000',
  openMs: 'a positive number of milliseconds, at most 2^53 - 1',
  maxOpenMs: 'a number of milliseconds, at least openMs, or Infinity',
  positive: 'a positive integer or Infinity',
  closeAfter: 'an integer between 1 and 1,000',
  units: 'a positive number',
  burst: 'an integer, at least 1 and at most limit',
  maxQueue: 'a non-negative integer or Infinity',
  needsLimit: 'it applies only to limit',
  weight: 'a finite, positive number, or a function that returns one',
  acquire: 'a non-negative number of milliseconds or undefined',
  quantile: 'a number above 0 and below 1',
  delayMs: 'a non-negative number of milliseconds, at most 2^53 - 1',
  maxRatio: 'a number between 0.001 and 1',
  delayInstead: 'delayMs takes its place',
};

/**
 * Our names, each with an optional note, and the pattern of those of other packages, in lower case without "ms". The
 * first that fits, for "Did you mean". Engines check a pattern that stands in code when they load it, a text at its
 * use.
 * @typedef {[ours: string, theirs: string][]} Foreign
 */

/** @type {Foreign} */
const FOREIGN = [
  ['maxAttempts (retries + 1)', '^(max)?retr(y|ies)(count)?$'],
  ['maxAttempts (Infinity)', 'forever'],
  ['maxAttempts', '^(numof)?attempts$|^limit$|consume'],
  ['baseMs', '^(retry|initial|starting)?(delay|interval)$|^mintim'],
  ['capMs', '^max(delay|timeout|interval)?$|^backofflimit'],
  ['minMs', '^min(delay)?$'],
  ['jitter', '^randomiz'],
  ['factor', '^(backofffactor|timemultiple|multiplier|exponent)$'],
  ['backoff', 'strategy'],
  ['attemptTimeoutMs or totalTimeoutMs', '^timeout$'],
  ['attemptTimeoutMs', '^perattempt'],
  ['totalTimeoutMs', '^timeout|deadline|elapsed|^max(retry|total)time'],
  ['signal', '^abortsig'],
  ['retryIf (or throw permanent(error))', '^bail'],
  ['retryIf', '^shouldretry|condition'],
  ['onFailure (beforeRetry is awaited)', '^onfailed|^(handle|on)error$'],
  ['protectionKey', '^key$'],
  ['protection (protection.for(key), or policy.run(fn, { key }))', '^key$'],
  ['fixed', 'constant'],
];

/** Names in packages that have the same part of protection. @type {Record<string, Foreign>} */
const FOREIGN_OF_PARTS = {
  __proto__: /** @type {any} */ (null),
  // gRPC and Finagle.
  budget: [
    ['capacity', '^maxtok'],
    ['perSuccess', 'ratio|percent'],
    ['cost', 'cost'],
  ],
  // opossum and cockatiel.
  breaker: [
    ['failureRatio (0.5 for 50%)', '^threshold|percent'],
    ['minimumCalls (in windowMs)', '^volume|rps'],
    ['windowMs', '^dur|^rolling'],
    ['consecutiveFailures', '^maxfail'],
    ['openMs', '^reset|^halfopenafter'],
    ['closeAfter', 'sampl'],
    ['protect(..., { isFailure })', '^isfailure|filter'],
    ['attemptTimeoutMs of the policy', '^timeout'],
  ],
  // Bottleneck, p-limit, p-throttle and Polly.
  limiter: [
    ['concurrency', 'concurren'],
    ['limit', '^reservoir|^tokens|^permit|^max$'],
    ['perMs', '^interval|^window|^period|^reservoirrefreshinterval'],
    ['maxQueue', '^highwater|^queue'],
  ],
  // gRPC, Polly and others.
  hedge: [
    ['delayMs', 'delay'],
    ['maxRatio', '^maxhedge'],
  ],
};

/** The names of all options, at the end of a problem. */
const LIST = / Known options: [\w, ]+/g;

/** @param {readonly string[]} names */
function oneOf(names) {
  return `one of '${names.join("', '")}'`;
}

/** Returns a sentence; one that has no name is the rule itself. @param {string} rule @param {unknown} [detail] */
function sentence(rule, detail) {
  const text = SENTENCES[rule] ?? rule;
  return typeof text === 'string' ? text : text(detail);
}

/** @param {string} name @param {string} shown the value, in words @param {string} because @param {unknown} detail */
function omitted(name, shown, because, detail) {
  return `${name} must be omitted (got ${shown}): ${sentence(because, detail)}`;
}

/** @typedef {string | ((...args: any[]) => unknown)} Of the name of a sentence, or what reads an option */

/** The sentences of what several options share. @type {[check: Of, name: string][]} */
const CHECKS = [
  [isMs, 'milliseconds'],
  [isLimit, 'limit'],
  [isLongest, 'longest'],
  [isWhole, 'count'],
  [isFunction, 'fn'],
  [isSwitch, 'switch'],
  [isText, 'text'],
];

/**
 * Says what a value must be, and which of the names that the rule lists it may stand for. The rule is the name of a
 * sentence, or what reads the option: then the detail is the sentence, or else the check or the option has one.
 * @type {(name: string, verb: string, rule: Of, detail: any, shown: string, value: unknown) => string}
 */
function must(name, verb, rule, detail, shown, value) {
  const named = () => detail ?? CHECKS.find(([check]) => check === rule)?.[1] ?? name;
  const text =
    typeof rule === 'string' ? sentence(rule, detail) : Array.isArray(detail) ? oneOf(detail) : sentence(named());
  const nearest = typeof value === 'string' && meant(value, text.match(/\w+(?=')/g) ?? []);
  return `${name} must ${verb} ${text}, got ${shown}${nearest ? `. Did you mean '${nearest}'?` : ''}`;
}

/**
 * Says which options there are.
 * @type {(shown: string, wrong: string, rules: import('./reader.js').Rules, part?: string) => string}
 */
function unknownOption(shown, wrong, rules, part) {
  const known = Object.keys(rules).filter((name) => typeof rules[name] === 'object' && !rules[name][3]);
  const nearest = meant(wrong, known, FOREIGN_OF_PARTS[`${part}`]);
  const hint = nearest ? ` Did you mean ${nearest}?` : '';
  return `unknown option ${shown}.${hint} Known options: ${known.join(', ')}`;
}

/**
 * Returns the known name that another package has under this one, first one that does the same, that is at most three
 * edits away, or that starts with this one.
 * @type {(wrong: string, names: string[], own?: Foreign) => string | undefined}
 */
function meant(wrong, names, own = []) {
  const name = wrong.slice(0, 40).toLowerCase();
  const theirs = name.replace(/ms$/, '');
  const foreign =
    own.find(([, named]) => RegExp(named).test(theirs)) ??
    FOREIGN.find(([ours, named]) => RegExp(named).test(theirs) && names.includes(ours.replace(/ .*/, '')));
  if (foreign) return foreign[0];
  for (let edits = 0; edits <= 3 && edits <= name.length / 3; edits++) {
    const nearest = names.find((known) => isNear(name, known.toLowerCase(), edits));
    if (nearest !== undefined) return nearest;
  }
  return name.length > 2 ? names.find((known) => known.toLowerCase().startsWith(name)) : undefined;
}

/**
 * Returns whether `a` and `b` are at most `edits` edits apart (insert, delete, replace, transpose).
 * @type {(a: string, b: string, edits: number) => boolean}
 */
function isNear(a, b, edits) {
  if (a === b) return true;
  const [restA, restB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return isNear(restA, restB, edits);
  if (edits-- === 0) return false;
  return (
    isNear(restA, b, edits) ||
    isNear(a, restB, edits) ||
    isNear(restA, restB, edits) ||
    (a[0] === b[1] && a[1] === b[0] && isNear(a.slice(2), b.slice(2), edits))
  );
}

/** Joins problems, with the names of the options once, at the end. @param {string} all @param {boolean} more */
function joined(all, more) {
  const text = all.replace(LIST, '') + (more ? '; and more' : '');
  const list = all.match(LIST);
  return list ? text.replace(/[^.?]$/, '$&.') + list[0] : text;
}

/**
 * Warns once of what works and was hardly meant.
 * @param {string} rule the name of a sentence @param {unknown} [detail]
 */
function advise(rule, detail) {
  warnOnce(rule, `rejitter: ${sentence(rule, detail)}`);
}

export const LONG = { sentence, must, omitted, unknownOption, joined, advise };
