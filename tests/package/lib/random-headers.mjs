// Headers that may ask for a wait: texts of all forms, some of which are damaged. tests/common/http.rs makes the
// same ones.

import { wordsFrom } from './words.mjs';

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec';
const DAYS = 'Sun Mon Tue Wed Thu Fri Sat';
const WHOLE = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday';

/** @param {number} seed */
export function headersOf(seed) {
  const { below } = wordsFrom(seed);
  const digits = (count) => Array.from({ length: count }, () => below(10)).join('');
  const oneOf = (words) => words.split(' ')[below(words.split(' ').length)];
  const two = (limit) => String(below(limit + 1)).padStart(2, '0');
  const time = () => `${two(23)}:${two(60)}:${two(60)}`;
  const forms = [
    () => digits(1 + below(25)),
    () => `${digits(1 + below(5))}.${digits(below(20))}`,
    () => `${oneOf(DAYS)}, ${two(31)} ${oneOf(MONTHS)} ${digits(4)} ${time()} GMT`,
    () => `${oneOf(WHOLE)}, ${two(31)}-${oneOf(MONTHS)}-${digits(2)} ${time()} GMT`,
    () => `${oneOf(DAYS)} ${oneOf(MONTHS)} ${String(below(32)).padStart(2)} ${time()} ${digits(4)}`,
    () => `Tue, 14 Nov 2023 ${time()} GMT`,
    () => ` ${below(1000)}\t`,
    () => '',
  ];
  const text = () => {
    const whole = forms[below(8)]();
    if (below(4) !== 0 || whole === '') return whole;
    const at = below(whole.length);
    const keep = below(2);
    return whole.slice(0, at) + oneOf('0 9 . : - + , S G a').repeat(keep) + whole.slice(at + 1);
  };
  return () => {
    const [precise, retryAfter, date] = [text(), text(), text()];
    return { 'retry-after-ms': below(2) === 0 ? '' : precise, 'retry-after': retryAfter, date };
  };
}

/** FNV-1a of a number's bytes. */
export function digestOf(numbers) {
  const view = new DataView(new ArrayBuffer(8));
  let digest = 0x811c9dc5;
  for (const number of numbers) {
    view.setFloat64(0, number);
    for (let i = 0; i < 8; i += 1) digest = Math.imul(digest ^ view.getUint8(i), 0x01000193) >>> 0;
  }
  return digest;
}
