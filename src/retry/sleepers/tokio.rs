//! Waiting on Tokio's timers.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::{self, Instant, Sleep};

use crate::retry::Sleeper;

/// Tokio's timers and clock, which tests may pause. Each operation must be awaited inside a
/// runtime that has its time driver enabled: elsewhere Tokio panics.
#[derive(Debug, Clone, Default)]
pub struct TokioSleeper {
    /// Where the time is counted from: the first question, which comes from inside the runtime,
    /// whose clock a test may have paused.
    origin: OnceLock<Instant>,
}

impl Sleeper for TokioSleeper {
    type Sleep = Sleep;

    fn sleep(&self, duration: Duration) -> Sleep {
        time::sleep(duration)
    }

    fn now(&self) -> Option<Duration> {
        let origin = *self.origin.get_or_init(Instant::now);
        Some(Instant::now().saturating_duration_since(origin))
    }
}
