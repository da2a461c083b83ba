//! The policy as Rust programs write it: constants made of [`Duration`](core::time::Duration)s.
//!
//! Rules and formulas are the core's. Nothing here reads a clock or waits.

mod delays;
mod duration;
mod options;
pub mod presets;
mod setters;

pub use delays::Delays;
pub use duration::duration_from_ms;
// For HTTP, of the system's clock.
#[cfg(any(
    feature = "async",
    all(
        feature = "http",
        feature = "std",
        not(all(target_family = "wasm", target_os = "unknown"))
    )
))]
pub(crate) use duration::ms_from_duration;
