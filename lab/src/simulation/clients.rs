//! The waits of clients' operations.

use rejitter::decide::{Decision, Failure};
use rejitter::internals::Waits;
use rejitter::{RetryPolicy, Seed};

/// The policy and the seed that the clients of a simulation share.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) policy: RetryPolicy,
    /// The values of [`Backoff::Custom`](rejitter::Backoff::Custom).
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
            _ => None,
        }
    }
}

/// Returns the value of a list at wait `k`, starting at 1; the last one repeats. `None` if the list is empty.
pub(crate) fn listed(list: &[f64], k: u64) -> Option<f64> {
    let index = usize::try_from(k.saturating_sub(1)).unwrap_or(usize::MAX);
    list.get(index).or(list.last()).copied()
}
