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

/// Runs [`Breaker::admit`]. Returns the time in ms after which asking again makes sense, or the ticket, below 0.
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn admit(
    breaker: &mut Breaker,
    options: &BreakerSettings,
    now: f64,
    first: bool,
) -> f64 {
    match breaker.admit(options, now, first) {
        Admission::Admitted { ticket } => -ticket,
        Admission::Rejected { retry_after_ms } => retry_after_ms,
    }
}

/// Runs [`Breaker::ended`]. JavaScript passes and receives the codes of both enums.
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn ended(
    breaker: &mut Breaker,
    options: &BreakerSettings,
    now: f64,
    draw: f64,
    ticket: f64,
    verdict: Verdict,
    hint_ms: f64,
) -> Change {
    breaker.ended(options, now, draw, ticket, verdict, hint_ms)
}

/// Runs [`Breaker::open`].
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn open(breaker: &mut Breaker, options: &BreakerSettings, now: f64, ms: f64) {
    breaker.open(options, now, ms);
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
