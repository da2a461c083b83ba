// @ts-check
// Headers with which services announce when a rate limit ends. None of them is a standard yet.

import { headerOf, serverTime } from './http.js';

/** Header for what remains of a limit, and those for its end, the better one first. */
const limits = () => [
  // Discord sends both, GitHub and many others the second.
  ['x-ratelimit-remaining', 'x-ratelimit-reset-after', 'x-ratelimit-reset'],
  // X.
  ['x-rate-limit-remaining', 'x-rate-limit-reset'],
  // Drafts of the IETF up to the sixth.
  ['ratelimit-remaining', 'ratelimit-reset'],
  // OpenAI.
  ...['requests', 'tokens'].map((what) => [`x-ratelimit-remaining-${what}`, `x-ratelimit-reset-${what}`]),
  // Anthropic.
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => [
    `anthropic-ratelimit-${what}-remaining`,
    `anthropic-ratelimit-${what}-reset`,
  ]),
];

/** Milliseconds of the units of durations such as "6m0s". */
const UNITS = /** @type {Record<string, number>} */ ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/**
 * Returns how long a response asks to wait because a limit is exhausted, in ms, or undefined. With several limits
 * that are exhausted, the last one to be lifted counts.
 * @param {any} response
 * @returns {number | undefined}
 */
export function rateLimitHint(response) {
  const { status, headers } = response ?? {};
  if (status !== 429 && status !== 403 && status !== 503) return undefined;
  /** @param {string} name */
  const header = (name) => headerOf(headers, name);
  const now = serverTime(header('date'));
  // Azure.
  const waits = [Number(header('x-ms-retry-after-ms') || NaN)];
  const found = limits().map(([remaining, ...resets]) => [header(remaining), resets.map(header).find(Boolean)]);
  // Later drafts: `limit=9, remaining=0, reset=5`, then `"name";r=0;t=5` for each limit.
  const fields = header('ratelimit').replaceAll(/"[^"]*"/g, '');
  for (const field of fields.includes('remaining=') ? [fields] : fields.split(','))
    found.push([/\b(?:r|remaining)=(\d+)/.exec(field)?.[1], /\b(?:t|reset)=(\d+)/.exec(field)?.[1]]);
  // Without a number, only a 429 says that the limit is exhausted.
  for (const [remaining, reset = ''] of found)
    if (remaining ? Number(remaining) === 0 : status === 429) waits.push(resetWait(reset, now));
  const known = waits.filter((ms) => ms >= 0);
  return known.length > 0 ? Math.max(...known) : undefined;
}

/**
 * Reads the end of a limit: seconds until then, Unix seconds or milliseconds, "6m0s", or a date of RFC 3339.
 * @param {string} text
 * @param {number} now
 * @returns {number} ms from now, at least 0; NaN for another text
 */
function resetWait(text, now) {
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text);
    return number < 1e9 ? number * 1000 : Math.max(0, (number < 1e12 ? number * 1000 : number) - now);
  }
  if (/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) {
    let ms = 0;
    for (const [, number, unit] of text.matchAll(/([\d.]+)(ms|[smhd])/g)) ms += Number(number) * UNITS[unit];
    return ms;
  }
  const [, time, fraction, zone] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return Math.max(0, Date.parse(time + zone) + Number(fraction ?? 0) * 1000 - now);
}
