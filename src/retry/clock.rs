//! The monotonic clock of the system or of the JavaScript host.

use std::time::Duration;

/// Time since the first call. `None` if there is no clock.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[allow(clippy::unnecessary_wraps)] // Other hosts have none.
pub(super) fn now() -> Option<Duration> {
    use std::sync::OnceLock;
    use std::time::Instant;

    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    Some(ORIGIN.get_or_init(Instant::now).elapsed())
}

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
#[allow(clippy::unnecessary_wraps)] // Other hosts have none.
pub(super) fn now() -> Option<Duration> {
    Some(crate::policy::duration_from_ms(performance_now()))
}

#[cfg(all(target_family = "wasm", target_os = "unknown", not(feature = "js")))]
pub(super) fn now() -> Option<Duration> {
    None
}

#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
#[wasm_bindgen::prelude::wasm_bindgen]
extern "C" {
    /// In ms. Named through `globalThis`, it is read at each use, like the timers.
    #[wasm_bindgen(js_namespace = ["globalThis", "performance"], js_name = now)]
    pub(super) fn performance_now() -> f64;
}
