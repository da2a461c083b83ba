//! The core as functions of numbers, which the driver calls once per failed attempt.
//!
//! Numbers only: a string or a slice would bring an allocator, memory and glue into the thin
//! build. The driver validated the options; what this side checks again is the answer.

use crate::core::{
    Backoff, CapRule, Decision, Draws, Hint, Jitter, Limits, MAX_MS, RetryOptions, RetryPolicy,
    Seed, StopReason, Waits,
};

/// Larger than any count, and exact as a `u64`: 2^60.
const UNCOUNTED: f64 = 1_152_921_504_606_846_976.0;

/// Returns the wait after a failed attempt in ms, or −1 exhausted, −2 deadline, −3 hint; NaN when
/// the numbers are not a valid policy.
///
/// NaN stands for "unset" in the options, in `curve_ms` and in the hints; a `previous_ms` below 0
/// stands for no previous wait. The codes of `backoff`, `jitter` and `cap_rule` are those of
/// `src/core/kinds.rs`; `spread` is the jitter's own parameter.
#[must_use]
#[cfg_attr(all(feature = "driver", target_family = "wasm"), unsafe(no_mangle))]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn decide(
    backoff: u32,
    jitter: u32,
    cap_rule: u32,
    base_ms: f64,
    cap_ms: f64,
    min_ms: f64,
    factor: f64,
    step_ms: f64,
    truncate_at: f64,
    spread: f64,
    max_retry_after_ms: f64,
    cap_long_retry_after: bool,
    max_attempts: f64,
    attempt: f64,
    previous_ms: f64,
    previous_r: f64,
    remaining_ms: f64,
    curve_ms: f64,
    server_ms: f64,
    exactly_ms: f64,
    r: f64,
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
        factor: given(factor),
        step_ms: given(step_ms),
        truncate_at: given(truncate_at).map(wait_number),
        max_retry_after_ms: given(max_retry_after_ms),
        cap_long_retry_after,
        max_attempts: given(max_attempts).map(count),
        _more: (),
    };
    let mut waits = Waits::at(count(attempt), previous_ms, previous_r);
    let limits = Limits {
        remaining_ms,
        curve_ms: given(curve_ms),
        hint: match (given(exactly_ms), given(server_ms)) {
            (Some(ms), _) => Hint::Exactly(ms),
            (None, Some(ms)) => Hint::Server(ms),
            (None, None) => Hint::None,
        },
    };
    match waits.next(&RetryPolicy::resolve(&options), limits, Draws { r, r2 }) {
        Decision::Retry { delay_ms } if (0.0..=MAX_MS).contains(&delay_ms) => delay_ms,
        Decision::Retry { .. } => f64::NAN,
        Decision::Stop(reason) => match reason {
            StopReason::Exhausted => -1.0,
            StopReason::Deadline => -2.0,
            // All but the first are not the core's to decide.
            StopReason::Hint
            | StopReason::NotRetryable
            | StopReason::Timeout
            | StopReason::Randomness
            | StopReason::Budget
            | StopReason::Breaker
            | StopReason::Cooldown => -3.0,
        },
    }
}

/// A draw: uniform on [0, 1), lane 0 to 2 of an attempt of an operation.
#[must_use]
#[cfg_attr(all(feature = "driver", target_family = "wasm"), unsafe(no_mangle))]
pub extern "C" fn draw(
    seed_high: u32,
    seed_low: u32,
    operation: f64,
    attempt: f64,
    lane: u32,
) -> f64 {
    let seed = seed_of(seed_high, seed_low);
    seed.draw(count(operation), count(attempt), u64::from(lane))
}

/// A seed from its halves: JavaScript's numbers do not hold 64 bits.
#[inline]
pub(super) fn seed_of(high: u32, low: u32) -> Seed {
    Seed::new(u64::from(high) << 32 | u64::from(low))
}

fn given(value: f64) -> Option<f64> {
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

/// The number of a wait, which the options keep below 1,025. See [`count`].
fn wait_number(value: f64) -> u32 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let number = value.min(f64::from(u16::MAX)) as u32;
    number
}
