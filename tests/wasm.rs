//! The wasm tests, in Node (`wasm-pack test --node`) and, with `WASM_BINDGEN_USE_BROWSER=1`, in browsers
//! (`wasm-pack test --headless --chrome` or `--firefox`).

#![cfg(all(target_arch = "wasm32", feature = "full"))]

mod common;
#[path = "../lab/tests/native/simulation/golden.rs"]
mod golden;
mod retry;
#[path = "wasm/mod.rs"]
mod wasm;
