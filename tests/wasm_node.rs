//! The wasm tests in Node: `wasm-pack test --node`.

#![cfg(all(target_arch = "wasm32", feature = "full"))]

mod common;
#[path = "simulation/golden.rs"]
mod golden;
mod retry;
mod wasm;
