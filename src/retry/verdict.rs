//! The caller's decision about an error.

use std::time::Duration;

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

impl From<bool> for Verdict {
    fn from(retry: bool) -> Self {
        if retry { Self::Retry } else { Self::Stop }
    }
}
