//! The waits of one operation, one after the other.

use super::policy::Previous;
use super::{Decision, Draws, Failure, Hint, RetryPolicy};

/// The position of an operation among its waits: the attempt whose failure comes next, and the
/// previous computed wait with its draw.
///
/// The only place that knows what becomes the previous wait: waits that a server or the caller
/// requested do not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waits {
    attempt: u64,
    /// In ms; negative before the first wait. Not an `Option`, because simulations hold one cursor
    /// per client.
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
    /// Number of the attempt whose failure the next call reports. It selects the draws.
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

    /// Decides what follows that [`failure`](Self::failure).
    #[inline(always)]
    pub(crate) fn next(
        &mut self,
        policy: &RetryPolicy,
        failure: &Failure,
        draws: Draws,
    ) -> Decision {
        let decision = policy.decide(failure, draws);
        self.attempt = self.attempt.saturating_add(1);
        let computed = match failure.hint {
            Hint::None => true,
            Hint::Server(ms) => ms.is_nan() || ms <= 0.0,
            Hint::Exactly(_) => false,
        };
        if let (Decision::Retry { delay_ms }, true) = (decision, computed) {
            self.previous_ms = delay_ms;
            self.previous_r = draws.r;
        }
        decision
    }
}
