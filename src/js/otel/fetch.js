// A fetch whose operations and requests are observed.

import { behindOf } from '../marks.js';
import { HOOKS, hooksOf, isOptions, ownOf } from './observer.js';

/** @type {(observer: import('./observer.js').Observer, createFetch: any, options: any, inner: any) => any} */
export function observedFetch(observer, createFetch, options, inner) {
  const send = createFetch(options, (/** @type {any} */ input, /** @type {any} */ init) => {
    const at = observer.find();
    if (at === undefined) return inner(input, init);
    at.number += 1;
    return observer.within(at.trace, at.number, () => inner(input, init));
  });
  const settings = behindOf(options)?.settings ?? ownOf(options);
  return (/** @type {any} */ input, /** @type {any} */ init) => {
    if (!isOptions(init?.retry)) return send(input, init);
    const theirs = ownOf(init?.retry);
    const own = observer.begin(theirs, settings, observer.keys ? originOf(input) : undefined);
    const retry = { ...theirs, ...hooksOf(own, ['onAttempt', ...HOOKS], theirs, settings) };
    return own.settled(observer.within(own, 0, () => send(input, { ...init, retry })));
  };
}

/** Returns the origin of a request, if it has one. @param {any} input */
function originOf(input) {
  try {
    return new URL(input.url ?? input, globalThis.location?.href).origin;
  } catch {
    return undefined;
  }
}
