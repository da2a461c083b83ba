// Bodies of requests: which can be sent again, and how.

/** Returns what an object calls itself, in any realm: 'Request', 'Blob', … @param {unknown} value */
export function tagOf(value) {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Returns whether this is a Request, of any realm or a polyfill. @param {any} value */
export function isRequest(value) {
  return (
    Object(value) === value &&
    typeof value.url === 'string' &&
    typeof value.method === 'string' &&
    typeof value.clone === 'function'
  );
}

/** Returns the address of a request or of fetch's first argument, or undefined if it is invalid. @param {any} input */
export function addressOf(input) {
  try {
    return new URL(isRequest(input) ? input.url : input, globalThis.location?.href);
  } catch {
    return undefined;
  }
}

/** Returns the class of a value's tag: a subclass may take other arguments, or add entries. @param {any} value */
export function classOf(value) {
  while (value !== null && !Object.hasOwn(value, Symbol.toStringTag)) value = Object.getPrototypeOf(value);
  return value.constructor;
}

/** Returns false for a form of the package form-data: it calls itself FormData, too, but it is a stream. */
export function isList(/** @type {any} */ body) {
  return ['FormData', 'URLSearchParams'].includes(tagOf(body)) && typeof body[Symbol.iterator] === 'function';
}

/** Returns false for streams and async iterables, which can be read once, and for unknown kinds, which may be such. */
export function isReplayable(/** @type {any} */ body) {
  if (body === null || typeof body !== 'object') return true;
  return (
    ArrayBuffer.isView(body) ||
    isList(body) ||
    ['ArrayBuffer', 'Blob', 'File', 'String'].includes(tagOf(body)) ||
    isNativeForm(body) ||
    typeof body.uri === 'string'
  );
}

/** Returns whether this is a form of React Native, which encodes it when it sends it. @param {any} body */
function isNativeForm(body) {
  return Array.isArray(body?._parts);
}

/** Copies what can change: a list, bytes. @param {any} body */
export function copyOf(body) {
  if (isList(body)) {
    // Each attempt encodes a form again, with another boundary.
    const copy = new (classOf(body))();
    for (const [name, value] of body) copy.append(name, value);
    return copy;
  }
  if (isNativeForm(body)) return { __proto__: body, _parts: [...body._parts] };
  // The view's own type means nothing to `fetch`.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  return tagOf(body) === 'ArrayBuffer' ? body.slice(0) : body;
}

/** Returns whether a body needs `duplex: 'half'`. @param {any} body */
export function isStream(body) {
  return tagOf(body) === 'ReadableStream' || (!isReplayable(body) && typeof body[Symbol.asyncIterator] === 'function');
}
