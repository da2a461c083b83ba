// The values that callbacks throw, reject with and resolve to, and the reasons of aborts. A schedule names
// values by kind; each is created again where it is used, so that an identity says which use it came from.

import { runInNewContext } from 'node:vm';

import { fails } from '../lib/callbacks.mjs';

const refuse = fails(new Error('the proxy was read'));
const TRAPS = ['get', 'set', 'defineProperty', 'getPrototypeOf', 'has', 'ownKeys'];
const foreign = runInNewContext("() => new Error('foreign')");

const made = {
  error: () => new Error('failed'),
  type: () => new TypeError('failed'),
  frozen: () => Object.freeze(new Error('frozen')),
  string: () => 'text',
  empty: () => '',
  zero: () => 0,
  minus: () => -0,
  nan: () => NaN,
  null: () => null,
  undefined: () => undefined,
  symbol: () => Symbol('thrown'),
  bare: () => Object.create(null),
  function: () => () => {},
  proxy: () => new Proxy(new Error('behind a proxy'), Object.fromEntries(TRAPS.map((trap) => [trap, refuse]))),
  foreign,
  false: () => false,
  bigint: () => 0n,
  sealed: () => Object.seal({}),
  unreadable: () => Object.defineProperty(new Error(), 'message', { get: refuse }),
  wordless: () => Object.assign(new Error(), { message: Symbol('no text') }),
  circle: () => {
    const error = new Error('its own cause');
    error.cause = error;
    return error;
  },
};

export const KINDS = Object.keys(made);
/** The reason of a signal whose time is up. */
made.timesOut = () => new DOMException('time is up', 'TimeoutError');
/** Results must not be thenables; otherwise anything. */
export const RESULTS = ['error', 'string', 'zero', 'nan', 'null', 'undefined', 'bare', 'function', 'frozen'];

export const value = (kind) => made[kind]();

/** How deep along `cause` a mark is found; the thrown value itself is at depth 0. */
const DEEPEST = 10;

/** Layers that are the package's own wrappers, which callers never receive. */
const MARKS = new Set(['permanent', 'retryAfter', 'retryAfterBad']);

/**
 * Makes what is thrown for a description: `{ kind, layers?, ms?, bad?, says?, status? }`. The layers lie around the
 * value of that kind, the innermost first: marks, plain errors with a cause, or (innermost only) a hint without an
 * error.
 *
 * Returns `thrown`; `shown`, what predicates, hooks and the rejection must get; and what the marks say:
 * `permanent`, `afterMs` (NaN for no hint).
 */
export function failure({ kind, layers = [], ms, bad, says, status }, { RejectedError, permanent, retryAfter }) {
  let thrown = kind === 'rejected' ? new RejectedError('breaker', 5) : value(kind);
  if (says !== undefined) thrown.says = says;
  if (status !== undefined) thrown.status = status;
  let shown = thrown;
  for (const layer of layers) {
    thrown = {
      permanent: (error) => permanent(error),
      retryAfter: (error) => retryAfter(ms, error),
      retryAfterBad: (error) => retryAfter(bad, error),
      retryAfterNothing: () => retryAfter(ms),
      plain: (error) => new Error('outer', { cause: error }),
    }[layer](thrown);
    // Any number of marks around the callback's own error is removed.
    if (!MARKS.has(layer)) shown = thrown;
  }
  // The outermost mark says what those within it say.
  const inwards = layers.toReversed();
  const first = inwards.findIndex((layer) => layer !== 'plain');
  const found = first > DEEPEST ? [] : inwards.slice(0, first + DEEPEST + 1);
  const account = {
    thrown,
    shown,
    marked: layers.length > 0 && layers.at(-1) !== 'plain',
    permanent: found.includes('permanent'),
    afterMs: found.some((layer) => layer === 'retryAfter' || layer === 'retryAfterNothing') ? ms : NaN,
  };
  if (Object(thrown) === thrown) accounts.set(thrown, account);
  return account;
}

/** What its maker says of a value that is thrown or returned. */
const accounts = new WeakMap();
export const accountOf = (thrown) => accounts.get(thrown) ?? { thrown, shown: thrown, afterMs: NaN };

/** Whether a value is an instance of a class. Some values cannot be asked. */
export function isA(value, type) {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** A property of what may throw when it is read. */
export function own(value, name) {
  try {
    return value?.[name];
  } catch {
    return undefined;
  }
}

const causeOf = (error) => Object.getOwnPropertyDescriptor(Object(error), 'cause');

/**
 * Makes a failure the cause of the error that takes its place: if that can have one, and is no cause of the failure.
 */
export function blame(error, failure) {
  if (causeOf(error) !== undefined || !isA(error, Error) || !Object.isExtensible(error)) return;
  for (let [depth, each] = [0, failure]; depth < DEEPEST; depth += 1, each = causeOf(each)?.value)
    if (Object.is(each, error)) return;
  Object.defineProperty(error, 'cause', { value: failure, writable: true, configurable: true });
}

/** What an operation of the reference may end with. */
export class TimeoutError extends Error {
  name = 'TimeoutError';
}
export class SupersededError extends Error {
  name = 'SupersededError';
}
export class RejectedError extends Error {
  name = 'RejectedError';

  constructor(by, retryAfterMs, cause) {
    super('', { cause });
    Object.assign(this, { by, retryAfterMs });
  }
}
export class RetryError extends Error {
  name = 'RetryError';

  constructor(outcome, report, failed) {
    super('', failed && { cause: outcome });
    const errors = report.records.filter((record) => 'error' in record).map(({ error }) => error);
    Object.assign(this, { reason: report.reason, errors, ...(!failed && { result: outcome }) });
  }
}
