// The declarations of the options, events, reports and errors, in a strict project of a user's.

const POSITIVE = `
export type Exported = [Verdict];
export const predicates: RetryOptions[] = [
  { retryIf: async (error) => (error.status === 429 ? { afterMs: 5 } : false) },
  { hint: async (error, { attempt }) => (attempt > 1 ? error.waitMs : undefined) },
  { retryOnResult: (job) => job.state === 'running' },
];
export const seeds: RetryOptions[] = [{ seed: 7 }, { seed: 7n }, { seed: 'orders' }];
export const jitters: Jitter[] = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2', { type: 'proportional', ratio: 0.5 }, { type: 'additive', ratio: 2 }, { type: 'additive', maxMs: 50 }];
export const backoffs: Backoff[] = ['fixed', 'linear', 'exponential', 'truncated', 'fibonacci', (k: number) => k * 5, [1, 2, 3], [1, 2, 3] as const];

export const hooks: RetryOptions = {
  onAttempt: (event) => same<typeof event, AttemptEvent>(true),
  onFailure: (event) => same<typeof event, FailureEvent>(true),
  onRetry: (event) => { same<typeof event, RetryEvent>(true); same<typeof event.delayMs, number>(true); },
  onSuccess: async (event) => { same<typeof event, SuccessEvent>(true); same<typeof event.result, unknown>(true); },
  beforeRetry: async (event) => same<typeof event, RetryEvent>(true),
  onGiveUp: ({ reason, report, error }) => { same<typeof reason, StopReason>(true); same<typeof report, RetryReport>(true); same<typeof error, unknown>(true); },
};

export const everyEvent = [
  (event: FailureEvent & RetryEvent & SuccessEvent & GiveUpEvent) => same<[typeof event.attemptsLeft, typeof event.name], [number, string | undefined]>(true),
];

export function told(error: unknown): string {
  const report = retryReport(error);
  if (report === undefined) return '';
  const first: AttemptRecord | undefined = report.records[0];
  same<typeof report.hintMs, number | undefined>(true);
  same<AttemptRecord['heldMs'], number | undefined>(true);
  void [first?.startMs.toFixed(), first?.durationMs.toFixed(), report.elapsedMs.toFixed()];
  // Exhaustive: with a reason more, or one less, this does not compile.
  switch (report.reason) {
    case 'success': return 'of several attempts of a fetch';
    case 'exhausted': return 'a';
    case 'permanent': return 'b';
    case 'committed': return 'm';
    case 'notRetryable': return 'c';
    case 'deadline': return 'd';
    case 'timeout': return 'e';
    case 'hint': return 'f';
    case 'callback': return 'g';
    case 'aborted': return 'h';
    case 'bodyNotReplayable': return 'i';
    case 'budget': return 'k';
    case 'breaker': case 'cooldown': case 'limiter': same<typeof report.retryAfterMs, number | undefined>(true); return 'l';
    default: {
      const never: never = report.reason;
      return never;
    }
  }
}

export function traced(message: unknown): string {
  const { name = 'unnamed', method, origin, attempts = 0, report } = message as OperationMessage;
  return [name, method, origin, attempts, report?.reason].join();
}

export function errors(error: unknown): unknown {
  if (error instanceof TimeoutError) same<typeof error.name, 'TimeoutError'>(true);
  if (error instanceof RetryError) return [error.report.attempts, error.reason, error.errors, error.cause, error.result];
  if (isProgrammingError(error) || isTransientError(error)) return undefined;
  return isPermanent(error) ? permanent(error) : [retryAfter(5), retryAfter(5, error)].map((made) => made.message);
}

export const presets: RetryOptions[] = [pRetryOptions({ retries: 3, randomize: true }), awsSdk2020, awsSdk2026, awsSdk2026Throttling, googleHttpClient, grpc, polly, cenkalti, goRetryableHttp, jpillora, pRetry, pRetryRandomized, truncatedBinary];
export function policies(): [RetryMetrics | undefined, PolicyData] {
  const options: PolicyOptions = { metrics: true, jitter: 'equal' };
  const policy = new RetryPolicy({ ...grpc, ...options });
  const again = fromData(JSON.parse(JSON.stringify(policy))).with({ retryIf: () => true, metrics: true });
  const once: RunOptions<number> = { totalTimeoutMs: 5, retryOnResult: (n) => n > 3 };
  void again.run(() => 4, once);
  const metrics = again.metrics();
  same<typeof metrics, RetryMetrics | undefined>(true);
  const deadlines: number | undefined = metrics?.failures.deadline;
  void deadlines;
  return [new RetryPolicy(options).metrics(), policy.toJSON()];
}

export async function telling(texts: AsyncIterable<string>, body: ReadableStream<Uint8Array>): Promise<number> {
  const silent: RetryOptions[] = [{ idleTimeoutMs: 5 }, { idleTimeoutMs: { firstMs: 5, thenMs: Infinity } }];
  return retry(async ({ alive, progress, commit, watch }) => {
    const verbs: (() => void)[] = [alive, progress, commit];
    for await (const text of watch(texts)) same<typeof text, string>(true);
    for await (const chunk of watch(body)) verbs.map((verb) => [verb(), chunk.length]);
    return 1;
  }, { ...silent[1], onFailure: ({ progressed, committed }) => same<typeof progressed | typeof committed, true | undefined>(true) });
}

export function blocking(): [number, string] {
  const options: SyncOptions = { retryIf: (error, attempt) => error.code === 'EBUSY' && attempt.attempt < 3, retryOnResult: () => ({ afterMs: 3 }), totalTimeoutMs: 5, backoff: 'linear', stepMs: 4 };
  const number = retrySync((attempt) => { same<typeof attempt, Attempt>(true); return attempt.attempt; }, options);
  same<typeof number, number>(true);
  const either = retrySync(({ attempt }) => (attempt > 1 ? 'late' as const : 1 as const));
  const neverEither = () => retrySync(() => { throw new Error(); }, { retryOnResult: (n: number) => n > 1 });
  same<ReturnType<typeof neverEither>, never>(true);
  // Whether this is a promise is known at run time, where one is rejected.
  void retrySync((): number | Promise<number> => 1);
  void retrySync(() => ({ status: 1 }), { retryOnResult: (job) => { same<typeof job, { status: number }>(true); return job.status > 1; }, name: 'sync', finalResult: 'reject' });
  return [number, retrySync(() => 'text', { attemptTimeoutMs: undefined, unref: undefined })];
}
// Wrappers that are generic in the result.
export function told2<T>(fn: (attempt: Attempt) => T, options: SyncOptions<T>): T { return retrySync(fn, { ...options, maxAttempts: 3 }); }
export function bounded<T extends string | number>(fn: () => T): T { return retrySync(() => fn()); }
interface MineSync extends SyncOptions { tenant: string }
export const mineSync = (options: MineSync) => retrySync(() => 1, options);

export async function testing(): Promise<void> {
  using clock: VirtualClock = virtualClock({ date: true, blocking: false });
  const random: ScriptedRandom = scriptedRandom([0, 0.5]);
  const result = retry(() => 1, { random });
  await clock.advance(5);
  await clock.runAll();
  const options: RunUntilOptions = { limit: 50, graceMs: 0 };
  same<number, Awaited<ReturnType<typeof clock.runUntil<number>>>>(true);
  const until = await clock.runUntil(retry(() => ({ id: 7 })), options);
  same<typeof until, { id: number }>(true);
  const numbers: number[] = [clock.now, clock.pending, random.left, random(), await result];
  void numbers;
}
`;

const NEGATIVE = `
declare const report: RetryReport;
declare const clock: VirtualClock;
retry(() => 1, { idleTimeoutMs: { firstMs: 5 } }); // wrong: both times are needed
retrySync(() => 1, { idleTimeoutMs: 5 }); // wrong: nothing could end an attempt that blocks
retry(({ watch }) => watch([1, 2])); // wrong: a list is no stream
retry(() => 1, { retryIf: () => ({ afterMs: '5' }) }); // wrong: the wait is a number
retry(() => 1, { retryOnResult: () => {} }); // wrong: an answer is missing
retry(() => 1, { jitter: { ratio: 0.5 } }); // wrong: an object needs its type
retry(() => 1, { jitter: { type: 'proportional' } }); // wrong: proportional needs a ratio
retry(() => 1, { jitter: { type: 'proportional', maxMs: 5 } }); // wrong: proportional has no maxMs
retry(() => 1, { jitter: { type: 'additive' } }); // wrong: additive needs a ratio or maxMs
retry(() => 1, { jitter: { type: 'additive', ratio: '50%' } }); // wrong: a ratio is a number
retry(() => 1, { jitter: { type: 'gaussian', ratio: 1 } }); // wrong: no such type of jitter
retry(() => 1, { backoff: () => 'soon' }); // wrong: a backoff function gives a number
retry(() => 1, { backoff: (k: string) => k.length }); // wrong: a backoff function gets a number
new RetryPolicy().metrics()!.attempts = 0; // wrong: counts cannot be changed
retry((attempt) => { attempt.attemptsLeft = 0; }); // wrong: attemptsLeft cannot be changed
fromData({}, { as: Date }); // wrong: a class that extends RetryPolicy
retry(() => 1, { onRetry: (event) => { event.delayMs = 0; } }); // wrong: an event cannot be changed
grpc.baseMs = 5; // wrong: a preset is frozen
retryReport(new Error()).reason; // wrong: a report may be missing
report.records.push(report.records[0]!); // wrong: records cannot be changed
retryAfter('5'); // wrong: a wait is a number
permanent(); // wrong: permanent needs the error
retrySync(async () => 1); // wrong: a promise is not a result of retrySync
retrySync(() => new Promise<void>(() => {})); // wrong: nor is a promise that never settles
// @ts-expect-error nor is a promise of a type parameter
export function generic<T>(fn: () => Promise<T>) { return retrySync(fn); }
retrySync(() => 1, { retryIf: async () => true }); // wrong: its predicates answer at once
retrySync(() => 1, { hint: async () => 5 }); // wrong: nothing awaits its hint
retry(() => 1, { hint: () => '5' }); // wrong: a hint is a number
scriptedRandom(['0.5']); // wrong: a draw is a number
clock.advance('5'); // wrong: the time is moved by milliseconds
clock.now = 5; // wrong: the time is moved by advance
`;

export default {
  entries: ['rejitter', 'rejitter/data', 'rejitter/presets', 'rejitter/testing'],
  positive: POSITIVE,
  negative: NEGATIVE,
};
