// Attempts that are repeated though no server fails, and failures in other forms than an error with a status.

const ALL = ['share: budget() and breaker() and all three ≥ 100'];
const FIXED = { backoff: 'fixed', jitter: 'none' };

/** 30 operations. */
const thirty = (title, more, apartMs = 0) => ({
  ...{ title, seconds: 60, starts: { calls: 30, apartMs }, server: ['first', 202, 4], shows: ALL },
  ...more,
});

const POLLS = {
  options: {
    ...{ ...FIXED, baseMs: 1000, maxAttempts: Infinity, totalTimeoutMs: 60_000 },
    retryOnResult: ({ status }) => status === 202,
  },
  result: (status) => (status < 300 ? { status } : undefined),
};

const AFTER_401 = {
  ...{ ...FIXED, baseMs: 10, maxAttempts: 2 },
  retryIf: ({ status }) => status === 401,
  beforeRetry: async () => {},
};

/** @param {string} late what late calls get */
const overload = (late, more, status = 503) => ({
  title: `a server for 300/s stalls for 10 s; late calls get ${late} (4 attempts); 10 processes, 280/s`,
  ...{ rate: 280, seconds: 60, processes: 10, options: { maxAttempts: 4 } },
  server: ['stalling', [10, 20], [20, status]],
  // A row that must last a second is noticed later: at once, it would be 80.
  shows: ['share: all three ≥ 77'],
  ...more,
});

export const ANSWERS = [
  thirty('30 polls of 5 requests each, at once', POLLS),
  thirty('30 polls of 5 requests each, one every 0.5 s', POLLS, 500),
  {
    title: '5 polls of 12 requests each, one after the other',
    ...{ ...POLLS, workers: 1, jobs: 5, seconds: 120, server: ['first', 202, 11], shows: ALL },
  },
  thirty('30 polls of 5 requests each, at once (createFetch, retryOn)', {
    fetches: true,
    options: { retryOn: [202] },
  }),
  thirty('30 calls at once get 401 and refresh their token (beforeRetry)', {
    ...{ server: ['first', 401], options: AFTER_401 },
  }),
  thirty('30 calls at once get 409 and try again ({ afterMs })', {
    ...{ server: ['first', 409], options: { retryIf: () => ({ afterMs: 10 }) } },
  }),
  {
    title: '60% of the calls get 404 and try again, 5% of other attempts 503: the others; 1 process, 20/s',
    ...{ rate: 20, seconds: 120, badShare: 0.6 },
    server: ['failing', { share: 0.05 }, { status: 503, bad: 404 }],
    shows: ['share: all three ≥ 94'],
  },
  overload('503'),
  overload('503 as a result', {
    options: { maxAttempts: 4, retryOnResult: ({ status }) => status === 503 },
    result: (status) => ({ status }),
  }),
  overload('an error without a status', {}, 0),
  overload('{ busy: true } as a result', {
    options: { maxAttempts: 4, retryOnResult: ({ busy }) => busy },
    result: (status) => ({ busy: status !== 200 }),
    shows: ['share'],
  }),
  {
    title: 'jobs of 20 s, polled every second through an outage of 10 s; 1 process, 2/s',
    ...{ ...POLLS, rate: 2, seconds: 200, drain: 60 },
    server: ['working', 20, { from: 100, to: 110 }],
    // 2 requests with rows that count at once.
    shows: ['share: all three ≥ no protection − 20', 'perSecond 100 110: all three ≤ 7 | … requests a second in it'],
  },
];
