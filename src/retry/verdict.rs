//! The caller's answer to an error.

use std::time::Duration;

/// The decision of the condition in [`Retry::when`](crate::Retry::when) about an error. A `bool`
/// converts into it: `true` is [`Verdict::Retry`], `false` is [`Verdict::Stop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No further attempt: the operation ends with
    /// [`StopReason::NotRetryable`](crate::StopReason::NotRetryable).
    Stop,
    /// A further attempt, if any is left, after the wait that the policy or a hint gives.
    Retry,
    /// A further attempt, if any is left, after exactly this wait, neither capped nor jittered;
    /// zero is at once. It must still end before the deadline.
    RetryAfter(Duration),
}

impl From<bool> for Verdict {
    fn from(retry: bool) -> Self {
        if retry { Self::Retry } else { Self::Stop }
    }
}
