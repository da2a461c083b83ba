//! The wasm tests in Node: `wasm-pack test --node`.

#![cfg(all(target_arch = "wasm32", feature = "full"))]

mod common;
mod retry;
mod wasm;
