//! The waits of clients' operations.

use crate::core::{Decision, Failure, RetryPolicy, Seed, Waits, listed};

/// The policy and the seed that the clients of a simulation share.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) policy: RetryPolicy,
    /// The values of [`Backoff::Custom`](crate::core::Backoff::Custom).
    pub(super) curve: Vec<f64>,
    pub(super) seed: Seed,
}

impl Rules {
    /// An attempt of operation `number` has failed: how long it waits, or `None` to give up.
    #[inline]
    pub(super) fn wait_ms(&self, waits: &mut Waits, number: u64, failure: Failure) -> Option<f64> {
        let attempt = failure.attempt;
        let failure = Failure {
            curve_ms: listed(&self.curve, attempt),
            ..failure
        };
        match waits.next(&self.policy, &failure, self.seed.draws(number, attempt)) {
            Decision::Retry { delay_ms } => Some(delay_ms),
            Decision::Stop(_) => None,
        }
    }
}
