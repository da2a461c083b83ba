// What an operation of the reference may end with.

export class TimeoutError extends Error {
  name = 'TimeoutError';
}
export class SupersededError extends Error {
  name = 'SupersededError';
}
export class RejectedError extends Error {
  name = 'RejectedError';

  constructor(by, retryAfterMs, cause) {
    super('', { cause });
    Object.assign(this, { by, retryAfterMs });
  }
}
export class RetryError extends Error {
  name = 'RetryError';

  constructor(outcome, report, failed) {
    super('', failed && { cause: outcome });
    const errors = report.records.filter((record) => 'error' in record).map(({ error }) => error);
    Object.assign(this, { reason: report.reason, errors, ...(!failed && { result: outcome }) });
  }
}
