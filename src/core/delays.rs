//! The backoff iterator: the waits of one operation in which every attempt fails.

use super::{Decision, Limits, RetryPolicy, Seed, UNLIMITED, Waits};

/// The waits between attempts in ms, `max_attempts − 1` of them; endless without a limit.
///
/// Made by [`RetryPolicy::delays_ms`].
#[derive(Debug, Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct DelaysMs {
    policy: RetryPolicy,
    seed: Seed,
    operation: u64,
    waits: Waits,
}

impl RetryPolicy {
    /// The waits of one operation in which every attempt fails: the sequence that operation 0
    /// with this seed waits. A custom curve counts as one that is always 10 s.
    #[doc(hidden)]
    pub fn delays_ms(&self, seed: Seed) -> DelaysMs {
        DelaysMs {
            policy: *self,
            seed,
            operation: 0,
            waits: Waits::default(),
        }
    }
}

impl DelaysMs {
    /// Restarts as the next operation: the same curve, fresh draws.
    pub fn reset(&mut self) {
        self.operation = self.operation.wrapping_add(1);
        self.waits = Waits::default();
    }
}

impl Iterator for DelaysMs {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let draws = self.seed.draws(self.operation, self.waits.attempt());
        // A copy, because an iterator that has ended stays where it is.
        let mut waits = self.waits;
        match waits.next(&self.policy, Limits::default(), draws) {
            Decision::Retry { delay_ms } => {
                self.waits = waits;
                Some(delay_ms)
            }
            Decision::Stop(_) => None,
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let most = self.policy.max_attempts();
        if most == UNLIMITED {
            return (usize::MAX, None);
        }
        let left = most.saturating_sub(self.waits.attempt());
        usize::try_from(left).map_or((usize::MAX, None), |left| (left, Some(left)))
    }
}

impl core::iter::FusedIterator for DelaysMs {}
