//! Waiting by blocking the thread.

use std::time::Duration;

use crate::retry::BlockingSleeper;

/// [`std::thread::sleep`] and [`std::time::Instant`]: what
/// [`retry_blocking`](crate::retry_blocking) waits with by default.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadSleeper;

impl BlockingSleeper for ThreadSleeper {
    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
