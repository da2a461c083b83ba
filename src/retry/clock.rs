//! The system's monotonic clock.

use std::time::Duration;

/// The time since this was first asked for.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed()
}

/// The host's `performance.now`, looked up at each use.
#[cfg(target_arch = "wasm32")]
pub(super) fn now() -> Duration {
    super::duration_from_ms(super::sleepers::js::performance_now())
}
