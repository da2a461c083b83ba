//! A user's wasm file whose own exports have the names of the npm package's functions.

use rejitter::RetryPolicy;
use wasm_bindgen::prelude::*;

/// Returns at which attempt it succeeded, after waits on the host's timers.
#[wasm_bindgen]
pub async fn retry() -> u32 {
    let attempts = std::cell::Cell::new(0);
    let operation = || {
        attempts.set(attempts.get() + 1);
        let failed = attempts.get() < 3;
        async move { if failed { Err("busy") } else { Ok(()) } }
    };
    let done = rejitter::retry(RetryPolicy::default(), operation).await;
    assert!(done.is_ok());
    attempts.get()
}

#[wasm_bindgen]
pub fn decide() -> u32 {
    7
}
