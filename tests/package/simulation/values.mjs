// What callbacks throw, reject with and resolve to, and what signals are aborted with. A schedule names
// values by kind; each is made anew where it is used, so that an identity says which use it came from.

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
  proxy: () => new Proxy(new Error('behind a proxy'), { get() { throw new Error('the proxy was read'); }, getPrototypeOf() { throw new Error('the proxy was asked'); } }),
  circle: () => {
    const error = new Error('its own cause');
    error.cause = error;
    return error;
  },
};

export const KINDS = Object.keys(made);
/** Results must not be thenables; otherwise anything. */
export const RESULTS = ['error', 'string', 'zero', 'nan', 'null', 'undefined', 'bare', 'function', 'frozen'];

export const value = (kind) => made[kind]();

/**
 * What is thrown for a description: `{ kind, mark?, ms?, depth? }`.
 * Gives `thrown`; `shown`, what predicates, hooks and the rejection must get; and what the mark says.
 */
export function failure({ kind, mark, ms, depth = 0 }, { permanent, retryAfter }) {
  const inner = value(kind);
  let thrown = inner;
  if (mark === 'permanent') thrown = permanent(inner);
  if (mark === 'retryAfter') thrown = retryAfter(ms, inner);
  if (mark === 'retryAfterNothing') thrown = retryAfter(ms);
  // Below the surface a mark is found, and the outermost error comes out as it is.
  let shown = depth > 0 || mark === 'retryAfterNothing' ? undefined : inner;
  for (let i = 0; i < depth; i += 1) thrown = new Error('outer', { cause: thrown });
  if (depth > 0 || mark === 'retryAfterNothing') shown = thrown;
  const found = mark !== undefined && depth <= 10;
  return {
    thrown,
    shown,
    permanent: found && mark === 'permanent',
    afterMs: found && mark !== 'permanent' ? ms : NaN,
  };
}
