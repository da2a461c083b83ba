// Compares the report of an operation with the record.

/**
 * @param {any} walk the operation's walk, at its end
 * @param {any} report
 * @param {string} reason
 * @param {{ t: number }} end where the report was first seen
 * @param {{ value: unknown }} settle
 */
export function checkReport(walk, report, reason, end, settle) {
  walk.require(Object.isFrozen(report) && Object.isFrozen(report.records), 20, 'the report is not frozen');
  walk.require(report.reason === reason, 13, () => `the report says ${report.reason} instead of ${reason}`);
  walk.require(report.attempts === walk.n, 1, () => `the report says ${report.attempts} attempts instead of ${walk.n}`);
  walk.require(
    walk.sameTime(report.elapsedMs, end.t - walk.startedAt),
    9,
    () => `the report says ${report.elapsedMs} ms instead of ${end.t - walk.startedAt}`,
  );
  if (reason === 'hint')
    walk.require(
      report.hintMs === walk.hintMs,
      6,
      () => `the report says hintMs ${report.hintMs} instead of ${walk.hintMs}`,
    );
  walk.require(
    'cause' in report === (reason === 'unavailable'),
    24,
    () => `the report ${'cause' in report ? 'has' : 'lacks'} a cause`,
  );
  if (reason === 'unavailable')
    walk.require(leadsTo(report.cause, walk.failure), 24, 'the cause in the report is not why there is no core');
  const { records, dropped } = report;
  walk.require(
    records.length + dropped === walk.n,
    14,
    () => `${records.length} records and ${dropped} dropped of ${walk.n} attempts`,
  );
  walk.require(
    records.length <= 10 && (dropped === 0 || records.length === 10),
    25,
    () => `${records.length} records are kept`,
  );
  records.forEach((record, i) => {
    const number = i === 0 ? 1 : i + 1 + dropped;
    walk.require(record.attempt === number, 3, () => `record ${i} is of attempt ${record.attempt}`);
    const own = walk.records[number - 1];
    if (own === undefined) {
      lastRecord(walk, record, end, settle);
      return;
    }
    walk.require(
      'error' in record === 'error' in own &&
        Object.is(record.error, own.error) &&
        Object.is(record.result, own.result),
      14,
      () => `record ${number} has another outcome`,
    );
    walk.require(
      walk.sameTime(record.startMs, own.startMs),
      9,
      () => `record ${number} starts at ${record.startMs} instead of ${own.startMs}`,
    );
    if (!own.unsure)
      walk.require(
        walk.sameTime(record.durationMs, own.durationMs),
        9,
        () => `record ${number} took ${record.durationMs} instead of ${own.durationMs} ms`,
      );
    const delay = own.delayMs ?? walk.waits[number - 1];
    if (number < walk.n)
      walk.require(
        'delayMs' in record && (delay === undefined || Math.abs(record.delayMs - delay) <= 1e-9 * Math.max(1, delay)),
        4,
        () => `record ${number} has delay ${record.delayMs} instead of ${delay}`,
      );
  });
}

/** The record of an attempt that was cut short: why, or how it ended in the same moment. */
function lastRecord(walk, record, end, settle) {
  if (walk.silent) return;
  const { started, running } = walk;
  walk.require(
    walk.sameTime(record.startMs, started.t - walk.startedAt),
    9,
    () => `record ${record.attempt} starts at ${record.startMs} instead of ${started.t - walk.startedAt}`,
  );
  walk.require(
    walk.sameTime(record.durationMs, end.t - started.t),
    9,
    () => `record ${record.attempt} took ${record.durationMs} instead of ${end.t - started.t} ms`,
  );
  const ended = running?.end;
  const { signal } = walk.operation.received[walk.n - 1];
  const cut =
    'error' in record &&
    (Object.is(record.error, walk.error) ||
      Object.is(record.error, settle.value) ||
      (walk.isOurs(record.error) && (signal === undefined || Object.is(signal.reason, record.error))));
  const own =
    ended !== undefined &&
    (Object.is(record.error, ended.made.shown) ||
      Object.is(record.error, ended.made.thrown) ||
      Object.is(record.result, ended.made.shown));
  walk.require(cut || own, 14, () => `the record of attempt ${record.attempt} has another error`);
}

/** Whether an error is, or was caused by, what the host threw. What a missing global throws is the engine's. */
function leadsTo(error, { error: thrown, missing }) {
  for (let depth = 0; depth < 4 && error instanceof Error; depth += 1, error = error.cause)
    if (missing || error === thrown) return true;
  return false;
}
