/**
 * The policies of the demo page. The build writes them into the page, so that they hold on any web server. The demo
 * server also sends them: workers take their policy from a header.
 */

/** Allows scripts from files of the page only, and requests to its own server: a worker answers the live calls. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
].join('; ');

export const REFERRER_POLICY = 'no-referrer';

/** Headers of every file of the page. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': REFERRER_POLICY,
  'X-Content-Type-Options': 'nosniff',
};
