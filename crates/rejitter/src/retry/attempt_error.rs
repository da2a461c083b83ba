//! How one attempt fails: with the error of the callback as it was, or because it was ended or rejected.

use core::convert::Infallible;
use core::error::Error;
use core::fmt;
use core::time::Duration;

#[cfg(feature = "protection")]
use crate::StopReason;

/// Time ran out: an attempt was dropped before it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TimeoutError {
    /// The attempt outlived [`Retry::attempt_timeout`](crate::Retry::attempt_timeout).
    Attempt {
        /// That timeout.
        after: Duration,
    },
    /// The operation's deadline passed during the attempt: see
    /// [`Retry::total_timeout`](crate::Retry::total_timeout).
    Deadline {
        /// The operation's total timeout.
        after: Duration,
    },
}

impl fmt::Display for TimeoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attempt { after } => write!(f, "the attempt timed out after {after:?}"),
            Self::Deadline { after } => write!(f, "the operation timed out after {after:?}"),
        }
    }
}

impl Error for TimeoutError {}

#[cfg(feature = "protection")]
/// A [`Protection`](crate::Protection) rejected the first attempt of an operation: nothing was sent.
///
/// It has no source: the failure that opened a circuit is that of another operation, of any type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedError {
    /// The part that rejected it: [`StopReason::Breaker`], [`StopReason::Cooldown`] or [`StopReason::Limiter`].
    pub by: StopReason,
    /// Time until asking again makes sense: when the circuit becomes half-open, the cooldown ends, or the limiter might
    /// let it start. [`Duration::MAX`] if the circuit was opened by hand until it is closed, or the limiter drained.
    pub retry_after: Duration,
    /// The key of the destination, if [`Protection::for_key`](crate::Protection::for_key) gave it one.
    pub key: Option<alloc::sync::Arc<str>>,
}

#[cfg(feature = "protection")]
impl fmt::Display for RejectedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.by {
            StopReason::Breaker => "the circuit is open",
            StopReason::Limiter => "too many attempts wait",
            _ => "the server asked to wait",
        };
        write!(f, "rejected by {}", self.by.as_str())?;
        if let Some(key) = &self.key {
            write!(f, " of {key}")?;
        }
        // Until it is closed by hand, asking again makes no sense.
        if self.retry_after < Duration::MAX {
            write!(f, " for {:.1} s", self.retry_after.as_secs_f64())?;
        }
        write!(f, ": {why}")
    }
}

#[cfg(feature = "protection")]
impl Error for RejectedError {}

/// How one attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttemptError<E> {
    /// The error that the callback returned, untouched.
    Error(E),
    /// The attempt was dropped, because its time ran out.
    Timeout(TimeoutError),
    #[cfg(feature = "protection")]
    /// A [`Protection`](crate::Protection) rejected the operation's first attempt.
    Rejected(RejectedError),
}

impl<E> AttemptError<E> {
    /// The callback's own error. `None` if time ran out, or the attempt was rejected.
    #[must_use]
    pub fn error(&self) -> Option<&E> {
        match self {
            Self::Error(error) => Some(error),
            _ => None,
        }
    }

    /// The callback's own error by value. `None` if time ran out, or the attempt was rejected.
    #[must_use]
    pub fn into_error(self) -> Option<E> {
        self.into_own().ok()
    }

    /// The callback's own error, or else what happened instead.
    pub(super) fn into_own(self) -> Result<E, AttemptError<Infallible>> {
        match self {
            Self::Error(error) => Ok(error),
            Self::Timeout(timeout) => Err(AttemptError::Timeout(timeout)),
            #[cfg(feature = "protection")]
            Self::Rejected(rejected) => Err(AttemptError::Rejected(rejected)),
        }
    }
}

impl<E: fmt::Display> fmt::Display for AttemptError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::Timeout(timeout) => timeout.fmt(f),
            #[cfg(feature = "protection")]
            Self::Rejected(rejected) => rejected.fmt(f),
        }
    }
}

impl<E: Error> Error for AttemptError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // The callback's error prints itself above, so the next in the chain is its source.
        self.error().and_then(Error::source)
    }
}
