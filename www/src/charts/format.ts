/** Numbers as the page shows them: always with a unit, which never breaks onto the next line. */

const NBSP = '\u00a0';

/** 0.4 ms, 8.2 ms, 250 ms, 1.5 s, 12 s, 4 min, 19 h, 350 days: about three digits, no trailing zeros. */
export function duration(ms: number): string {
  if (ms === Infinity) return 'unlimited';
  if (ms === 0) return `0${NBSP}ms`;
  if (ms < 0.05) return `${Number(ms.toPrecision(2))}${NBSP}ms`;
  if (ms < 999.5) return `${trimmed(ms, ms < 9.95 ? 1 : 0)}${NBSP}ms`;
  const s = ms / 1000;
  if (s < 119.5) return `${trimmed(s, s < 9.995 ? 2 : 1)}${NBSP}s`;
  const h = s / 3600;
  if (h < 1.995) return `${trimmed(s / 60, 1)}${NBSP}min`;
  if (h < 99.5) return `${trimmed(h, h < 9.95 ? 1 : 0)}${NBSP}h`;
  return `${count(Math.round(h / 24))}${NBSP}days`;
}

/** 1867%, 100%, 95.3%, 30%, 4.7%: exact to a tenth where the part, or the rest, is small. */
export function share(part: number): string {
  const percent = 100 * part;
  return `${trimmed(percent, percent < 9.95 || (percent > 90.05 && percent < 999.5) ? 1 : 0)}%`;
}

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/** `1 call`, `8 calls`, `unlimited calls`. */
export function plural(n: number, noun: string): string {
  if (n === Infinity) return `unlimited ${noun}s`;
  return `${count(n)}${NBSP}${noun}${n === 1 ? '' : 's'}`;
}

/** `1 fails`, `8 fail`. */
export function doing(n: number, verb: string): string {
  return `${count(n)} ${verb}${n === 1 ? 's' : ''}`;
}

function trimmed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

/** 950/s, 8.2k/s. */
export function rate(perS: number): string {
  return `${short(perS)}/s`;
}

/** 950, 8.2k, 10k, 1.5M: where there is no room for all digits. */
export function short(n: number): string {
  if (n >= 999_500) return `${trimmed(n / 1e6, n < 9_950_000 ? 1 : 0)}M`;
  if (n >= 999.5) return `${trimmed(n / 1000, n < 9950 ? 1 : 0)}k`;
  return trimmed(n, n < 9.95 ? 1 : 0);
}
