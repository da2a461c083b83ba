//! What to do after a failed attempt.

use std::fmt;

use super::RetryPolicy;

/// What is known when an attempt has failed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Failure {
    /// The number of the failed attempt, from 1.
    pub attempt: u64,
    /// The wait before this attempt as the policy computed it, in ms; `None` for the first.
    pub previous_ms: Option<f64>,
    /// The time left until the operation's deadline, in ms; infinite without a deadline.
    pub remaining_ms: f64,
}

impl Failure {
    /// The failure of an attempt (numbered from 1) of an operation without a deadline, with no
    /// previous wait.
    #[must_use]
    pub fn of_attempt(attempt: u64) -> Self {
        Self {
            attempt,
            previous_ms: None,
            remaining_ms: f64::INFINITY,
        }
    }
}

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// Wait, then try again.
    Retry {
        /// The wait in ms: finite, at least 0.
        delay_ms: f64,
    },
    /// Give up now.
    Stop(StopReason),
}

/// Why an operation gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// All attempts that `max_attempts` allows were made.
    Exhausted,
    /// The wait would end at or after the deadline, so it would be in vain.
    Deadline,
}

impl StopReason {
    /// The name in reports: `exhausted`, `deadline`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Deadline => "deadline",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl RetryPolicy {
    /// Decides what follows a failed attempt, for a draw `r` uniform on [0, 1) (see
    /// [`Seed::draw`](super::Seed::draw)).
    ///
    /// Attempts are looked at first, then the wait is computed, then the deadline: a wait that
    /// would end at or after it is not begun.
    #[must_use]
    pub fn decide(&self, failure: &Failure, r: f64) -> Decision {
        if failure.attempt >= self.max_attempts() {
            return Decision::Stop(StopReason::Exhausted);
        }
        let delay_ms = self.delay_ms(failure.attempt, failure.previous_ms, r);
        if delay_ms >= failure.remaining_ms {
            return Decision::Stop(StopReason::Deadline);
        }
        Decision::Retry { delay_ms }
    }
}
