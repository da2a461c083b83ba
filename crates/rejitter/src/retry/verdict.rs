//! The caller's decisions about an error.

use core::time::Duration;

use super::sleeper::LONGEST;

/// The decision of [`Retry::when`](crate::Retry::when) about an error. A `bool` converts into it:
/// `true` is [`Verdict::Retry`], `false` is [`Verdict::Stop`].
///
/// An error can be worth another attempt although its destination works. The parts of a protection take each error
/// that is retried for a failure of the destination, unless [`Retry::signal`](crate::Retry::signal) tells otherwise:
/// a server that answers 401 works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// No further attempt: the operation ends with
    /// [`StopReason::NotRetryable`](crate::StopReason::NotRetryable).
    Stop,
    /// A further attempt, if any is left, after the wait that the policy or a hint sets.
    Retry,
    /// A further attempt, if any is left, after exactly this wait, neither capped nor jittered, of 2^53 − 1 ms at
    /// most. Zero retries at once. The wait must still end before the deadline. JavaScript: `{ afterMs }`.
    RetryExactly(Duration),
    /// A further attempt, if any is left, after at least this wait, as if
    /// [`Retry::hint`](crate::Retry::hint) had returned it: jittered upwards, never shorter than the
    /// policy's own wait, and bounded by the policy's `max_retry_after`. JavaScript: `retryAfter(ms)`.
    RetryAtLeast(Duration),
    /// A further attempt after the policy's wait, and a new row of attempts, because this one made progress: it gained
    /// what the next one need not do again, such as a part of a download. `max_attempts` counts from this failure as
    /// attempt 1, so an operation that makes progress each time never ends for want of attempts: set a deadline.
    /// JavaScript: `attempt.progress()`.
    ///
    /// The waits begin again, too, if the attempt took at least as long as the ceiling of the last wait, and
    /// without a clock only where that is zero. Otherwise they go on growing: a server that sends one byte and cuts the
    /// connection gets no more requests than one that rejects them. Attempts go on being numbered.
    ///
    /// Example: [`guide::progress`](crate::guide::progress).
    RetryAnew,
}

#[cfg(feature = "protection")]
/// Meaning of an error for the destination, used by a [`Protection`](crate::Protection): the return value of
/// [`Retry::signal`](crate::Retry::signal).
///
/// ```
/// use rejitter::Signal;
/// use std::time::Duration;
///
/// fn signal(status: u16, retry_after: Option<Duration>) -> Signal {
///     match (status, retry_after) {
///         (429, Some(wait)) => Signal::Busy(wait), // holds all who share a cooldown
///         _ => Signal::of_status(status),
///     }
/// }
/// assert_eq!(signal(503, None), Signal::Failure);
/// assert_eq!(signal(404, None), Signal::Declined); // the server works
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// It does not work. A retry takes tokens of the budget. The default for errors that [`Verdict::Retry`],
    /// [`Verdict::RetryAnew`] and [`Verdict::RetryExactly`] answer. A timeout is a failure, too.
    Failure,
    /// It works, and the error is its answer, such as "not yet" of a poll. Another attempt takes no token, and counts
    /// as the first attempt of an operation.
    Success,
    /// It works, but declined the request, such as with the status 401 or 404. A success to the breaker, whose retry
    /// takes tokens of the budget as after a failure.
    Declined,
    /// Nothing: the error is that of the caller. Another attempt takes no token, and counts as the first attempt of
    /// an operation. The default for errors that [`Verdict::Stop`] answers.
    Nothing,
    /// It asks for fewer requests, and for this wait; with zero, for that of [`Retry::hint`](crate::Retry::hint).
    /// Starts the cooldown, unless neither asks for a wait. Says nothing to the breaker. A retry takes tokens of the
    /// budget. The default for errors that [`Verdict::RetryAtLeast`] answers.
    Busy(Duration),
}

#[cfg(feature = "protection")]
impl Signal {
    /// Returns the meaning of an HTTP status: [`Signal::Failure`] for 408 and 5xx except 501 and 505,
    /// [`Signal::Busy`] with a wait of zero for 429, [`Signal::Declined`] for all others.
    ///
    /// ```
    /// use rejitter::Signal;
    /// use std::time::Duration;
    ///
    /// assert_eq!(Signal::of_status(500), Signal::Failure);
    /// assert_eq!(Signal::of_status(401), Signal::Declined);
    /// assert_eq!(Signal::of_status(429), Signal::Busy(Duration::ZERO));
    /// ```
    #[must_use]
    pub const fn of_status(status: u16) -> Self {
        match status {
            408 | 500 | 502..=504 | 506..=599 => Self::Failure,
            429 => Self::Busy(Duration::ZERO),
            _ => Self::Declined,
        }
    }

    /// Whether the destination works.
    pub(crate) const fn is_success(self) -> bool {
        matches!(self, Self::Success | Self::Declined)
    }
}

#[cfg(feature = "protection")]
impl From<Verdict> for Signal {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Stop => Self::Nothing,
            Verdict::Retry | Verdict::RetryAnew | Verdict::RetryExactly(_) => Self::Failure,
            Verdict::RetryAtLeast(hint) => Self::Busy(hint),
        }
    }
}

impl Verdict {
    /// The exact wait that the caller demands, and the hint.
    pub(super) fn waits(self) -> (Option<Duration>, Option<Duration>) {
        match self {
            Self::RetryExactly(delay) => (Some(delay.min(LONGEST)), None),
            Self::RetryAtLeast(delay) => (None, Some(delay)),
            Self::Retry | Self::RetryAnew | Self::Stop => (None, None),
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
impl IntoVerdict for bool {
    fn into_verdict(self) -> Verdict {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoVerdict for Verdict {
    fn into_verdict(self) -> Verdict {
        self
    }
}
