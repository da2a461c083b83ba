//! The decision after a failed attempt.

use core::fmt;

use super::delay::{Previous, Wait};
use super::elementary::{at_least, at_most};
use super::{Draws, MAX_MS, RetryPolicy};

/// The facts about a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Failure {
    /// Number of the failed attempt, starting at 1.
    pub attempt: u64,
    /// The operation's previous *computed* wait; `None` before the first. Waits that a server or
    /// the caller asked for do not count.
    pub previous: Option<Previous>,
    /// The time left until the operation's deadline, in ms; infinite without a deadline.
    pub remaining_ms: f64,
    /// The curve's value in ms, for [`Backoff::Custom`](super::Backoff::Custom).
    pub curve_ms: Option<f64>,
    /// The wait that the failure itself requests.
    pub hint: Hint,
    /// More facts may follow: end a list of some with `..Failure::of_attempt(k)`, which the attribute
    /// `non_exhaustive` would forbid.
    #[doc(hidden)]
    #[allow(clippy::pub_underscore_fields)]
    pub _more: (),
}

/// A wait that a failure requests.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Hint {
    /// Nothing: the policy's formula decides.
    #[default]
    None,
    /// The server requested at least this many ms. 0 means no hint. The wait is the longer of
    /// `h + r·max(base, h/2)` and the policy's own computed wait, both with the same `r`: never less
    /// than the server asks for, spread out because a server gives many clients the same hint, and
    /// never shorter than without the hint. If the hint exceeds the longest that the policy follows,
    /// the operation stops, or the policy follows it that far. So a hinted wait is at most
    /// `max_retry_after_ms + max(base_ms, max_retry_after_ms/2)`, or `cap_ms` if that is longer.
    Server(f64),
    /// Wait exactly this many ms, with no cap, jitter or validation. The caller must pass a finite
    /// value >= 0. 0 retries at once.
    Exactly(f64),
}

impl Failure {
    /// The failure of an attempt (the first is number 1) of an operation without a deadline, with no
    /// previous wait and no hint.
    #[must_use]
    pub fn of_attempt(attempt: u64) -> Self {
        Self {
            attempt,
            previous: None,
            remaining_ms: f64::INFINITY,
            curve_ms: None,
            hint: Hint::None,
            _more: (),
        }
    }
}

/// The decision after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// Wait, then try again.
    Retry {
        /// The wait in ms: finite, at least 0 (with [`Hint::Exactly`], what that says).
        delay_ms: f64,
    },
    /// Give up now.
    Stop(StopReason),
}

/// Why an operation ended without success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// All attempts that `max_attempts` allows were made.
    Exhausted,
    /// The wait would end at or after the deadline, so waiting would be useless.
    Deadline,
    /// The server requested a longer wait than the policy follows.
    Hint,
    /// The caller's own condition decided against a retry.
    NotRetryable,
    /// The deadline passed during an attempt.
    Timeout,
    /// The system had no randomness to draw the wait from, and no seed was set.
    Randomness,
    /// The budget of the [`Protection`](crate::Protection) had no tokens for a retry.
    Budget,
    /// The breaker of the [`Protection`](crate::Protection) rejected an attempt: the circuit was open.
    Breaker,
    /// The cooldown of the [`Protection`](crate::Protection) rejected an attempt: it would have been held too long.
    Cooldown,
    /// The limiter of the [`Protection`](crate::Protection) rejected an attempt: it could not start in time, its queue
    /// was full, or it was drained.
    Limiter,
}

impl StopReason {
    /// The name in reports, as in the JavaScript package: `exhausted`, `deadline`, …
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Deadline => "deadline",
            Self::Hint => "hint",
            Self::NotRetryable => "notRetryable",
            Self::Timeout => "timeout",
            Self::Randomness => "randomness",
            Self::Budget => "budget",
            Self::Breaker => "breaker",
            Self::Cooldown => "cooldown",
            Self::Limiter => "limiter",
        }
    }
}

/// In words: `exhausted`, `not retryable`, …
impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hint => "requested delay too long",
            Self::NotRetryable => "not retryable",
            Self::Randomness => "no randomness",
            Self::Budget => "retry budget empty",
            Self::Breaker => "circuit open",
            Self::Limiter => "limiter full",
            reason => reason.as_str(),
        })
    }
}

impl RetryPolicy {
    /// Decides what follows a failed attempt, for draws uniform on [0, 1) (see
    /// [`Seed::draws`](super::Seed::draws)).
    ///
    /// Checks the attempt limit first, then computes the wait, then checks the deadline: a wait that
    /// would end at or after it is not started.
    #[must_use]
    #[inline(always)]
    pub fn decide(&self, failure: &Failure, draws: Draws) -> Decision {
        if failure.attempt >= self.max_attempts() {
            return Decision::Stop(StopReason::Exhausted);
        }
        self.wait(failure, draws)
    }

    /// The same if an attempt is left.
    #[inline(always)]
    pub(crate) fn wait(&self, failure: &Failure, draws: Draws) -> Decision {
        let delay_ms = match failure.hint {
            Hint::Exactly(ms) => ms,
            hint => {
                let wait = Wait {
                    previous: failure.previous,
                    curve_ms: failure.curve_ms,
                    ..Wait::number(failure.attempt)
                };
                let hint_ms = if let Hint::Server(ms) = hint { ms } else { 0.0 };
                match self.hinted_ms(&wait, hint_ms, draws) {
                    Some(ms) => ms,
                    None => return Decision::Stop(StopReason::Hint),
                }
            }
        };
        if delay_ms >= failure.remaining_ms {
            return Decision::Stop(StopReason::Deadline);
        }
        Decision::Retry { delay_ms }
    }

    /// Returns the wait in ms where a server asks for at least `hint_ms`, by the rule of [`Hint::Server`]; `None` if
    /// that is more than the policy follows.
    #[doc(hidden)]
    #[must_use]
    #[inline(always)]
    pub fn hinted_ms(&self, wait: &Wait, hint_ms: f64, draws: Draws) -> Option<f64> {
        let mut delay_ms = self.delay_ms(wait, draws);
        // A comparison with NaN is false.
        if hint_ms > 0.0 {
            let longest = self.max_retry_after_ms();
            if hint_ms > longest && !self.caps_long_retry_after() {
                return None;
            }
            delay_ms = self.hinted_over(delay_ms, at_most(hint_ms, longest), draws.r);
        }
        Some(delay_ms)
    }

    /// Returns the wait in ms where a server asks for `hint_ms`, which the policy follows, and the formula gives
    /// `computed`.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn hinted_over(&self, computed: f64, hint_ms: f64, r: f64) -> f64 {
        // Twice the hint at most: finite, and below what timers are chunked for.
        let spread = at_least(hint_ms / 2.0, self.base_ms());
        let hinted = at_most(hint_ms + r * spread, MAX_MS);
        // Not `max`, which would hide a NaN.
        if computed < hinted { hinted } else { computed }
    }
}
