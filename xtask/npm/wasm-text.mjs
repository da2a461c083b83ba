// A wasm file as text for a module: denser than base64, and compressors see its bytes (brotli: a quarter less).

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

/** How many bytes a step of the core's decoder takes: `bytesOf` in src/js/wasm/core-inline.js. */
const STEP_BYTES = 8;

/**
 * Returns a wasm file as hexadecimal digits, in whole steps: it ends with an empty section of as many bytes as are
 * missing.
 */
export function hexOf(bytes) {
  let missing = -bytes.length & (STEP_BYTES - 1);
  // A section has an identifier, its size and the size of its name.
  if (missing === 1 || missing === 2) missing += STEP_BYTES;
  const section = missing === 0 ? [] : [0, missing - 2, ...Array(missing - 2).fill(0)];
  return Buffer.from([...bytes, ...section]).toString('hex');
}
