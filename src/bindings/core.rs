//! The core as functions of numbers, which the driver calls once per failed attempt.
//!
//! Numbers only: a string or a slice would bring an allocator, memory and glue into the thin
//! build. The driver validated the options.

use rejitter::decide::{Draws, Previous};
use rejitter::internals::{CapRule, Wait};
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed};

/// A server asks for a longer wait than the policy follows: `HINT_TOO_LONG` of src/js/run/decision.js.
const HINT_TOO_LONG: f64 = -3.0;

/// Returns the wait after a failed attempt in ms, or [`HINT_TOO_LONG`].
///
/// NaN stands for "unset", and so does 0 for `truncate_at`: both are what a missing argument becomes. The cap is set;
/// it may be infinite. The codes of `backoff`, `jitter` and `cap_rule` are those of the core's `kinds.rs`; `spread` is
/// the jitter's own parameter.
/// `growth` is what the backoff has of its own: the exponential one's factor, the linear one's step in ms, the custom
/// one's value for this attempt in ms. `previous` is what the jitter looks back at: Polly's at the draw of the previous
/// computed wait, the decorrelated ones at that wait in ms; below 0 before the first.
#[must_use]
#[cfg_attr(all(feature = "driver", target_family = "wasm"), unsafe(no_mangle))]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn decide(
    attempt: u32,
    r: f64,
    backoff: u32,
    jitter: u32,
    base_ms: f64,
    cap_ms: f64,
    growth: f64,
    cap_rule: u32,
    min_ms: f64,
    truncate_at: u32,
    spread: f64,
    max_retry_after_ms: f64,
    cap_long_retry_after: bool,
    previous: f64,
    hint_ms: f64,
    r2: f64,
) -> f64 {
    // Tests compare the driver's codes with the table, so that no other comes. For one that does, any kind
    // will do, and the last ones take the fewest bytes.
    let last = Jitter::AdditiveMax { max_ms: spread };
    let options = RetryOptions {
        backoff: Backoff::from_code(backoff, spread).unwrap_or(Backoff::Custom),
        jitter: Jitter::from_code(jitter, spread).unwrap_or(last),
        cap_rule: CapRule::from_code(cap_rule, spread).unwrap_or(CapRule::Draw),
        base_ms: given(base_ms),
        cap_ms: Some(cap_ms),
        min_ms: given(min_ms),
        factor: given(growth),
        step_ms: given(growth),
        truncate_at: Some(truncate_at).filter(|n| *n > 0),
        max_retry_after_ms: given(max_retry_after_ms),
        cap_long_retry_after,
        ..RetryOptions::default()
    };
    let wait = Wait {
        k: attempt,
        previous: Some(previous)
            .filter(|previous| *previous >= 0.0)
            .map(|previous| Previous {
                delay_ms: previous,
                r: previous,
            }),
        curve_ms: Some(growth),
    };
    RetryPolicy::resolve(&options)
        .hinted_ms(&wait, hint_ms, Draws { r, r2 })
        .unwrap_or(HINT_TOO_LONG)
}

/// The `nth` draw, 0 to 2, of an attempt of an operation: uniform on [0, 1). All of these have 64 bits, in two halves:
/// a number of JavaScript that is divided by 2^32 becomes the upper half on its way into 32 bits, and itself the lower.
#[must_use]
#[cfg_attr(all(feature = "driver", target_family = "wasm"), unsafe(no_mangle))]
pub extern "C" fn draw(
    seed_high: u32,
    seed_low: u32,
    operation_high: u32,
    operation_low: u32,
    attempt_high: u32,
    attempt_low: u32,
    nth: u32,
) -> f64 {
    let seed = Seed::new(joined(seed_high, seed_low));
    let operation = joined(operation_high, operation_low);
    seed.draw(operation, joined(attempt_high, attempt_low), u64::from(nth))
}

const fn joined(high: u32, low: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

/// A number that is set: none of them is negative. JavaScript compares what is missing as NaN.
pub(super) fn given(value: f64) -> Option<f64> {
    Some(value).filter(|value| *value >= 0.0)
}
