//! The report of an operation, in constant memory.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use super::AttemptError;
use crate::StopReason;

/// How many records are kept: the first, and the last nine.
const KEPT: usize = 10;

/// The report of an operation that ended without success.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryReport<E> {
    /// Number of attempts. 0 if a [`Protection`](crate::Protection) rejected the first one.
    pub attempts: u64,
    /// Time from the start of the operation to its end.
    pub elapsed: Duration,
    /// The wait that the server requested with the last failure, if any
    /// ([`Retry::hint`](crate::Retry::hint)). At most 584 years.
    pub hint: Option<Duration>,
    /// When asking again makes sense, if the breaker, the cooldown or the limiter of a
    /// [`Protection`](crate::Protection) ended the operation.
    pub retry_after: Option<Duration>,
    /// Number of records that were dropped between the first and the last nine.
    pub dropped: u64,
    /// The attempts, in order: the first and the last nine. If the last nine timed out, the attempt with the callback's
    /// latest error is kept instead of the ninth last.
    pub records: Vec<AttemptRecord<E>>,
}

/// One attempt without success.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptRecord<E> {
    /// The attempt's number. The first is 1.
    pub attempt: u64,
    /// How it failed. `None` if [`Retry::keep_errors`](crate::Retry::keep_errors) does not keep the error, if it was
    /// superseded, and for the last failure, whose error is [`RetryError::error`](crate::RetryError::error).
    pub error: Option<AttemptError<E>>,
    /// Start, counted from the start of the operation.
    pub start: Duration,
    /// How long it took.
    pub duration: Duration,
    /// How long the cooldown of a [`Protection`](crate::Protection) held it before its start. Zero if it did not.
    pub held: Duration,
    /// How long it waited for its turn in the queue of a [`Protection`](crate::Protection)'s limiter. Zero if it did
    /// not.
    pub queued: Duration,
    /// The wait that followed it, as decided. `None` after the last attempt, unless a deadline passed
    /// because a wait ended late, or a [`Protection`](crate::Protection) rejected the attempt after it.
    pub delay: Option<Duration>,
    /// Whether it made progress: [`Verdict::RetryAnew`](crate::Verdict::RetryAnew).
    pub progressed: bool,
    /// Whether it was a hedge: started while the attempt before it was running ([`Retry::hedge`](crate::Retry::hedge)).
    pub hedge: bool,
    /// Whether it was dropped because the other attempt of its round had ended the operation.
    pub superseded: bool,
}

/// The end of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    pub(super) reason: StopReason,
    pub(super) attempts: u64,
    pub(super) elapsed: Duration,
    pub(super) hint: Option<Duration>,
    pub(super) retry_after: Option<Duration>,
}

impl<E> AttemptRecord<E> {
    pub(super) fn with(self, error: Option<AttemptError<E>>) -> Self {
        Self { error, ..self }
    }

    /// Whether it has an error of the callback.
    fn is_own(&self) -> bool {
        matches!(self.error, Some(AttemptError::Error(_)))
    }
}

/// Records of the failed attempts up to now.
#[derive(Debug)]
pub(super) struct Records<E> {
    /// The report that may be returned, from the first failure on. Its records are in the order of the attempts: those
    /// of a round may end in another one.
    report: Option<Box<RetryReport<E>>>,
    /// Number of the attempt that ended last.
    last: u64,
    /// How many errors of the callback are kept, the last one included. At least 1.
    errors: usize,
}

impl<E> Records<E> {
    pub(super) fn new() -> Self {
        Self {
            report: None,
            last: 0,
            errors: 1,
        }
    }

    pub(super) fn keep_errors(&mut self, errors: usize) {
        self.errors = errors.max(1);
    }

    fn empty() -> RetryReport<E> {
        RetryReport {
            attempts: 0,
            elapsed: Duration::ZERO,
            hint: None,
            retry_after: None,
            dropped: 0,
            records: Vec::new(),
        }
    }

    fn records(&mut self) -> &mut [AttemptRecord<E>] {
        let report = self.report.as_mut();
        report.map_or(&mut [], |report| &mut report.records)
    }

    /// `own`: whether it failed with an error of the callback.
    pub(super) fn add(&mut self, record: AttemptRecord<E>, own: bool) {
        self.last = record.attempt;
        let report = self.report.get_or_insert_with(|| Self::empty().into());
        if report.records.len() == KEPT {
            // The callback's latest error stays, however many timeouts follow it.
            let latest = report.records.iter().rposition(AttemptRecord::is_own);
            report
                .records
                .remove(if latest == Some(1) && !own { 2 } else { 1 });
            report.dropped += 1;
        }
        let before = |other: &AttemptRecord<E>| other.attempt < record.attempt;
        let place = report.records.partition_point(before);
        report.records.insert(place, record);
    }

    /// Drops the callback's errors but the latest, of which `others` are kept elsewhere.
    #[inline(never)]
    pub(super) fn forget(&mut self, others: usize) {
        let (last, keep) = (self.last, self.errors.saturating_sub(others));
        let records = self.records();
        // The latest error of a round is that of the attempt that ended last, whose record may be before another.
        let is_last = |record: &AttemptRecord<E>| record.attempt == last;
        let mut own = records.iter().filter(|record| record.is_own());
        let mut kept = usize::from(own.any(is_last));
        for record in records.iter_mut().rev().filter(|record| record.is_own()) {
            let is_kept = if is_last(record) {
                keep > 0
            } else {
                kept += 1;
                kept <= keep
            };
            if !is_kept {
                record.error = None;
            }
        }
    }

    /// The last attempt's error, which then is no longer in its record.
    pub(super) fn take_last_error(&mut self) -> Option<AttemptError<E>> {
        let last = self.last;
        let mut records = self.records().iter_mut().rev();
        let record = records.find(|record| record.attempt == last)?;
        record.error.take()
    }

    /// The report of an operation that has ended.
    #[allow(clippy::unnecessary_box_returns)] // It goes on as it is.
    pub(super) fn take(&mut self, ending: Ending) -> Box<RetryReport<E>> {
        let mut report = self.report.take().unwrap_or_else(|| Self::empty().into());
        report.attempts = ending.attempts;
        report.elapsed = ending.elapsed;
        report.hint = ending.hint;
        report.retry_after = ending.retry_after;
        report
    }
}
