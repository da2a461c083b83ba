//! The bindings: the core's decisions for the JavaScript driver, and the driver for `wasm-pack`.
//!
//! The functions here are what JavaScript sees. Each feature exports those of one wasm file of the npm package, because
//! no file should carry another's. Those of the lab are in lab/src/bindings. Rust programs use the crate `rejitter`.

mod core;
pub use self::core::{decide, draw};

#[cfg(feature = "light-exports")]
pub mod light;

#[cfg(feature = "protection-exports")]
pub mod protection;

#[cfg(feature = "full")]
mod wasm_pack;
#[cfg(feature = "full")]
pub use wasm_pack::{
    retry, retry_with_decorrelated_jitter, retry_with_equal_jitter, retry_with_exponential_backoff,
    retry_with_fixed_delay, retry_with_full_jitter, retry_with_linear_backoff,
    retry_with_truncated_backoff, start,
};
