// The lab's wasm file as text for a module: denser than base64, and compressors see its bytes (brotli: a quarter less).

/**
 * Characters from this one on are digits: a byte below the number of digits is one character. The
 * characters before it are prefixes: each adds `code · STEP` to the digit behind it, modulo 256.
 * The decoder is `bytesOf` in lab/js/wasm/inline.js.
 */
const FIRST_DIGIT = 43;
const STEP = 85;

/** Never needs an escape in a string of any kind, and never ends a `<script>`. */
const isPlain = (code) => code >= 32 && code <= 126 && !'"\'`\\$<'.includes(String.fromCharCode(code));

const PREFIXES = Array.from({ length: FIRST_DIGIT - 32 }, (_, i) => 32 + i).filter(isPlain);

/** Each byte's text. */
const TEXTS = Array.from({ length: 256 }, (_, byte) => {
  const digit = (value) => FIRST_DIGIT + (((value % 256) + 256) % 256);
  if (isPlain(digit(byte))) return String.fromCharCode(digit(byte));
  const prefix = PREFIXES.find((code) => isPlain(digit(byte - code * STEP)));
  return String.fromCharCode(prefix, digit(byte - prefix * STEP));
});

export function textOf(bytes) {
  return Array.from(bytes, (byte) => TEXTS[byte]).join('');
}
