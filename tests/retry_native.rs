//! The Rust API natively: what is the same in wasm, threads, Tokio, and `Send`.

#![cfg(all(not(target_arch = "wasm32"), feature = "retry"))]

mod common;
mod retry;
