//! The two forms of a failed operation: the last error alone, or with its report.

use std::time::Duration;

use super::report::Records;
use super::{AttemptError, AttemptRecord, RetryError, RetryReport};
use crate::StopReason;

/// Form of an operation's failure: [`Plain`] or [`Reported`].
pub trait Outcome: sealed::Sealed + Sized {
    /// The error that the callback returns.
    type Attempt;

    /// The error that the operation returns.
    type Error;

    /// Whether it reports times.
    #[doc(hidden)]
    const TIMED: bool;

    /// Whether the deadline ends a first attempt, which leaves no error of the callback.
    #[doc(hidden)]
    const CUTS_FIRST: bool;

    #[doc(hidden)]
    fn attempt_timeout(&self) -> Option<Duration> {
        None
    }

    #[doc(hidden)]
    fn retry_timeouts(&self) -> bool {
        true
    }

    /// Another attempt follows a failed one. `deadline`: the error may be needed again.
    #[doc(hidden)]
    fn go_on(&mut self, error: AttemptError<Self::Attempt>, facts: Facts, deadline: bool);

    /// No attempt follows a failed one.
    #[doc(hidden)]
    fn end(
        &mut self,
        error: AttemptError<Self::Attempt>,
        facts: Facts,
        ending: Ending,
    ) -> Self::Error;

    /// The deadline passed during a wait.
    #[doc(hidden)]
    fn end_late(&mut self, ending: Ending) -> Option<Self::Error>;

    #[doc(hidden)]
    fn into_reported(self) -> Reported<Self::Attempt>;
}

mod sealed {
    pub trait Sealed {}
    impl<E> Sealed for super::Plain<E> {}
    impl<E> Sealed for super::Reported<E> {}
}

/// A failed operation returns the callback's last error, an `E`, and keeps no other.
#[derive(Debug)]
pub struct Plain<E> {
    /// For the deadline, which may pass without a new error.
    last: Option<E>,
}

/// A failed operation returns a [`RetryError`]: see [`Retry::report`](crate::Retry::report).
#[derive(Debug)]
pub struct Reported<E> {
    records: Records<E>,
    attempt_timeout: Option<Duration>,
    retry_timeouts: bool,
}

impl<E> Plain<E> {
    pub(super) fn new() -> Self {
        Self { last: None }
    }
}

impl<E> Reported<E> {
    pub(super) fn set_attempt_timeout(&mut self, timeout: Duration) {
        self.attempt_timeout = Some(timeout);
    }

    pub(super) fn set_retry_timeouts(&mut self, retry: bool) {
        self.retry_timeouts = retry;
    }

    pub(super) fn keep_errors(&mut self, errors: usize) {
        self.records.keep_errors(errors);
    }
}

/// A failed attempt, without its error.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    pub(super) attempt: u64,
    pub(super) start: Duration,
    pub(super) duration: Duration,
    pub(super) delay: Option<Duration>,
}

impl Facts {
    fn with<E>(self, error: Option<AttemptError<E>>) -> AttemptRecord<E> {
        AttemptRecord {
            attempt: self.attempt,
            error,
            start: self.start,
            duration: self.duration,
            delay: self.delay,
        }
    }
}

/// The end of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Ending {
    pub(super) reason: StopReason,
    pub(super) attempts: u64,
    pub(super) elapsed: Duration,
    pub(super) hint: Option<Duration>,
}

impl<E> Outcome for Plain<E> {
    const TIMED: bool = false;
    const CUTS_FIRST: bool = false;
    type Attempt = E;
    type Error = E;

    fn go_on(&mut self, error: AttemptError<E>, _: Facts, deadline: bool) {
        self.last = error.into_error().filter(|_| deadline);
    }

    fn end(&mut self, error: AttemptError<E>, _: Facts, _: Ending) -> E {
        let error = error.into_error().or_else(|| self.last.take());
        error.expect("an attempt is ended only after one that failed")
    }

    fn end_late(&mut self, _: Ending) -> Option<E> {
        self.last.take()
    }

    fn into_reported(self) -> Reported<E> {
        Reported {
            records: Records::new(),
            attempt_timeout: None,
            retry_timeouts: true,
        }
    }
}

impl<E> Outcome for Reported<E> {
    const TIMED: bool = true;
    const CUTS_FIRST: bool = true;
    type Attempt = E;
    type Error = RetryError<E>;

    fn attempt_timeout(&self) -> Option<Duration> {
        self.attempt_timeout
    }

    fn retry_timeouts(&self) -> bool {
        self.retry_timeouts
    }

    fn go_on(&mut self, error: AttemptError<E>, facts: Facts, _: bool) {
        self.records.add(facts.with(Some(error)));
        self.records.forget(0);
    }

    fn end(&mut self, error: AttemptError<E>, facts: Facts, ending: Ending) -> RetryError<E> {
        self.records.add(facts.with(None));
        self.finish(error, ending)
    }

    fn end_late(&mut self, ending: Ending) -> Option<RetryError<E>> {
        let error = self.records.take_last_error()?;
        Some(self.finish(error, ending))
    }

    fn into_reported(self) -> Self {
        self
    }
}

impl<E> Reported<E> {
    fn finish(&mut self, error: AttemptError<E>, ending: Ending) -> RetryError<E> {
        self.records.forget(usize::from(error.error().is_some()));
        let (records, dropped) = self.records.take();
        RetryError {
            error,
            reason: ending.reason,
            report: Box::new(RetryReport {
                attempts: ending.attempts,
                elapsed: ending.elapsed,
                hint: ending.hint,
                dropped,
                records,
            }),
        }
    }
}
