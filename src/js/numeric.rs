//! The core as a function of numbers, which the driver calls once per failed attempt.
//!
//! Numbers only: a string or a slice would bring an allocator, memory and glue into the thin
//! build. The driver validated the options and keeps the operation's state; this side checks the
//! numbers again, because it must not trust them.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::{
    Backoff, Decision, Failure, Jitter, RetryOptions, RetryPolicy, Seed, StopReason, UNLIMITED,
};

/// The largest integer that a number counts exactly.
const MAX_COUNT: f64 = crate::core::MAX_MS;

/// What follows a failed attempt: the wait in ms, or −1 exhausted, −2 deadline; NaN when the
/// numbers are no policy.
///
/// NaN stands for "not given" in the options, in `previous_ms` (before the first wait) and in
/// `draw`: without an injected draw it is made from seed, operation and attempt. The codes of
/// `backoff` and `jitter` are their positions in `src/js/options.js`.
#[must_use]
#[wasm_bindgen(skip_typescript)]
#[allow(clippy::too_many_arguments)]
pub fn decide(
    backoff: u32,
    jitter: u32,
    base_ms: f64,
    cap_ms: f64,
    min_ms: f64,
    factor: f64,
    step_ms: f64,
    truncate_at: f64,
    max_attempts: f64,
    attempt: f64,
    previous_ms: f64,
    remaining_ms: f64,
    seed_high: u32,
    seed_low: u32,
    operation: f64,
    draw: f64,
) -> f64 {
    let policy = (|| {
        RetryPolicy::new_checked(&RetryOptions {
            backoff: backoff_of(backoff)?,
            jitter: jitter_of(jitter)?,
            base_ms: given(base_ms),
            cap_ms: given(cap_ms),
            min_ms: given(min_ms),
            factor: given(factor),
            step_ms: given(step_ms),
            truncate_at: match given(truncate_at) {
                None => None,
                Some(n) => Some(u32::try_from(count(n)?).ok()?),
            },
            max_attempts: match given(max_attempts) {
                None => None,
                Some(f64::INFINITY) => Some(UNLIMITED),
                Some(n) => Some(count(n)?),
            },
        })
    })();
    let (Some(policy), Some(attempt), Some(operation)) = (policy, count(attempt), count(operation))
    else {
        return f64::NAN;
    };
    let draw = given(draw).unwrap_or_else(|| {
        Seed::new(u64::from(seed_high) << 32 | u64::from(seed_low)).draw(operation, attempt)
    });
    let failure = Failure {
        attempt,
        previous_ms: given(previous_ms),
        remaining_ms,
    };
    match policy.decide(&failure, draw) {
        Decision::Retry { delay_ms } => delay_ms,
        Decision::Stop(StopReason::Exhausted) => -1.0,
        Decision::Stop(StopReason::Deadline) => -2.0,
    }
}

fn backoff_of(code: u32) -> Option<Backoff> {
    Some(match code {
        0 => Backoff::Fixed,
        1 => Backoff::Linear,
        2 => Backoff::Exponential,
        3 => Backoff::Truncated,
        _ => return None,
    })
}

fn jitter_of(code: u32) -> Option<Jitter> {
    Some(match code {
        0 => Jitter::None,
        1 => Jitter::Full,
        2 => Jitter::Equal,
        3 => Jitter::Decorrelated,
        _ => return None,
    })
}

fn given(value: f64) -> Option<f64> {
    Some(value).filter(|value| !value.is_nan())
}

/// A whole number that an `f64` counts exactly.
fn count(value: f64) -> Option<u64> {
    // In range and whole: the conversion is exact.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    ((0.0..=MAX_COUNT).contains(&value) && value.trunc() == value).then_some(value as u64)
}
