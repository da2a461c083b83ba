// Programs for a process, with what most of them need.

const PRELUDE = `
  // A thread's clock may be that of its process.
  const startedAt = performance.now();
  process.on('exit', () => performance.now() - startedAt > 120_000 && console.log('late'));
  const fails = () => { throw 0; };
  const hangs = () => new Promise(() => {});
  const third = ({ attempt }) => { if (attempt < 3) throw 0; return attempt; };
  const second = ({ attempt }) => { if (attempt < 2) throw 0; return 'value'; };
  const end = (promise) => promise.catch((error) => error);
  const controller = new AbortController();
  const { signal } = controller;
  const long = { baseMs: 150_000, capMs: 150_000, jitter: 'none' };
`;

/** For programs that change the host first. */
export const IMPORT =
  'const { RetryError, RetryPolicy, TimeoutError, permanent, retry, retryAfter, retryReport, retrySync } = ' +
  "await import('rejitter');";

/** A program with the helpers, and with the package, unless it imports that itself. */
export const whole = (program) => PRELUDE + (program.includes(IMPORT) ? '' : IMPORT) + program;
