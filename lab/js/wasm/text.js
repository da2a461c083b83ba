// Text for wasm-bindgen's glue, which makes its coder at import: here it is made at the first use, and
// where the host has none (jsdom), there is one all the same.

export class LazyDecoder {
  /** @type {{ decode(bytes: Uint8Array): string } | undefined} */
  #decoder;

  /** @param {Uint8Array} [bytes] */
  decode(bytes) {
    if (bytes === undefined) return '';
    this.#decoder ??=
      typeof TextDecoder === 'function' ? new TextDecoder('utf-8', { ignoreBOM: true }) : { decode: decoded };
    return this.#decoder.decode(bytes);
  }
}

export class LazyEncoder {
  /** @param {string} text */
  encode(text) {
    return typeof TextEncoder === 'function' ? new TextEncoder().encode(text) : encoded(text);
  }

  /** @param {string} text @param {Uint8Array} view */
  encodeInto(text, view) {
    const bytes = this.encode(text);
    view.set(bytes);
    return { read: text.length, written: bytes.length };
  }
}

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
}

/** @param {string} text */
function encoded(text) {
  // A lone surrogate has no UTF-8; encoders write U+FFFD in its place.
  const bytes = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).match(/%..|[^%]/g) ?? [];
  return Uint8Array.from(bytes, (byte) => (byte.length > 1 ? parseInt(byte.slice(1), 16) : byte.charCodeAt(0)));
}
