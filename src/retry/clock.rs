//! The system's monotonic clock.

use std::time::Duration;

/// Time since the first call.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed()
}

#[cfg(target_arch = "wasm32")]
pub(super) fn now() -> Duration {
    super::duration_from_ms(performance_now())
}

#[cfg(target_arch = "wasm32")]
#[wasm_bindgen::prelude::wasm_bindgen]
extern "C" {
    /// In ms. Named through `globalThis`, it is read at each use, like the timers.
    #[wasm_bindgen(js_namespace = ["globalThis", "performance"], js_name = now)]
    pub(super) fn performance_now() -> f64;
}
