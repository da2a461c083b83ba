//! The machines of protection as functions of numbers in memory.
//!
//! No wasm file of them is published. The build makes JavaScript of it in which an address is an array of the numbers
//! (xtask/npm/machines.mjs): JavaScript keeps the state of each machine, a plain array per part and key. There is no
//! allocation, and nothing is kept between two calls.

use crate::core::protection::{
    Admission, Breaker, BreakerNumbers, BreakerSettings, Budget, Change, Cooldown, Verdict,
};

/// Runs [`Budget::take`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn take(budget: &mut Budget, capacity: f64, cost: f64) -> bool {
    budget.take(capacity, cost)
}

/// Runs [`Budget::tokens`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn tokens(budget: &Budget, capacity: f64) -> f64 {
    budget.tokens(capacity)
}

/// Runs [`Cooldown::start`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn start(cooldown: &mut Cooldown, now: f64, hint_ms: f64) -> bool {
    cooldown.start(now, hint_ms)
}

/// Runs [`Cooldown::left_ms`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn left(cooldown: &mut Cooldown, now: f64) -> f64 {
    cooldown.left_ms(now)
}

/// Runs [`Cooldown::hold_ms`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn hold(cooldown: &mut Cooldown, now: f64, base_ms: f64, draw: f64) -> f64 {
    cooldown.hold_ms(now, base_ms, draw)
}

/// Runs [`Breaker::look`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn look(breaker: &mut Breaker, now: f64) -> f64 {
    breaker.look(now)
}

/// Runs [`Breaker::admit`]. Returns 0, or the time in ms after which asking again makes sense.
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn admit(breaker: &mut Breaker, options: &BreakerSettings, now: f64) -> f64 {
    match breaker.admit(options, now) {
        Admission::Admitted { .. } => 0.0,
        Admission::Refused { retry_after_ms } => retry_after_ms,
    }
}

/// Runs [`Breaker::ended`]. Verdicts: 0 nothing, 1 success, 2 failure. Returns 0 none, 1 opened, 2 closed.
#[must_use]
#[allow(clippy::too_many_arguments)]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn ended(
    breaker: &mut Breaker,
    options: &BreakerSettings,
    now: f64,
    draw: f64,
    generation: f64,
    lease: f64,
    verdict: u32,
    hint_ms: f64,
) -> u32 {
    let verdict = match verdict {
        0 => Verdict::Nothing,
        1 => Verdict::Success,
        _ => Verdict::Failure,
    };
    match breaker.ended(options, now, draw, generation, lease, verdict, hint_ms) {
        Change::None => 0,
        Change::Opened => 1,
        Change::Closed => 2,
    }
}

/// Runs [`Breaker::open`].
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn open(breaker: &mut Breaker, now: f64, ms: f64) {
    breaker.open(now, ms);
}

/// Runs [`Breaker::close`].
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn close(breaker: &mut Breaker, now: f64) {
    breaker.close(now);
}

/// Runs [`Breaker::numbers`], and writes them to `numbers`.
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn numbers(
    breaker: &mut Breaker,
    options: &BreakerSettings,
    numbers: &mut BreakerNumbers,
    now: f64,
) {
    *numbers = breaker.numbers(options, now);
}

/// Runs [`Breaker::is_fresh`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn fresh(breaker: &mut Breaker, options: &BreakerSettings, now: f64) -> bool {
    breaker.is_fresh(options, now)
}
