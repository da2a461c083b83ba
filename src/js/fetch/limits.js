// Headers with which services announce when a rate limit ends. None of them is a standard yet.

import { noteHint } from '../marks.js';
import { dateOf, retryAfterMs, serverTime } from '../failures/retry-after.js';
import { headerOf } from '../failures/status.js';

/** Header for what remains of a limit, and those for its end, the better one first. */
const limits = () => [
  // Discord sends the first and the last, Symfony the second, GitHub and many others the last.
  ['x-ratelimit-remaining', 'x-ratelimit-reset-after', 'x-ratelimit-retry-after', 'x-ratelimit-reset'],
  // X.
  ['x-rate-limit-remaining', 'x-rate-limit-reset'],
  // Drafts of the IETF up to the sixth.
  ['ratelimit-remaining', 'ratelimit-reset'],
  // OpenAI.
  ...['requests', 'tokens'].map((what) => [`x-ratelimit-remaining-${what}`, `x-ratelimit-reset-${what}`]),
  // Linear.
  ...['requests', 'complexity'].map((what) => [`x-ratelimit-${what}-remaining`, `x-ratelimit-${what}-reset`]),
  // Anthropic. The limits of its subscriptions, which are called unified, have a status instead of a number.
  ...['requests', 'tokens', 'input-tokens', 'output-tokens', 'unified'].map((what) => [
    `anthropic-ratelimit-${what}-remaining`,
    `anthropic-ratelimit-${what}-reset`,
  ]),
  ['x-sentry-rate-limit-remaining', 'x-sentry-rate-limit-reset'],
  // Contentful has two limits with one end, that of the limit which is exhausted.
  ['x-contentful-ratelimit-remaining', 'x-contentful-ratelimit-reset'],
];

/** Milliseconds of the units of durations such as "6m0s". */
const UNITS = /** @type {Record<string, number>} */ ({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/**
 * Returns how long a response asks to wait because a limit is exhausted, in ms, or undefined. With several limits
 * that are exhausted, the last one to be lifted counts. A wait that the response asks for is another thing than the
 * end of a window, and shorter: the next request may come long before the whole quota is back.
 * @type {(response: any) => number | undefined}
 */
export function rateLimitHint(response) {
  const { status, headers } = response ?? {};
  if (Number(retryAfterMs(response)) > 0) return undefined;
  /** @param {string} name */
  const header = (name) => headerOf(headers, name);
  const now = serverTime(header('date'));
  /** @type {(string | undefined)[][]} */
  const found = [];
  for (const [remaining, ...resets] of limits()) {
    const left = entriesOf(header(remaining));
    // Lists have an entry for each limit.
    for (const [i, reset] of entriesOf(resets.map(header).find(Boolean)).entries())
      found.push([left[i] ?? left[0], reset]);
  }
  // Later drafts: `limit=9, remaining=0, reset=5`, then `"name";r=0;t=5` for each limit.
  const fields = header('ratelimit').replaceAll(/"[^"]*"/g, '');
  for (const field of fields.includes('remaining=') ? [fields] : fields.split(','))
    found.push([/\b(?:r|remaining)=(-?\d+)/.exec(field)?.[1], /\b(?:t|reset)=(\d+)/.exec(field)?.[1]]);
  // Without a number, only a 429 says that the limit is exhausted.
  const known = found
    .filter(([remaining]) => (remaining ? Number.parseFloat(remaining) <= 0 : status === 429))
    .map(([, reset = '']) => resetWait(reset, now))
    .filter((ms) => ms >= 0);
  if (known.length === 0) return undefined;
  const longest = Math.max(...known);
  // For who comes next: a success itself needs no wait.
  if (status < 400) noteHint(response, longest);
  return longest;
}

/** Returns the entries of a list. A comma behind the name of a day is part of a date. @param {string} [text] */
function entriesOf(text = '') {
  return text.match(/[A-Z][a-z]+, [^,]+|[^, ][^,]*/g) ?? [];
}

/**
 * Reads the end of a limit: seconds until then, Unix seconds or milliseconds, "6m0s", or a date of HTTP or RFC 3339.
 * Returns ms from now, at least 0; NaN for another text.
 * @type {(text: string, now: number) => number}
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
  const date = dateOf(text, now);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const [, time, fraction, zone] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return Math.max(0, Date.parse(time + zone) + Number(fraction ?? 0) * 1000 - now);
}
