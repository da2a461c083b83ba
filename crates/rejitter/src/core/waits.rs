//! The waits of one operation, one after the other.

use super::delay::Previous;
#[cfg(feature = "async")]
use super::delay::Wait;
#[cfg(feature = "async")]
use super::elementary::at_most;
use super::{Decision, Draws, Failure, Hint, RetryPolicy, StopReason};

/// The position of an operation among its waits: the attempt whose failure comes next, and the
/// previous computed wait with its draw.
///
/// The only place that knows what becomes the previous wait: waits that a server or the caller
/// requested do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waits {
    attempt: u64,
    /// In ms; negative before the first wait. Not an `Option`, because simulations hold one cursor
    /// per client. The value of the caller's own curve, for jitters that look back at nothing.
    previous_ms: f64,
    previous_r: f64,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            attempt: 1,
            previous_ms: -1.0,
            previous_r: 0.0,
        }
    }
}

impl Waits {
    /// Number of the attempt whose failure the next call reports.
    #[inline(always)]
    pub(crate) fn attempt(&self) -> u64 {
        self.attempt
    }

    /// The failure of the next attempt, whose other facts the caller adds.
    #[inline(always)]
    pub(crate) fn failure(&self) -> Failure {
        let has_waited = self.previous_ms >= 0.0;
        let previous = Previous {
            delay_ms: self.previous_ms,
            r: self.previous_r,
        };
        Failure {
            previous: has_waited.then_some(previous),
            ..Failure::of_attempt(self.attempt)
        }
    }

    /// Ceiling of the last wait, in ms. Of a jitter that has a curve of its own, the longest draw.
    #[cfg(feature = "async")]
    pub(crate) fn ceiling_ms(&self, policy: &RetryPolicy) -> f64 {
        let wait = Wait {
            previous: self.failure().previous,
            curve_ms: Some(self.previous_ms.max(0.0)),
            ..Wait::number(self.attempt.saturating_sub(1))
        };
        if policy.jitter().follows_the_curve() {
            at_most(policy.ceiling(&wait), policy.cap_ms())
        } else {
            policy.delay_ms(&wait, Draws { r: 1.0, r2: 1.0 })
        }
    }

    /// Decides what follows that [`failure`](Self::failure).
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        policy: &RetryPolicy,
        failure: &Failure,
        draws: Draws,
    ) -> Decision {
        if failure.attempt >= policy.max_attempts() {
            return Decision::Stop(StopReason::Exhausted);
        }
        self.wait(policy, failure, draws)
    }

    /// The same for who counts the attempts itself.
    #[inline(always)]
    pub(crate) fn wait(
        &mut self,
        policy: &RetryPolicy,
        failure: &Failure,
        draws: Draws,
    ) -> Decision {
        let decision = policy.wait(failure, draws);
        self.attempt = self.attempt.saturating_add(1);
        let computed = match failure.hint {
            Hint::None => true,
            Hint::Server(ms) => ms.is_nan() || ms <= 0.0,
            Hint::Exactly(_) => false,
        };
        if let (Decision::Retry { delay_ms }, true) = (decision, computed) {
            self.previous_ms = match failure.curve_ms {
                Some(curve_ms) if policy.jitter().follows_the_curve() => curve_ms,
                _ => delay_ms,
            };
            self.previous_r = draws.r;
        }
        decision
    }
}
