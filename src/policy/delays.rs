//! The waits of an operation as durations.

use core::iter::FusedIterator;
use core::time::Duration;

use super::duration_from_ms;
use crate::core::{DelaysMs, RetryPolicy, Seed, UNLIMITED, Wait};

/// The waits of one operation in which every attempt fails, `max_attempts − 1` of them. Endless if
/// the policy has no limit.
///
/// Made by [`RetryPolicy::delays`].
#[derive(Debug, Clone)]
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct Delays(DelaysMs);

impl RetryPolicy {
    /// Returns the waits of one operation in which every attempt fails, as an iterator: for schedulers,
    /// and for other retry loops that take one.
    ///
    /// They are the waits of an operation with this seed ([`Retry::seed`](crate::Retry::seed)), rounded
    /// up to whole nanoseconds. A custom backoff counts as one that always returns 10 s.
    ///
    /// ```
    /// use rejitter::{Jitter, RetryPolicy};
    /// use std::time::Duration;
    ///
    /// let policy = RetryPolicy::exponential()
    ///     .with_base(Duration::from_millis(100))
    ///     .with_jitter(Jitter::None)
    ///     .with_max_attempts(4);
    /// let delays: Vec<_> = policy.delays(7).collect();
    /// assert_eq!(delays, [100, 200, 400].map(Duration::from_millis));
    /// ```
    pub fn delays(&self, seed: impl Into<Seed>) -> Delays {
        Delays(self.delays_ms(seed.into()))
    }

    /// Returns wait `k` of [`delays`](Self::delays), starting at 1, without an iterator to keep. It ignores
    /// the limit of attempts. 0 counts as 1.
    ///
    /// Jitters that depend on the previous wait take time proportional to `k`.
    ///
    /// ```
    /// use rejitter::RetryPolicy;
    ///
    /// let policy = RetryPolicy::default();
    /// assert_eq!(Some(policy.delay(3, "job 17")), policy.delays("job 17").nth(2));
    /// ```
    #[must_use]
    pub fn delay(&self, k: u64, seed: impl Into<Seed>) -> Duration {
        let (seed, k) = (seed.into(), k.max(1));
        if self.jitter().follows_the_curve() {
            return duration_from_ms(self.delay_ms(&Wait::number(k), seed.draws(0, k)));
        }
        let mut delays = self.with_max_attempts(UNLIMITED).delays(seed);
        for _ in 1..k {
            delays.next();
        }
        delays.next().unwrap_or_default()
    }
}

impl Delays {
    /// Restarts as the next operation: the same policy, fresh random samples.
    ///
    /// ```
    /// let mut delays = rejitter::RetryPolicy::default().delays(7);
    /// let first = delays.next();
    /// delays.reset();
    /// assert_ne!(delays.next(), first);
    /// ```
    pub fn reset(&mut self) {
        self.0.reset();
    }
}

impl Iterator for Delays {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.0.next().map(duration_from_ms)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl FusedIterator for Delays {}
