// @ts-check
// The caller's seed as the bits that the core takes.

/**
 * A seed's 64 bits as two 32-bit integers. Text is hashed by FNV-1a over its UTF-16 code units,
 * little-endian, as `Seed::from(&str)` does in Rust.
 * @param {number | bigint | string} seed
 * @returns {[high: number, low: number]}
 */
export function seedBits(seed) {
  let bits;
  if (typeof seed === 'string') {
    bits = 0xcbf29ce484222325n;
    for (let i = 0; i < 2 * seed.length; i++) {
      const byte = (seed.charCodeAt(i >> 1) >> (8 * (i & 1))) & 255;
      bits = BigInt.asUintN(64, (bits ^ BigInt(byte)) * 0x100000001b3n);
    }
  } else {
    bits = BigInt(seed);
  }
  return [Number(bits >> 32n), Number(bits & 0xffffffffn)];
}
