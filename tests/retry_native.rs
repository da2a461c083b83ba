//! The Rust API natively: what is the same in wasm, and threads, Tokio and `Send`.

#![cfg(all(not(target_arch = "wasm32"), feature = "protection"))]

mod common;
mod native;
mod retry;
