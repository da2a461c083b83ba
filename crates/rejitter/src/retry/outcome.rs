//! The two forms of a failed operation: the last error alone, or with its report.

use core::marker::PhantomData;
use core::time::Duration;

use super::nanos::Nanos;
#[cfg(feature = "protection")]
use super::protection::Protected;
use super::report::Records;
use super::rounds::{Bare, Rounds, Single};
use super::{AttemptError, AttemptRecord, RetryError};
use crate::StopReason;

/// Form of an operation's failure: [`Plain`] or [`Reported`].
pub trait Outcome: sealed::Sealed + Sized {
    /// The error that the callback returns.
    type Attempt;

    /// The error that the operation returns.
    type Error;

    /// Protection of the operation: see [`Protect`].
    type Protection: Protect;

    /// Whether it reports times.
    #[doc(hidden)]
    const TIMED: bool;

    /// Whether an operation with it may have a deadline. The compiler leaves out what others need none of.
    #[doc(hidden)]
    const ENDS: bool = true;

    /// The form with a deadline.
    #[doc(hidden)]
    type Timed: Outcome<Attempt = Self::Attempt, Error = Self::Error, Protection = Self::Protection>;

    #[doc(hidden)]
    fn into_timed(self) -> Self::Timed;

    /// How its rounds run.
    #[doc(hidden)]
    type Rounds: Rounds;

    #[doc(hidden)]
    fn deadline(&self) -> Deadline {
        Deadline::NONE
    }

    #[doc(hidden)]
    fn set_deadline(&mut self, deadline: Deadline) {
        let _ = deadline;
    }

    #[cfg(feature = "protection")]
    #[doc(hidden)]
    fn guard(&mut self) -> Option<&mut Protected> {
        None
    }

    #[doc(hidden)]
    fn attempt_timeout(&self) -> Nanos {
        Nanos::NONE
    }

    #[doc(hidden)]
    fn retry_timeouts(&self) -> bool {
        true
    }

    /// Another attempt follows a failed one, whose record has no error. `deadline`: the error may be needed again.
    #[doc(hidden)]
    fn go_on(
        &mut self,
        error: AttemptError<Self::Attempt>,
        record: AttemptRecord<Self::Attempt>,
        deadline: bool,
    );

    /// An attempt is dropped because the operation ends.
    #[doc(hidden)]
    fn cut(
        &mut self,
        error: Option<AttemptError<Self::Attempt>>,
        record: AttemptRecord<Self::Attempt>,
    ) {
        let _ = (error, record);
    }

    /// No attempt follows a failed one.
    #[doc(hidden)]
    fn end(
        &mut self,
        error: AttemptError<Self::Attempt>,
        record: AttemptRecord<Self::Attempt>,
        ending: Ending,
    ) -> Self::Error;

    /// No attempt starts: returns the last attempt's error, or before the first one `error`. `None` if the form
    /// has no place for it.
    #[doc(hidden)]
    fn end_early(
        &mut self,
        error: AttemptError<Self::Attempt>,
        ending: Ending,
    ) -> Option<Self::Error>;

    #[doc(hidden)]
    fn into_reported(self) -> Reported<Self::Attempt, Self::Protection>;
}

/// Protection of an operation's form: `()` for none, `Protected` after `Retry::protection`, `Hedged` after
/// `Retry::hedge`.
pub trait Protect: sealed::Sealed {
    /// How its rounds run.
    #[doc(hidden)]
    type Rounds: Rounds;

    #[cfg(feature = "protection")]
    #[doc(hidden)]
    fn guard(&mut self) -> Option<&mut Protected> {
        None
    }
}

impl Protect for () {
    type Rounds = Single;
}

/// The end of an operation, and what it does to attempts.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// Counted from the operation's start.
    pub(super) after: Nanos,
    pub(super) cuts: Cuts,
}

impl Deadline {
    const NONE: Self = Self {
        after: Nanos::NONE,
        cuts: Cuts::All,
    };
}

/// Running attempts that the deadline ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cuts {
    All,
    /// All but the first, which would leave no error of the callback.
    Later,
    None,
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    #[cfg(feature = "protection")]
    impl Sealed for super::Protected {}
    #[cfg(feature = "protection")]
    impl Sealed for crate::Hedged {}
    impl<E> Sealed for super::Plain<E> {}
    impl<E> Sealed for super::Kept<E> {}
    impl<E, P> Sealed for super::Reported<E, P> {}
}

/// A failed operation returns the callback's last error, an `E`, and keeps no other.
#[derive(Debug)]
pub struct Plain<E>(PhantomData<fn() -> E>);

/// The same, with a deadline that may pass without a new error: see [`Retry::retry_for`](crate::Retry::retry_for) and
/// `BlockingRetry::total_timeout`.
#[derive(Debug)]
pub struct Kept<E> {
    last: Option<E>,
    total_timeout: Nanos,
    cuts: Cuts,
}

/// A failed operation returns a [`RetryError`]: see [`Retry::report`](crate::Retry::report).
///
/// `P` is its protection: see [`Protect`].
#[derive(Debug)]
pub struct Reported<E, P = ()> {
    pub(super) records: Records<E>,
    pub(super) attempt_timeout: Nanos,
    total_timeout: Nanos,
    pub(super) retry_timeouts: bool,
    // Next to the other small one: padding between fields would have to be copied, too.
    cuts: Cuts,
    protection: P,
}

impl<E> Plain<E> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E, P> Reported<E, P> {
    /// The same with a protection, or with another one.
    #[cfg(feature = "protection")]
    pub(crate) fn protected<P2>(self, change: impl FnOnce(P) -> P2) -> Reported<E, P2> {
        Reported {
            records: self.records,
            attempt_timeout: self.attempt_timeout,
            retry_timeouts: self.retry_timeouts,
            total_timeout: self.total_timeout,
            cuts: self.cuts,
            protection: change(self.protection),
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
    pub(super) retry_after: Option<Duration>,
}

impl<E> Outcome for Plain<E> {
    const TIMED: bool = false;
    const ENDS: bool = false;
    type Timed = Kept<E>;
    type Attempt = E;
    type Error = E;
    type Protection = ();
    type Rounds = Bare;

    fn into_timed(self) -> Kept<E> {
        Kept {
            last: None,
            total_timeout: Nanos::NONE,
            cuts: Cuts::Later,
        }
    }

    fn go_on(&mut self, _: AttemptError<E>, _: AttemptRecord<E>, _: bool) {}

    fn end(&mut self, error: AttemptError<E>, _: AttemptRecord<E>, _: Ending) -> E {
        let error = error.into_error();
        error.expect("an attempt without limits ends with an error of the callback")
    }

    fn end_early(&mut self, error: AttemptError<E>, _: Ending) -> Option<E> {
        error.into_error()
    }

    fn into_reported(self) -> Reported<E> {
        Reported {
            records: Records::new(),
            attempt_timeout: Nanos::NONE,
            total_timeout: Nanos::NONE,
            retry_timeouts: true,
            cuts: Cuts::All,
            protection: (),
        }
    }
}

impl<E> Outcome for Kept<E> {
    const TIMED: bool = false;
    type Timed = Self;
    type Attempt = E;
    type Error = E;
    type Protection = ();
    type Rounds = Single;

    fn into_timed(self) -> Self {
        self
    }

    fn deadline(&self) -> Deadline {
        Deadline {
            after: self.total_timeout,
            cuts: self.cuts,
        }
    }

    fn set_deadline(&mut self, Deadline { after, cuts }: Deadline) {
        (self.total_timeout, self.cuts) = (after, cuts);
    }

    fn go_on(&mut self, error: AttemptError<E>, _: AttemptRecord<E>, deadline: bool) {
        self.last = error.into_error().filter(|_| deadline);
    }

    fn end(&mut self, error: AttemptError<E>, _: AttemptRecord<E>, _: Ending) -> E {
        let error = error.into_error().or_else(|| self.last.take());
        error.expect("an attempt is ended only after one that failed")
    }

    fn end_early(&mut self, _: AttemptError<E>, _: Ending) -> Option<E> {
        self.last.take()
    }

    fn into_reported(self) -> Reported<E> {
        Reported {
            total_timeout: self.total_timeout,
            cuts: self.cuts,
            ..Plain::new().into_reported()
        }
    }
}

impl<E, P: Protect> Outcome for Reported<E, P> {
    const TIMED: bool = true;
    type Timed = Self;
    type Attempt = E;
    type Error = RetryError<E>;
    type Protection = P;
    type Rounds = P::Rounds;

    fn into_timed(self) -> Self {
        self
    }

    fn deadline(&self) -> Deadline {
        Deadline {
            after: self.total_timeout,
            cuts: self.cuts,
        }
    }

    fn set_deadline(&mut self, Deadline { after, cuts }: Deadline) {
        (self.total_timeout, self.cuts) = (after, cuts);
    }

    #[cfg(feature = "protection")]
    fn guard(&mut self) -> Option<&mut Protected> {
        self.protection.guard()
    }

    fn attempt_timeout(&self) -> Nanos {
        self.attempt_timeout
    }

    fn retry_timeouts(&self) -> bool {
        self.retry_timeouts
    }

    fn go_on(&mut self, error: AttemptError<E>, record: AttemptRecord<E>, _: bool) {
        let own = error.error().is_some();
        self.records.add(record.with(Some(error)), own);
        self.records.forget(0);
    }

    fn cut(&mut self, error: Option<AttemptError<E>>, record: AttemptRecord<E>) {
        self.records.add(record.with(error), false);
    }

    fn end(
        &mut self,
        error: AttemptError<E>,
        record: AttemptRecord<E>,
        ending: Ending,
    ) -> RetryError<E> {
        self.records.add(record, error.error().is_some());
        self.finish(error, ending)
    }

    fn end_early(&mut self, error: AttemptError<E>, ending: Ending) -> Option<RetryError<E>> {
        let error = self.records.take_last_error().unwrap_or(error);
        Some(self.finish(error, ending))
    }

    fn into_reported(self) -> Self {
        self
    }
}

impl<E, P> Reported<E, P> {
    fn finish(&mut self, error: AttemptError<E>, ending: Ending) -> RetryError<E> {
        self.records.forget(usize::from(error.error().is_some()));
        RetryError {
            error,
            reason: ending.reason,
            report: self.records.take(ending),
        }
    }
}
