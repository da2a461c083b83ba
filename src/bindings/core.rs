//! The core as functions of numbers, which the driver calls once per failed attempt.
//!
//! Numbers only: a string or a slice would bring an allocator, memory and glue into the thin
//! build. The driver validated the options; what this side checks again is the answer.

use rejitter::decide::{Draws, MAX_MS, Previous};
use rejitter::internals::{CapRule, Wait};
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed};

/// Larger than any count, and exact as a `u64`: 2^60.
const UNCOUNTED: f64 = 1_152_921_504_606_846_976.0;

/// A server asks for a longer wait than the policy follows: `HINT_TOO_LONG` of src/js/run/decision.js.
const HINT_TOO_LONG: f64 = -3.0;

/// Returns the wait after a failed attempt in ms, or [`HINT_TOO_LONG`]; NaN when the numbers are not a valid policy.
///
/// NaN stands for "unset", and so does 0 for `truncate_at`: both are what a missing argument becomes. The codes of
/// `backoff`, `jitter` and `cap_rule` are those of the core's `kinds.rs`; `spread` is the jitter's own parameter.
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
    server_ms: f64,
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
        cap_ms: given(cap_ms),
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
    match RetryPolicy::resolve(&options).hinted_ms(&wait, server_ms, Draws { r, r2 }) {
        Some(delay_ms) if (0.0..=MAX_MS).contains(&delay_ms) => delay_ms,
        Some(_) => f64::NAN,
        None => HINT_TOO_LONG,
    }
}

/// The `nth` draw, 0 to 2, of an attempt of an operation: uniform on [0, 1).
#[must_use]
#[cfg_attr(all(feature = "driver", target_family = "wasm"), unsafe(no_mangle))]
pub extern "C" fn draw(
    seed_high: u32,
    seed_low: u32,
    operation: f64,
    attempt: f64,
    nth: u32,
) -> f64 {
    let seed = seed_of(seed_high, seed_low);
    seed.draw(count(operation), count(attempt), u64::from(nth))
}

/// A seed from its halves: JavaScript's numbers do not hold 64 bits.
#[inline]
pub(super) fn seed_of(high: u32, low: u32) -> Seed {
    Seed::new(u64::from(high) << 32 | u64::from(low))
}

pub(super) fn given(value: f64) -> Option<f64> {
    Some(value).filter(|value| !value.is_nan())
}

/// A whole number that the driver counted; more than it can count if it is infinite.
pub(super) fn count(value: f64) -> u64 {
    // Not by the conversion's own saturation: JavaScript that is generated from the wasm file converts only
    // numbers that the type holds.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let count = value.min(UNCOUNTED) as u64;
    count
}
