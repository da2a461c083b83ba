//! The sleepers that this crate brings.

#[cfg(target_arch = "wasm32")]
pub(super) mod js;
#[cfg(not(target_arch = "wasm32"))]
pub(super) mod thread;
#[cfg(all(not(target_arch = "wasm32"), feature = "tokio"))]
pub(super) mod tokio;
