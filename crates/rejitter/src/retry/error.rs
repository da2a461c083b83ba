//! How an operation fails: the last error, the reason, and the report.

use alloc::boxed::Box;
use core::any::Any;
use core::convert::Infallible;
use core::error::Error;
use core::fmt;

use super::{AttemptError, RetryReport};
use crate::StopReason;

/// An operation that ended without success, after [`Retry::report`](crate::Retry::report), a timeout or
/// [`Retry::protection`](crate::Retry::protection).
///
/// [`Display`](fmt::Display) starts with the last error itself, in its longer form with `{:#}`. It implements
/// [`Error`] if the callback's error does. The message holds that error, so the chain goes on with the
/// [`source`](Error::source) of that. [`into_inner`](Self::into_inner) returns the callback's error alone.
///
/// | the callback's error | what passes it on |
/// |---|---|
/// | any [`Error`] | `.await?` |
/// | `String`, `&str`, `Box<dyn Error>` | `.await.map_err(RetryError::into_boxed)?` |
/// | `anyhow::Error`, `eyre::Report` | `.await.map_err(RetryError::chained)?` |
///
/// ```ignore-wasm32
/// use rejitter::{RetryPolicy, StopReason, retry_blocking};
/// use std::io;
/// use std::time::Duration;
///
/// const POLICY: RetryPolicy =
///     RetryPolicy::fixed(Duration::from_millis(1)).with_max_attempts(3);
/// let failed = retry_blocking(POLICY, || Err::<(), _>(io::Error::other("no route")))
///     .report()
///     .call()
///     .unwrap_err();
///
/// assert_eq!(failed.reason, StopReason::Exhausted);
/// assert_eq!(failed.report.attempts, 3);
/// assert_eq!(failed.to_string(), "no route (after 3 attempts: exhausted)");
/// let own: io::Error = failed.into_inner()?;
/// assert_eq!(own.to_string(), "no route");
/// # Ok::<(), rejitter::AttemptError<std::convert::Infallible>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryError<E> {
    /// How the last attempt failed.
    pub error: AttemptError<E>,
    /// Reason why the operation stopped retrying.
    pub reason: StopReason,
    /// The report of all attempts.
    pub report: Box<RetryReport<E>>,
}

impl<E> RetryError<E> {
    /// How the attempts failed whose errors were kept, from the first to the last: see
    /// [`Retry::keep_errors`](crate::Retry::keep_errors).
    pub fn errors(&self) -> impl Iterator<Item = &AttemptError<E>> {
        let earlier = self.report.records.iter();
        earlier
            .filter_map(|record| record.error.as_ref())
            .chain([&self.error])
    }

    #[cfg(feature = "protection")]
    /// The part of the [`Protection`](crate::Protection) that rejected the first attempt:
    /// [`StopReason::Breaker`], [`StopReason::Cooldown`] or [`StopReason::Limiter`]. `None` if an attempt was made,
    /// also if a protection rejected the next one.
    #[must_use]
    pub fn rejected_by(&self) -> Option<StopReason> {
        match &self.error {
            AttemptError::Rejected(rejected) => Some(rejected.by),
            _ => None,
        }
    }

    /// The latest error of the callback. It is the last attempt's unless time ran out. `None` if no
    /// attempt returned an error.
    #[must_use]
    pub fn own_error(&self) -> Option<&E> {
        self.errors().filter_map(AttemptError::error).last()
    }

    /// Returns the latest error of the callback by value, as [`own_error`](Self::own_error).
    ///
    /// # Errors
    /// If no attempt returned an error, because time ran out in all of them, or a protection rejected the
    /// first: the last timeout, or the rejection.
    pub fn into_inner(self) -> Result<E, AttemptError<Infallible>> {
        self.error.into_own().or_else(|other| {
            let earlier = self.report.records.into_iter().rev();
            earlier
                .filter_map(|record| record.error)
                .find_map(AttemptError::into_error)
                .ok_or(other)
        })
    }
}

impl<E: AsRef<dyn Error + Send + Sync> + Send + Sync + fmt::Debug + fmt::Display> RetryError<E> {
    /// The same as an [`Error`], for callbacks whose error holds one without being one: `anyhow::Error`,
    /// `eyre::Report`, `Box<dyn Error + Send + Sync>`.
    ///
    /// ```ignore-wasm32
    /// use anyhow::Context;
    /// use rejitter::{RetryError, RetryPolicy, retry_blocking};
    ///
    /// fn number(text: &str) -> anyhow::Result<u8> {
    ///     let parse = || text.parse().context("reading the port");
    ///     let number = retry_blocking(RetryPolicy::no_retries(), parse).report().call();
    ///     Ok(number.map_err(RetryError::chained)?)
    /// }
    ///
    /// assert_eq!(
    ///     format!("{:#}", number("x").unwrap_err()),
    ///     "reading the port (after 1 attempt: exhausted): invalid digit found in string"
    /// );
    /// ```
    pub fn chained(self) -> impl Error + Send + Sync {
        Sourced(self, |own| own.as_ref().source())
    }
}

impl<E: fmt::Debug + fmt::Display + 'static> RetryError<E> {
    /// The same as an [`Error`] that `?` passes on, for callbacks whose error does not implement it: `String`, `&str`,
    /// `Box<dyn Error>`. It can be sent to other threads if the callback's error can.
    ///
    /// ```ignore-wasm32
    /// use rejitter::{RetryError, RetryPolicy, retry_blocking};
    /// use std::error::Error;
    ///
    /// fn answer() -> Result<u8, Box<dyn Error>> {
    ///     let busy = || Err::<u8, _>("busy");
    ///     let answer = retry_blocking(RetryPolicy::no_retries(), busy).report().call();
    ///     Ok(answer.map_err(RetryError::into_boxed)?)
    /// }
    ///
    /// assert_eq!(answer().unwrap_err().to_string(), "busy (after 1 attempt: exhausted)");
    /// ```
    #[must_use]
    pub fn into_boxed(self) -> Box<impl Error + use<E>> {
        Box::new(Sourced(self, source_in_box))
    }
}

/// A [`RetryError`] as an [`Error`] where the callback's error does not implement it: a function finds its source.
struct Sourced<E>(RetryError<E>, fn(&E) -> Option<&(dyn Error + 'static)>);

impl<E: fmt::Debug> fmt::Debug for Sourced<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: fmt::Display> fmt::Display for Sourced<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: fmt::Debug + fmt::Display> Error for Sourced<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.own_error().and_then(self.1)
    }
}

/// The source of an error in a box.
fn source_in_box<E: 'static>(own: &E) -> Option<&(dyn Error + 'static)> {
    let own: &dyn Any = own;
    match own.downcast_ref::<Box<dyn Error>>() {
        Some(boxed) => boxed.source(),
        None => own.downcast_ref::<Box<dyn Error + Send + Sync>>()?.source(),
    }
}

/// The error itself, the number of attempts and the reason: `no route (after 3 attempts: exhausted)`. If
/// time ran out, also the callback's error before. The rejection alone if there was no attempt.
impl<E: fmt::Display> fmt::Display for RetryError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In the form that the caller asked for.
        self.error.fmt(f)?;
        #[cfg(feature = "protection")]
        if self.rejected_by().is_some() {
            return Ok(());
        }
        let attempts = self.report.attempts;
        let plural = if attempts == 1 { "" } else { "s" };
        write!(f, " (after {attempts} attempt{plural}: {}", self.reason)?;
        if let (None, Some(before)) = (self.error.error(), self.own_error()) {
            f.write_str("; before: ")?;
            before.fmt(f)?;
        }
        f.write_str(")")
    }
}

impl<E: Error> Error for RetryError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The message holds the error itself.
        self.own_error().and_then(Error::source)
    }
}
