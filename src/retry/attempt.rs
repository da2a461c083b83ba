//! The facts about an attempt that it receives.

use std::time::Duration;

/// One attempt of an operation, as [`retry_with_attempt`](crate::retry_with_attempt) and
/// `retry_blocking_with_attempt` hand it to the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// The attempt's number; the first is 1.
    pub attempt: u64,
    /// Time between the start of the operation and the start of this attempt; zero for the first.
    pub elapsed: Duration,
    /// Time left until the operation's deadline at the start of this attempt; `None` without a total
    /// timeout.
    pub remaining: Option<Duration>,
    /// The wait that preceded this attempt; `None` for the first.
    pub previous_delay: Option<Duration>,
}
