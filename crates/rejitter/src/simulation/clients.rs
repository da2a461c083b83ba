//! The waits of clients' operations.

use crate::core::{Decision, Limits, RetryPolicy, Seed, Waits, listed};

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
    pub(super) fn wait_ms(&self, waits: &mut Waits, number: u64, limits: Limits) -> Option<f64> {
        let attempt = waits.attempt();
        let limits = Limits {
            curve_ms: listed(&self.curve, attempt),
            ..limits
        };
        match waits.next(&self.policy, limits, self.seed.draws(number, attempt)) {
            Decision::Retry { delay_ms } => Some(delay_ms),
            Decision::Stop(_) => None,
        }
    }
}

/// Options of a simulation whose clients retry: each field with its default, and what all of these simulations have.
macro_rules! options {
    ($(#[$doc:meta])* $name:ident: $($(#[$about:meta])* $field:ident: $type:ty = $default:expr,)+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)+
            /// Where all the randomness comes from.
            pub seed: Seed,
            /// How the clients retry.
            pub policy: RetryPolicy,
            /// The values of [`Backoff::Custom`](crate::Backoff::Custom), in ms: the ceilings of the waits, of which
            /// the last repeats. Unset by default: every ceiling is the cap.
            pub curve: Vec<f64>,
        }

        impl $name {
            /// The defaults, for a policy.
            #[must_use]
            pub fn new(policy: RetryPolicy, seed: Seed) -> Self {
                Self { $($field: $default,)+ seed, policy, curve: Vec::new() }
            }

            pub(super) fn rules(&self) -> Rules {
                Rules { policy: self.policy, curve: self.curve.clone(), seed: self.seed }
            }
        }
    };
}
pub(super) use options;
