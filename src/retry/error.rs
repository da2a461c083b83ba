//! How an operation fails: the last error as it was, the reason, and the report.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use super::RetryReport;
use crate::StopReason;

/// How one attempt failed: with an error of the operation's own, or for lack of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttemptError<E> {
    /// The error that the operation returned, untouched.
    Error(E),
    /// The attempt outlived [`Retry::attempt_timeout`](crate::Retry::attempt_timeout).
    TimedOut {
        /// That timeout.
        after: Duration,
    },
    /// The operation's deadline passed during the attempt: see
    /// [`Retry::total_timeout`](crate::Retry::total_timeout).
    DeadlinePassed {
        /// The operation's total timeout.
        after: Duration,
    },
}

impl<E> AttemptError<E> {
    /// The operation's own error; `None` when time ran out.
    #[must_use]
    pub fn error(&self) -> Option<&E> {
        match self {
            Self::Error(error) => Some(error),
            _ => None,
        }
    }

    /// The operation's own error by value; `None` when time ran out.
    #[must_use]
    pub fn into_error(self) -> Option<E> {
        match self {
            Self::Error(error) => Some(error),
            _ => None,
        }
    }
}

impl<E: fmt::Display> fmt::Display for AttemptError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            other => other.fmt_timeout(f),
        }
    }
}

impl<E> AttemptError<E> {
    /// Writes the message that needs no error of the operation.
    fn fmt_timeout(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(_) => Ok(()),
            Self::TimedOut { after } => write!(f, "the attempt timed out after {after:?}"),
            Self::DeadlinePassed { after } => {
                write!(f, "the operation timed out after {after:?}")
            }
        }
    }
}

impl<E: Error> Error for AttemptError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // An own error shows itself above, so what is below it comes next.
        self.error().and_then(Error::source)
    }
}

/// An operation that ended without success.
///
/// [`Display`](fmt::Display) says how many attempts there were and why it ended; the operation's
/// own error is the [`source`](Error::source), as `anyhow`, `eyre` and others show it.
///
/// Implements [`Error`] if `E` does. `String`, `anyhow::Error` and
/// `Box<dyn Error>` do not, so with those use `?` on the extracted error, such as
/// [`into_own_error`](Self::into_own_error).
///
/// ```ignore-wasm32
/// use rejitter::{RetryOptions, RetryPolicy, Seed, StopReason, retry_blocking};
/// use std::io;
///
/// let policy = RetryPolicy::new(RetryOptions {
///     base_ms: Some(1.0),
///     max_attempts: Some(3),
///     ..RetryOptions::default()
/// })?;
/// let failed = retry_blocking(policy, || Err::<(), _>(io::Error::other("no route")))
///     .call()
///     .unwrap_err();
///
/// assert_eq!(failed.reason, StopReason::Exhausted);
/// assert_eq!(failed.report.attempts, 3);
/// assert_eq!(failed.to_string(), "gave up after 3 attempts (exhausted)");
/// let own: io::Error = failed.into_own_error().unwrap();
/// assert_eq!(own.to_string(), "no route");
/// # Ok::<(), rejitter::OptionErrors>(())
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
    /// How the kept attempts failed, from the first to the last.
    pub fn errors(&self) -> impl Iterator<Item = &AttemptError<E>> {
        let earlier = self
            .report
            .records
            .iter()
            .filter_map(|record| record.error.as_ref());
        earlier.chain([&self.error])
    }

    /// The latest error of the operation's own, which is that of the last attempt unless time
    /// ran out; `None` if no kept attempt has one.
    #[must_use]
    pub fn own_error(&self) -> Option<&E> {
        self.errors().filter_map(AttemptError::error).last()
    }

    /// [`own_error`](Self::own_error) by value.
    #[must_use]
    pub fn into_own_error(self) -> Option<E> {
        let earlier = self
            .report
            .records
            .into_iter()
            .filter_map(|record| record.error);
        earlier
            .chain([self.error])
            .filter_map(AttemptError::into_error)
            .last()
    }
}

impl<E> fmt::Display for RetryError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempts = self.report.attempts;
        let plural = if attempts == 1 { "" } else { "s" };
        write!(
            f,
            "gave up after {attempts} attempt{plural} ({})",
            self.reason
        )?;
        if self.error.error().is_none() {
            f.write_str(": ")?;
            self.error.fmt_timeout(f)?;
        }
        Ok(())
    }
}

impl<E: Error + 'static> Error for RetryError<E> {
    /// [`own_error`](RetryError::own_error): where time ran out, what failed before.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.own_error().map(|error| error as _)
    }
}
