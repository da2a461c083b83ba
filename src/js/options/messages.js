// @ts-check
// Error messages: what an option must be, what the caller gave, and what was probably meant.

/** Problems that one error lists at most. */
export const MAX_PROBLEMS = 10;

/**
 * Our names, each with an optional note, and the pattern of those of other packages, in lower case without "ms". The
 * first that fits, for "Did you mean". Engines check a pattern that stands in code when they load it, a text at its use.
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

/** Starts each message of this package, once: in a log, it names the owner. */
const PREFIX = 'rejitter: ';

/** @param {new (message: string) => Error} kind @param {string} text */
export function failure(kind, text) {
  return new kind(PREFIX + text);
}

/**
 * Returns the error for an invalid value.
 * @param {string} name
 * @param {unknown} value
 * @param {readonly [types: string, rule: string, ...rest: any]} rule
 * @param {string} [verb]
 */
export function problemOf(name, value, [types, rule], verb = 'be') {
  // A seed or a key may be a secret.
  const shown =
    typeof value === 'string' && /^(seed|idem)/.test(name) ? `a string of length ${value.length}` : show(value);
  return failure(
    types.includes(typeof value) ? RangeError : TypeError,
    `${name} must ${verb} ${rule}, got ${shown}${valueMeant(value, rule)}`,
  );
}

/** Suggests one of the names that a rule lists. @param {unknown} value @param {string} rule */
function valueMeant(value, rule) {
  const nearest = typeof value === 'string' && meant(value, rule.match(/\w+(?=')/g) ?? []);
  return nearest ? `. Did you mean '${nearest}'?` : '';
}

/**
 * Under this name, a RetryPolicy has a function that returns its parts, for all copies of the package. The property is
 * enumerable, so that a copy by spread is found out and `structuredClone` throws: without options, both would silently
 * stand for the defaults.
 */
export const POLICY = 'rejitter.policy';

/** The names of all options, at the end of a problem. */
const LIST = / Known options: [\w, ]+/g;

/** @param {string} what was passed instead of options, and the remedy */
export function notOptions(what) {
  return failure(TypeError, `options must be an object of options, got ${what}`);
}

/** @param {string} name @param {string[]} names that are known @param {Foreign} [foreign] */
export function unknown(name, names, foreign) {
  if (name === POLICY) return notOptions('a RetryPolicy or a copy of one: use policy.run(fn)');
  const nearest = meant(name, names, foreign);
  const hint = nearest ? ` Did you mean ${nearest}?` : '';
  return failure(TypeError, `unknown option ${show(name)}.${hint} Known options: ${names.join(', ')}`);
}

/**
 * Returns the known name that another package has under this one, that is at most three edits away, or
 * that starts with this one.
 * @param {string} wrong
 * @param {string[]} names all that are known here
 * @param {Foreign} [own] names in packages that do the same
 * @returns {string | undefined}
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
 * @param {string} a
 * @param {string} b
 * @param {number} edits
 * @returns {boolean}
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

/** Joins problems to one error, with the names of the options once, at its end. @param {Error[]} problems */
export function errorOf(problems) {
  const kind = problems.every((problem) => problem instanceof RangeError) ? RangeError : TypeError;
  const all = problems.map((problem) => problem.message.replace(PREFIX, '')).join('; ');
  const text = all.replace(LIST, '') + (problems.length < MAX_PROBLEMS ? '' : '; and more');
  const list = all.match(LIST);
  return failure(kind, list ? text.replace(/[^.?]$/, '$&.') + list[0] : text);
}

/** Describes a value, without running any of the caller's code. @param {unknown} value */
export function show(value) {
  switch (typeof value) {
    case 'string':
      // JSON escapes the control characters of ASCII only, and makes six characters of one.
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)
        .replace(/[\x7f-\x9f]/g, '?')
        .slice(0, 100);
    case 'bigint':
      // The digits of a long one take seconds.
      return value < 1e40 && value > -1e40 ? `${value}n` : 'a long bigint';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'object':
      return value === null ? 'null' : kindOf(value);
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

/**
 * Returns an error's message, if it has one that can be read: callers may throw any value.
 * @param {unknown} error
 * @param {string} otherwise
 */
export function messageOf(error, otherwise) {
  try {
    const message = error instanceof Error && error.message;
    return typeof message === 'string' ? message : otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string[]} names */
export function oneOf(names) {
  return `one of '${names.join("', '")}'`;
}

/** @param {string} name @param {unknown} value @param {string} because */
export function leftOut(name, value, because) {
  return failure(TypeError, `${name} must be omitted (got ${show(value)}): ${because}`);
}

/** @param {object} value */
function kindOf(value) {
  try {
    if (Array.isArray(value)) return 'an array';
    if (value instanceof Promise) return 'a promise';
  } catch {
    // A revoked proxy is neither.
  }
  return 'an object';
}
