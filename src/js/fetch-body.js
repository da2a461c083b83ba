// @ts-check
// What of a request's body can be sent again.

/**
 * @typedef {object} Body
 * @property {boolean} replays whether another attempt sends the same
 * @property {() => unknown} next the body for one more attempt; it may be a promise of it
 */

const tagOf = (/** @type {unknown} */ value) => Object.prototype.toString.call(value);

/**
 * A body as `init.body` has it. What the caller could change while attempts go on is copied now,
 * as `fetch` takes its bytes when it is called.
 * @param {any} body
 * @returns {Body}
 */
export function bodyOf(body) {
  if (typeof body === 'function') return { replays: true, next: () => body() };
  const replays = isReplayable(body);
  const kept = replays ? copyOf(body) : body;
  // An inner fetch may add to what is a list: not to that of the next attempt.
  return { replays, next: () => (isList(kept) ? copyOf(kept) : kept) };
}

/** Not what the package form-data makes: that calls itself FormData, too, and is a stream. */
function isList(/** @type {any} */ body) {
  return ['[object FormData]', '[object URLSearchParams]'].includes(tagOf(body)) && typeof body[Symbol.iterator] === 'function';
}

/** Streams and async iterables are over once they were read; so may be what is not known here. */
function isReplayable(/** @type {any} */ body) {
  if (body === null || typeof body !== 'object') return true;
  return (
    ArrayBuffer.isView(body) ||
    isList(body) ||
    ['[object ArrayBuffer]', '[object Blob]', '[object File]', '[object String]'].includes(tagOf(body))
  );
}

/** @param {any} body */
function copyOf(body) {
  switch (tagOf(body)) {
    case '[object URLSearchParams]':
      return new body.constructor(body);
    case '[object FormData]': {
      // Each attempt encodes it anew, with a boundary of its own.
      const copy = new body.constructor();
      for (const [name, value] of body) copy.append(name, value);
      return copy;
    }
    case '[object ArrayBuffer]':
      return body.slice(0);
    default:
      return ArrayBuffer.isView(body) ? copyOfView(body) : body;
  }
}

/**
 * The view's bytes. The view's own type means nothing to `fetch`.
 * @param {ArrayBufferView} view
 */
function copyOfView(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
}

/** Whether a body needs `duplex: 'half'`. @param {any} body */
export function isStream(body) {
  return tagOf(body) === '[object ReadableStream]' || (typeof body === 'object' && body !== null && typeof body[Symbol.asyncIterator] === 'function' && isReplayable(body) === false);
}
