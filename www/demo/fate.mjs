/**
 * The fate of a request at a flaky server: one rule for the server in Node (misbehaving-server.mjs)
 * and for the service worker that plays one on the page.
 *
 * It depends on (seed, id, n) and the settings alone, n being how many requests for that id have
 * been counted, this one included. The order in which requests of different ids arrive changes
 * nothing, so a run with many concurrent requests can be repeated exactly.
 */

/** @typedef {'ok' | 'unavailable' | 'limited' | 'dropped' | 'slow'} Kind */
/** @typedef {'mixed' | '503' | '429'} Failure */

/** How a server may fail. @type {readonly Failure[]} */
export const FAILURES = ['mixed', '503', '429'];

/**
 * The kinds of failure, with their shares.
 * @type {Readonly<Record<Failure, ReadonlyArray<readonly [Exclude<Kind, 'ok'>, number]>>>}
 */
const SHARES = {
  mixed: [
    ['unavailable', 0.4], // 503
    ['limited', 0.2], // 429 with Retry-After
    ['dropped', 0.2], // no answer at all: a network error
    ['slow', 0.2], // 200, but later than clients wait
  ],
  503: [['unavailable', 1]],
  429: [['limited', 1]],
};

/**
 * Returns the fate of the n-th request for an id. `failureRate` is the chance that it fails, whatever became
 * of those before.
 * @param {object} request
 * @param {string | number} request.seed
 * @param {string} request.id
 * @param {number} request.n from 1
 * @param {Failure} [request.failure]
 * @param {number} request.failureRate 0 to 1
 * @param {readonly [number, number]} request.latencyMs least and most time that an answer takes
 * @returns {{ kind: Kind, latencyMs: number }}
 */
export function fate({ seed, id, n, failure = 'mixed', failureRate, latencyMs: [least, most] }) {
  const key = `${seed}/${id}/${n}`;
  const latencyMs = least + (most - least) * uniform(`${key}/latency`);
  // Each kind of failure meets requests of its own: otherwise all kinds would come to the same numbers.
  if (uniform(`${key}/${failure === 'mixed' ? 'fails' : failure}`) >= failureRate) return { kind: 'ok', latencyMs };
  let left = uniform(`${key}/how`);
  for (const [kind, share] of SHARES[failure]) {
    left -= share;
    if (left < 0) return { kind, latencyMs };
  }
  // The shares add up to 1 but for rounding.
  return { kind: SHARES[failure][0]?.[0] ?? 'unavailable', latencyMs };
}

/**
 * A number in [0, 1) from a text, the same on every machine (the hash is cyrb53).
 * @param {string} text
 */
function uniform(text) {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)) / 2 ** 53;
}
