// What the report of an operation must say, from the record.

/** @param {any} walk the operation's walk, at its end */
export function judgeReport(walk, report, reason, settle, told) {
  const { operation, world } = walk;
  const isObject = (typeof settle.value === 'object' && settle.value !== null) || typeof settle.value === 'function';
  if (report === undefined) {
    const shared = reason === 'aborted' && world.operations.length > 1;
    walk.require(settle.ok || !isObject || shared, 14, 'no report of an error object');
    return;
  }
  walk.require(Object.isFrozen(report) && Object.isFrozen(report.records), 20, 'the report is not frozen');
  walk.require(report.reason === reason, 13, `the report says ${report.reason} instead of ${reason}`);
  walk.require(report.attempts === walk.n, 1, `the report says ${report.attempts} attempts instead of ${walk.n}`);
  const end = told ?? settle;
  const start = walk.startedAt ?? operation.call.t;
  walk.require(walk.sameTime(report.elapsedMs, end.t - start), 9, `the report says ${report.elapsedMs} ms instead of ${end.t - start}`);
  if (reason === 'hint') walk.require(report.hintMs === walk.hintMs, 6, `the report says hintMs ${report.hintMs} instead of ${walk.hintMs}`);
  const { records, dropped } = report;
  walk.require(records.length + dropped === walk.n, 14, `${records.length} records and ${dropped} dropped of ${walk.n} attempts`);
  walk.require(records.length <= 10 && (dropped === 0 || records.length === 10), 25, `${records.length} records are kept`);
  records.forEach((record, i) => {
    const number = i === 0 ? 1 : i + 1 + dropped;
    walk.require(record.attempt === number, 3, `record ${i} is of attempt ${record.attempt}`);
    const own = walk.records[number - 1];
    if (own === undefined) {
      lastRecord(walk, record, reason, settle);
      return;
    }
    walk.require('error' in record === 'error' in own && Object.is(record.error, own.error) && Object.is(record.result, own.result), 14, `record ${number} has another outcome`);
    walk.require(walk.sameTime(record.startMs, own.startMs), 9, `record ${number} starts at ${record.startMs} instead of ${own.startMs}`);
    if (!own.unsure) walk.require(walk.sameTime(record.durationMs, own.durationMs), 9, `record ${number} took ${record.durationMs} instead of ${own.durationMs} ms`);
    const delay = own.delayMs ?? walk.waits[number - 1];
    if (number < walk.n) walk.require('delayMs' in record && (delay === undefined || Math.abs(record.delayMs - delay) <= 1e-9 * Math.max(1, delay)), 4, `record ${number} has delay ${record.delayMs} instead of ${delay}`);
  });
}

/** The record of an attempt that was cut short: why, or how it ended in the same moment. */
function lastRecord(walk, record, reason, settle) {
  if (walk.silent) return;
  const { end } = walk.underWay ?? {};
  const cut = 'error' in record && (Object.is(record.error, walk.error) || Object.is(record.error, settle.value));
  const own = end !== undefined && (Object.is(record.error, end.made.shown) || Object.is(record.error, end.made.thrown) || Object.is(record.result, end.made.shown));
  walk.require(cut || own, 14, `the record of attempt ${record.attempt} has another error`);
}
