//! Waiting in threads.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::retry::clock;
use crate::retry::sleeper::{SleepFn, pointers};
use crate::retry::testing::VirtualTime;

/// Sleeps and reads the clock for blocking operations: [`retry_blocking`](crate::retry_blocking).
///
/// [`BlockingRetry::sleep`](crate::BlockingRetry::sleep) takes a function that returns after the wait, which needs no
/// sleeper.
/// Implement this trait for sleeps with a clock of their own, then pass the value, or a reference or an
/// `Arc` of it, to [`BlockingRetry::sleeper`](crate::BlockingRetry::sleeper).
///
/// ```
/// use rejitter::testing::VirtualTime;
/// use rejitter::{RetryPolicy, retry_blocking};
/// use std::time::Duration;
///
/// let time = VirtualTime::new(); // is one
/// let policy = RetryPolicy::default();
/// let failed = retry_blocking(policy, || Err::<(), _>("busy")).seed(7).sleeper(&time).call();
/// assert_eq!(time.now(), policy.delays(7).sum());
/// # assert_eq!(failed, Err("busy"));
/// ```
pub trait BlockingSleeper {
    /// Returns after `duration`, never earlier by the clock of [`now`](Self::now).
    fn sleep(&self, duration: Duration);

    /// Returns the time since some moment in the past: see [`Sleeper::now`](crate::Sleeper::now).
    fn now(&self) -> Option<Duration> {
        clock::now()
    }
}

impl<F: Fn(Duration)> BlockingSleeper for SleepFn<F> {
    fn sleep(&self, duration: Duration) {
        (self.0)(duration);
    }
}

/// [`std::thread::sleep`] and [`std::time::Instant`]: what [`retry_blocking`](crate::retry_blocking) waits with by
/// default.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadSleeper;

impl BlockingSleeper for ThreadSleeper {
    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

macro_rules! lent {
    ($pointer:ty) => {
        impl<S: BlockingSleeper + ?Sized> BlockingSleeper for $pointer {
            fn sleep(&self, duration: Duration) {
                (**self).sleep(duration);
            }

            fn now(&self) -> Option<Duration> {
                (**self).now()
            }
        }
    };
}
pointers!(lent);

impl BlockingSleeper for VirtualTime {
    #[inline]
    fn sleep(&self, duration: Duration) {
        self.advance(duration);
    }

    #[inline]
    fn now(&self) -> Option<Duration> {
        Some(VirtualTime::now(self))
    }
}
