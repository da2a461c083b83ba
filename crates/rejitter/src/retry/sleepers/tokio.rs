//! Waiting on Tokio's timers.

use std::time::Duration;

use tokio::time::{self, Instant, Sleep};

use crate::retry::{Sleeper, clock};

/// Tokio's timers and clock, which tests may pause. Each operation must be awaited inside a
/// runtime that has its time driver enabled: elsewhere Tokio panics.
///
/// The time counts from the same moment as that of threads, so both can share a
/// [`Protection`](crate::Protection).
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioSleeper;

// Operations with limits sleep and read the clock in many places.
impl Sleeper for TokioSleeper {
    type Sleep = Sleep;

    #[inline(never)]
    fn sleep(&self, duration: Duration) -> Sleep {
        time::sleep(duration)
    }

    #[inline(never)]
    fn now(&self) -> Option<Duration> {
        Some(clock::at(Instant::now().into_std()))
    }
}

default_sleeper!(TokioSleeper);
