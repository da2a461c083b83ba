//! The wasm tests in a browser: `wasm-pack test --headless --chrome` or `--firefox`.

#![cfg(all(target_arch = "wasm32", feature = "full"))]

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

mod common;
#[path = "simulation/golden.rs"]
mod golden;
mod retry;
mod wasm;
