// The values that callbacks throw, reject with and resolve to, and the reasons of aborts. A schedule names
// values by kind; each is created again where it is used, so that an identity says which use it came from.

import { fails } from '../lib/callbacks.mjs';

const refuse = fails(new Error('the proxy was read'));

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
  proxy: () => new Proxy(new Error('behind a proxy'), { get: refuse, getPrototypeOf: refuse }),
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
 * Makes what is thrown for a description: `{ kind, layers?, ms?, bad?, says?, status? }`. The layers lie around the value of
 * that kind, the innermost first: marks, plain errors with a cause, or (innermost only) a hint without an error.
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
  const found = layers.toReversed().slice(0, DEEPEST + 1);
  const stops = found.includes('permanent');
  return {
    thrown,
    shown,
    marked: layers.length > 0 && layers.at(-1) !== 'plain',
    permanent: stops,
    afterMs: !stops && found.some((layer) => layer === 'retryAfter' || layer === 'retryAfterNothing') ? ms : NaN,
  };
}

/** Describes what the package may do to an error: it gives a cause only to an extensible Error that has none. */
export function causeOf(error) {
  const isObject = (typeof error === 'object' && error !== null) || typeof error === 'function';
  const own = isObject ? Object.getOwnPropertyDescriptor(error, 'cause') : undefined;
  let isError = false;
  try {
    isError = error instanceof Error;
  } catch {
    // A proxy that refuses to say so.
  }
  return { own, open: own === undefined && isError && Object.isExtensible(error) };
}
