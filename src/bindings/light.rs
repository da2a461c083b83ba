//! The waits of `rejitter/light` as functions of numbers.
//!
//! No wasm file of them is published: the build makes JavaScript of it (xtask/npm/javascript.mjs), of which an app has
//! the functions that it uses. There is no formula here, and no default.

use super::core::given;
use rejitter::decide::Draws;
use rejitter::internals::Wait;
use rejitter::{Jitter, RetryOptions, RetryPolicy};

/// Returns wait `k`, starting at 1, in ms. NaN stands for "unset". The codes of `jitter` are 0 to 2: none, full, equal.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn delay(
    k: u32,
    r: f64,
    jitter: u32,
    base_ms: f64,
    cap_ms: f64,
    factor: f64,
) -> f64 {
    let policy = RetryPolicy::resolve(&RetryOptions {
        // Not `from_code`: the JavaScript would have every kind.
        jitter: match jitter {
            0 => Jitter::None,
            1 => Jitter::Full,
            _ => Jitter::Equal,
        },
        base_ms: given(base_ms),
        cap_ms: given(cap_ms),
        factor: given(factor),
        ..RetryOptions::default()
    });
    policy.delay_ms(&Wait::number(u64::from(k)), Draws { r, r2: r })
}

/// Returns the wait in ms where `delay` returns `computed` with the same `r`, and a server asks for `server_ms`.
/// `base_ms` is set: it is wait 1 without jitter.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn hinted(computed: f64, r: f64, base_ms: f64, server_ms: f64) -> f64 {
    let policy = RetryPolicy::resolve(&RetryOptions {
        base_ms: Some(base_ms),
        ..RetryOptions::default()
    });
    policy.hinted_over(computed, server_ms, r)
}
