//! The monotonic clock of the system or of the JavaScript host.

use core::time::Duration;

/// Time since some moment of the past, the same in the whole program. `None` if there is no clock.
// Operations read it in many places.
#[inline(never)]
pub(crate) fn now() -> Option<Duration> {
    #[cfg(feature = "retry")]
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    return Some(at(std::time::Instant::now()));
    #[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
    return Some(crate::policy::duration_from_ms(performance_now()));
    #[allow(unreachable_code)]
    None
}

/// The time at this instant.
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(super) fn at(instant: std::time::Instant) -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    /// Seconds before the first reading: the clock of a runtime that was paused earlier shows an earlier instant.
    const EARLIER: [u64; 3] = [24 * 60 * 60, 60 * 60, 60];
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let origin = ORIGIN.get_or_init(|| {
        let now = Instant::now();
        // Some systems have no instants before their start.
        let mut earlier = EARLIER.into_iter().map(Duration::from_secs);
        let past = earlier.find_map(|earlier| now.checked_sub(earlier));
        past.unwrap_or(now)
    });
    instant.saturating_duration_since(*origin)
}

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
#[wasm_bindgen::prelude::wasm_bindgen]
extern "C" {
    /// In ms. Named through `globalThis`, it is read at each use, like the timers.
    #[wasm_bindgen(js_namespace = ["globalThis", "performance"], js_name = now)]
    pub(super) fn performance_now() -> f64;
}
