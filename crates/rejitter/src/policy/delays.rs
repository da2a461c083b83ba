//! The waits of an operation as durations.

use core::iter::FusedIterator;
use core::time::Duration;

use super::duration_from_ms;
use crate::core::{Decision, RetryPolicy, Seed, UNLIMITED, Wait, Waits};

/// The waits of one operation in which every attempt fails, `max_attempts − 1` of them. Endless if
/// the policy has no limit.
///
/// Made by [`RetryPolicy::delays`].
#[derive(Debug, Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Delays {
    policy: RetryPolicy,
    seed: Seed,
    operation: u64,
    waits: Waits,
}

impl RetryPolicy {
    /// Returns the waits of one operation in which every attempt fails, as an iterator: for schedulers,
    /// and for other retry loops that take one.
    ///
    /// They are the waits of an operation with this seed ([`Retry::seed`](crate::Retry::seed)), rounded
    /// up to whole nanoseconds. A custom backoff counts as one that always returns 10 s.
    pub fn delays(&self, seed: impl Into<Seed>) -> Delays {
        Delays {
            policy: *self,
            seed: seed.into(),
            operation: 0,
            waits: Waits::default(),
        }
    }

    /// Like [`delays`](Self::delays), with a seed of the system's randomness: other waits in each client, as operations
    /// without a seed have. Without randomness there is no wait.
    #[cfg(feature = "retry")]
    pub fn random_delays(&self) -> Delays {
        match Seed::of_operation() {
            Some(seed) => self.delays(seed),
            None => Self::no_retries().delays(0),
        }
    }

    /// Returns wait `k` of [`delays`](Self::delays), starting at 1, without an iterator to keep. It ignores
    /// the limit of attempts. 0 counts as 1.
    ///
    /// Jitters that depend on the previous wait take time proportional to `k`.
    #[must_use]
    pub fn delay(&self, k: u64, seed: impl Into<Seed>) -> Duration {
        let (seed, k) = (seed.into(), k.max(1));
        if self.jitter().follows_the_curve() {
            return duration_from_ms(self.delay_ms(&Wait::number(k), seed.draws(0, k)));
        }
        let mut delays = self.unlimited().delays(seed);
        for _ in 1..k {
            delays.next();
        }
        delays.next().unwrap_or_default()
    }
}

impl Delays {
    /// Restarts as the next operation: the same policy, fresh random samples.
    pub fn reset(&mut self) {
        self.operation = self.operation.wrapping_add(1);
        self.waits = Waits::default();
    }

    /// The next wait in ms, as it was decided.
    #[doc(hidden)]
    pub fn next_ms(&mut self) -> Option<f64> {
        let draws = self.seed.draws(self.operation, self.waits.attempt());
        // A copy, because an iterator that has ended stays where it is.
        let mut waits = self.waits;
        match waits.next(&self.policy, &waits.failure(), draws) {
            Decision::Retry { delay_ms } => {
                self.waits = waits;
                Some(delay_ms)
            }
            Decision::Stop(_) => None,
        }
    }
}

impl Iterator for Delays {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.next_ms().map(duration_from_ms)
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

impl FusedIterator for Delays {}
