/** Links with an invalid value, and what the page says of it: its sources in Node, and the built page. @type {[query: string, problem: RegExp][]} */
export const PROBLEMS = [
  ['?clients=3', /^clients must be an integer between 10 and 10,000, got '3'$/],
  ['?hedgeMs=9', /^hedgeMs must be between 10 and 1,000, got '9'$/],
  ['?failing=x', /^failing must be between 0 and 0\.9, got 'x'$/],
  ['?protection=breaker,breaker', /^protection must be 'none', or any of 'budget', .*'hedge', got/],
  ['?capMs=abc', /^capMs must be a number, got 'abc'$/],
  ['?jitter=most', /^jitter must be one of 'none', /],
  ['?baseMs=500&capMs=100', /^capMs must be at least baseMs \(500\), got 100$/],
  ['?maxAttempts=0', /^maxAttempts must be a positive integer/],
  ['?jitter=proportional&ratio=5', /^jitter\.ratio must be .*, got 5$/],
  ['?factor=0.5', /^factor must be .*, got 0\.5$/],
  ['?capMs=1e300', /^capMs must be at most 31536000000 \(a year\) or Infinity on this page, got 1e\+300$/],
  ['?vs=p-retry+retries+-5', /^vs has a strategy that is invalid: maxAttempts must be a positive integer.*, got -4$/],
  [
    '?vs=left-pad',
    /^vs has a strategy that is invalid: a package or a backoff must be one of fixed, .*, got left-pad$/,
  ],
];
