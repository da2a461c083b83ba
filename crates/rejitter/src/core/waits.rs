//! The waits of one operation, one after the other.

use super::policy::Previous;
#[cfg(feature = "lab")]
use super::policy::Wait;
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

/// The facts that limit or replace the next wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// See [`Failure::remaining_ms`].
    pub(crate) remaining_ms: f64,
    /// See [`Failure::curve_ms`].
    pub(crate) curve_ms: Option<f64>,
    /// See [`Failure::hint`].
    pub(crate) hint: Hint,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            remaining_ms: f64::INFINITY,
            curve_ms: None,
            hint: Hint::None,
        }
    }
}

impl Default for Waits {
    fn default() -> Self {
        Self::at(1, -1.0, 0.0)
    }
}

impl Waits {
    /// The cursor at the failure of an attempt, for callers that hold its numbers: `previous_ms` is
    /// negative before the first wait.
    #[inline(always)]
    pub(crate) fn at(attempt: u64, previous_ms: f64, previous_r: f64) -> Self {
        Self {
            attempt,
            previous_ms,
            previous_r,
        }
    }

    /// Number of the attempt whose failure the next call reports. It selects the draws.
    #[inline(always)]
    pub(crate) fn attempt(&self) -> u64 {
        self.attempt
    }

    /// Decides what follows the next failed attempt.
    #[inline(always)]
    pub(crate) fn next(&mut self, policy: &RetryPolicy, limits: Limits, draws: Draws) -> Decision {
        let failure = Failure {
            attempt: self.attempt,
            previous: self.previous(),
            remaining_ms: limits.remaining_ms,
            curve_ms: limits.curve_ms,
            hint: limits.hint,
            _more: (),
        };
        let decision = policy.decide(&failure, draws);
        self.attempt = self.attempt.saturating_add(1);
        let computed = match limits.hint {
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

    /// The next wait of an operation that nothing limits.
    #[cfg(feature = "lab")]
    pub(crate) fn next_ms(
        &mut self,
        policy: &RetryPolicy,
        curve_ms: Option<f64>,
        draws: Draws,
    ) -> f64 {
        let wait = Wait {
            previous: self.previous(),
            curve_ms,
            ..Wait::number(self.attempt)
        };
        let delay_ms = policy.delay_ms(&wait, draws);
        *self = Self::at(self.attempt.saturating_add(1), delay_ms, draws.r);
        delay_ms
    }

    #[inline(always)]
    fn previous(&self) -> Option<Previous> {
        Some(self.previous_ms)
            .filter(|ms| *ms >= 0.0)
            .map(|delay_ms| Previous {
                delay_ms,
                r: self.previous_r,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_failures_does_not_overflow() {
        let draws = Draws { r: 0.5, r2: 0.5 };
        let mut last = Waits::at(u64::MAX, -1.0, 0.0);
        let _ = last.next(&RetryPolicy::default(), Limits::default(), draws);
        assert_eq!(last.attempt(), u64::MAX);
    }
}
