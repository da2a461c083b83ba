//! The forms of a failed operation: the last error alone, with or without limits, or with its report.

use core::marker::PhantomData;

use super::limits::{Cuts, Limits, MaybeLimits};
use super::nanos::Nanos;
use super::protect::{Protect, sealed};
#[cfg(feature = "protection")]
use super::protection::Protected;
use super::report::{Ending, Records};
use super::{AttemptError, AttemptRecord, RetryError};

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

    /// The limits that there may be.
    #[doc(hidden)]
    type Limits: MaybeLimits;

    #[doc(hidden)]
    fn limits(&self) -> Self::Limits;

    /// The form with limits.
    #[doc(hidden)]
    type Limited: Outcome<Attempt = Self::Attempt, Error = Self::Error, Protection = Self::Protection>;

    #[doc(hidden)]
    fn limited(self, change: impl FnOnce(&mut Limits)) -> Self::Limited;

    #[doc(hidden)]
    fn into_reported(self) -> Reported<Self::Attempt, Self::Protection>;

    #[cfg(feature = "protection")]
    #[doc(hidden)]
    fn guard(&mut self) -> Option<&mut Protected> {
        None
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
}

impl<E> sealed::Sealed for Plain<E> {}
impl<E> sealed::Sealed for Kept<E> {}
impl<E, P> sealed::Sealed for Reported<E, P> {}

/// A failed operation returns the callback's last error, an `E`, and keeps no other.
#[derive(Debug)]
pub struct Plain<E>(PhantomData<fn() -> E>);

/// The same, with a deadline that may pass without a new error: see [`Retry::retry_for`](crate::Retry::retry_for) and
/// `BlockingRetry::total_timeout`.
#[derive(Debug)]
pub struct Kept<E> {
    last: Option<E>,
    total: Nanos,
    cuts: Cuts,
}

/// A failed operation returns a [`RetryError`]: see [`Retry::report`](crate::Retry::report).
///
/// `P` is its protection: see [`Protect`].
#[derive(Debug)]
pub struct Reported<E, P = ()> {
    pub(super) records: Records<E>,
    pub(super) limits: Limits,
    protection: P,
}

impl<E> Plain<E> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E> Outcome for Plain<E> {
    const TIMED: bool = false;
    type Attempt = E;
    type Error = E;
    type Protection = ();
    type Limits = ();
    type Limited = Kept<E>;

    #[inline]
    fn limits(&self) {}

    fn limited(self, change: impl FnOnce(&mut Limits)) -> Kept<E> {
        let (last, total, cuts) = (None, Nanos::NONE, Cuts::All);
        Kept { last, total, cuts }.limited(change)
    }

    fn into_reported(self) -> Reported<E> {
        self.limited(|_| ()).into_reported()
    }

    fn go_on(&mut self, _: AttemptError<E>, _: AttemptRecord<E>, _: bool) {}

    fn end(&mut self, error: AttemptError<E>, _: AttemptRecord<E>, _: Ending) -> E {
        let error = error.into_error();
        error.expect("an attempt without limits ends with an error of the callback")
    }

    fn end_early(&mut self, error: AttemptError<E>, _: Ending) -> Option<E> {
        error.into_error()
    }
}

impl<E> Outcome for Kept<E> {
    const TIMED: bool = false;
    type Attempt = E;
    type Error = E;
    type Protection = ();
    type Limits = Limits;
    type Limited = Self;

    #[inline]
    fn limits(&self) -> Limits {
        Limits {
            total: self.total,
            cuts: self.cuts,
            ..Limits::NONE
        }
    }

    fn limited(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = self.limits();
        change(&mut limits);
        (self.total, self.cuts) = (limits.total, limits.cuts);
        self
    }

    fn into_reported(self) -> Reported<E> {
        Reported {
            records: Records::new(),
            limits: self.limits(),
            protection: (),
        }
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
}

impl<E, P: Protect> Outcome for Reported<E, P> {
    const TIMED: bool = true;
    type Attempt = E;
    type Error = RetryError<E>;
    type Protection = P;
    type Limits = Limits;
    type Limited = Self;

    #[inline]
    fn limits(&self) -> Limits {
        self.limits
    }

    fn limited(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    fn into_reported(self) -> Self {
        self
    }

    #[cfg(feature = "protection")]
    fn guard(&mut self) -> Option<&mut Protected> {
        self.protection.guard()
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
}

impl<E, P> Reported<E, P> {
    /// The same with a protection, or with another one.
    #[cfg(feature = "protection")]
    pub(crate) fn protected<P2>(self, change: impl FnOnce(P) -> P2) -> Reported<E, P2> {
        Reported {
            records: self.records,
            limits: self.limits,
            protection: change(self.protection),
        }
    }

    fn finish(&mut self, error: AttemptError<E>, ending: Ending) -> RetryError<E> {
        self.records.forget(usize::from(error.error().is_some()));
        RetryError {
            error,
            reason: ending.reason,
            report: self.records.take(ending),
        }
    }
}
