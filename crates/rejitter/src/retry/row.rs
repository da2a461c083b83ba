//! Attempts by their numbers: those of the operation, and of the row that the limit of the policy counts.

use super::nanos::Nanos;
use super::protection::Pass;
use crate::core::{RetryPolicy, Waits};
use crate::policy::duration_from_ms;

/// Attempts that the limit of the policy counts together, and their waits: all of an operation, unless its attempts
/// make progress.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row {
    /// Number of attempts before its first.
    pub(super) before: u64,
    /// It goes on from row to row, unless an attempt lived long.
    pub(super) waits: Waits,
}

impl Row {
    /// Number of the attempt in the row.
    pub(super) fn number(&self, attempt: u64) -> u64 {
        // The other attempt of a round may have a lower number than the one that began the row.
        attempt.saturating_sub(self.before).max(1)
    }

    /// Begins again with the failure of an attempt that made progress, and that took this long. `attempts`: those that
    /// were started, of which the last counts as the first of the row.
    /// A server that sends one byte and cuts must not draw more requests than one that rejects, so the waits go on
    /// growing for those that took less than the last one's ceiling.
    pub(super) fn begin_again(&mut self, policy: &RetryPolicy, attempts: u64, lived: Nanos) {
        self.before = attempts.saturating_sub(1);
        if lived >= duration_from_ms(self.waits.ceiling_ms(policy)).into() {
            self.waits = Waits::default();
        }
    }
}

/// Number and start of an attempt.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    pub(super) number: u64,
    pub(super) at: Nanos,
}

impl Begun {
    /// `hedge`: the breaker's numbers, if it is a hedge.
    pub(super) fn started(self, hedge: Option<Pass>) -> Started {
        Started {
            number: self.number,
            at: self.at,
            hedge,
        }
    }
}

/// An attempt that has started.
#[derive(Debug, Clone, Copy)]
pub struct Started {
    pub(super) number: u64,
    pub(super) at: Nanos,
    /// The breaker's numbers, if it is a hedge.
    pub(super) hedge: Option<Pass>,
}
