//! The state of clients' operations, and the waits that the policy computes for them.

use crate::core::{Decision, Failure, Hint, Previous, RetryPolicy, Seed, listed};

/// One operation of a client: three numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Operation {
    /// The attempts that have failed.
    pub(super) failures: u32,
    /// The previous wait in ms, and the draw that it was made with.
    previous: (f64, f64),
}

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
    pub(super) fn wait_ms(
        &self,
        operation: &mut Operation,
        number: u64,
        remaining_ms: f64,
    ) -> Option<f64> {
        let previous = (operation.failures > 0).then_some(Previous {
            delay_ms: operation.previous.0,
            r: operation.previous.1,
        });
        operation.failures = operation.failures.saturating_add(1);
        let attempt = u64::from(operation.failures);
        let draws = self.seed.draws(number, attempt);
        let failure = Failure {
            attempt,
            previous,
            remaining_ms,
            curve_ms: listed(&self.curve, attempt),
            hint: Hint::None,
            _more: (),
        };
        match self.policy.decide(&failure, draws) {
            Decision::Retry { delay_ms } => {
                operation.previous = (delay_ms, draws.r);
                Some(delay_ms)
            }
            Decision::Stop(_) => None,
        }
    }
}
