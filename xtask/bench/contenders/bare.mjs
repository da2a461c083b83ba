// @ts-check
// The call alone: what everything else is a multiple of.

export const name = 'bare call';
export const retries = false;
export const call = 'fn()';
/** @param {() => unknown} fn */
export const scope = (fn) => ({ fn });
