//! The caller's decisions about an error.

use core::time::Duration;

/// The decision of [`Retry::when`](crate::Retry::when) about an error. A `bool` converts into it:
/// `true` is [`Verdict::Retry`], `false` is [`Verdict::Stop`].
///
/// ```
/// use rejitter::Verdict;
/// use std::time::Duration;
///
/// fn verdict(status: u16) -> Verdict {
///     match status {
///         401 => Verdict::RetryExactly(Duration::ZERO), // at once, with a fresh token
///         429 => Verdict::RetryAtLeast(Duration::from_secs(1)),
///         500.. => Verdict::Retry,
///         _ => Verdict::Stop,
///     }
/// }
/// assert_eq!(verdict(404), false.into());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// No further attempt: the operation ends with
    /// [`StopReason::NotRetryable`](crate::StopReason::NotRetryable).
    Stop,
    /// A further attempt, if any is left, after the wait that the policy or a hint sets.
    Retry,
    /// A further attempt, if any is left, after exactly this wait, neither capped nor jittered. Zero
    /// retries at once. The wait must still end before the deadline. JavaScript: `{ afterMs }`.
    RetryExactly(Duration),
    /// A further attempt, if any is left, after at least this wait, as if
    /// [`Retry::hint`](crate::Retry::hint) had returned it: jittered upwards, never shorter than the
    /// policy's own wait, and bounded by the policy's `max_retry_after`. JavaScript: `retryAfter(ms)`.
    RetryAtLeast(Duration),
}

#[cfg(feature = "protection")]
/// Meaning of an error for the destination, used by a [`Protection`](crate::Protection): the return value of
/// [`Retry::signal`](crate::Retry::signal).
///
/// ```
/// use rejitter::Signal;
/// use std::time::Duration;
///
/// fn signal(status: u16) -> Signal {
///     match status {
///         429 => Signal::Busy(Duration::from_secs(1)), // holds all who share a cooldown
///         408 | 500 | 502.. => Signal::Failure,
///         _ => Signal::Success, // 404 is an answer
///     }
/// }
/// # let _ = [429, 503, 404].map(signal);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// It does not work. The default for errors that [`Verdict::Retry`] and [`Verdict::RetryExactly`] answer.
    Failure,
    /// It works.
    Success,
    /// Nothing: the error is that of the caller. The default for errors that [`Verdict::Stop`] answers.
    Nothing,
    /// It asks for fewer requests, and for this wait. Starts the cooldown, unless the wait is zero. Says nothing to
    /// the breaker. The default for errors that [`Verdict::RetryAtLeast`] answers.
    Busy(Duration),
}

#[cfg(feature = "protection")]
impl From<Verdict> for Signal {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Stop => Self::Nothing,
            Verdict::Retry | Verdict::RetryExactly(_) => Self::Failure,
            Verdict::RetryAtLeast(hint) => Self::Busy(hint),
        }
    }
}

impl From<bool> for Verdict {
    fn from(retry: bool) -> Self {
        if retry { Self::Retry } else { Self::Stop }
    }
}

/// A [`Verdict`], or a value that converts into one, as predicates return it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether to retry",
    label = "must return a `bool` or a `Verdict`"
)]
pub trait IntoVerdict {
    fn into_verdict(self) -> Verdict;
}

#[diagnostic::do_not_recommend]
impl<V: Into<Verdict>> IntoVerdict for V {
    fn into_verdict(self) -> Verdict {
        self.into()
    }
}
