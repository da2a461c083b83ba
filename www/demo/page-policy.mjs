/**
 * What the demo page may load and run: its Content-Security-Policy. The build writes it into the page, for any web server;
 * the demo server also sends it, because a page cannot state `frame-ancestors` and workers take their policy from a header.
 */

/** Scripts are files of the page, wasm is compiled; only requests may go anywhere, because the live calls take any URL. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  'connect-src *',
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
].join('; ');

export const REFERRER_POLICY = 'no-referrer';

/** Headers of every file of the page. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'`,
  'Referrer-Policy': REFERRER_POLICY,
  'X-Content-Type-Options': 'nosniff',
};
