// @ts-check
// What of a request's body can be sent again.

/**
 * @typedef {object} Body
 * @property {boolean} replays whether another attempt sends the same
 * @property {() => unknown} next the body for one more attempt; it may be a promise of it
 */

/** What an object calls itself, in any realm: 'Request', 'Blob', … @param {unknown} value */
export function tagOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}

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
  return ['FormData', 'URLSearchParams'].includes(tagOf(body)) && typeof body[Symbol.iterator] === 'function';
}

/** Streams and async iterables are over once they were read; so may be what is not known here. */
function isReplayable(/** @type {any} */ body) {
  if (body === null || typeof body !== 'object') return true;
  return (
    ArrayBuffer.isView(body) ||
    isList(body) ||
    ['ArrayBuffer', 'Blob', 'File', 'String'].includes(tagOf(body))
  );
}

/** @param {any} body */
function copyOf(body) {
  switch (tagOf(body)) {
    case 'URLSearchParams':
      return new body.constructor(body);
    case 'FormData': {
      // Each attempt encodes it anew, with a boundary of its own.
      const copy = new body.constructor();
      for (const [name, value] of body) copy.append(name, value);
      return copy;
    }
    case 'ArrayBuffer':
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
  return tagOf(body) === 'ReadableStream' || (!isReplayable(body) && typeof body[Symbol.asyncIterator] === 'function');
}
