//! The machines of protection as functions of numbers in memory.
//!
//! No wasm file of them is published. The build makes JavaScript of it in which an address is an array of the numbers
//! (xtask/npm/machines.mjs): JavaScript keeps the state of each machine, a plain array per part and key. There is no
//! allocation, and nothing is kept between two calls.

use rejitter::internals::protection::{
    Admission, Breaker, BreakerNumbers, BreakerSettings, Budget, Change, Cooldown, Verdict,
};

macro_rules! exports {
    ($($name:ident = $machine:ident.$method:ident($($arg:ident: $type:ty),*) $(-> $answer:ty)?;)+) => {$(
        #[doc = concat!("Runs [`", stringify!($machine), "::", stringify!($method), "`].")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(machine: &mut $machine, $($arg: $type),*) $(-> $answer)? {
            machine.$method($($arg),*)
        }
    )+};
}

// JavaScript passes and receives the codes of both enums of `ended`.
exports! {
    take = Budget.take(capacity: f64, cost: f64) -> bool;
    tokens = Budget.tokens(capacity: f64) -> f64;
    start = Cooldown.start(now: f64, hint_ms: f64) -> bool;
    left = Cooldown.left_ms(now: f64) -> f64;
    hold = Cooldown.hold_ms(now: f64, base_ms: f64, draw: f64) -> f64;
    look = Breaker.look(now: f64) -> f64;
    ended = Breaker.ended(
        options: &BreakerSettings, now: f64, draw: f64, ticket: f64, verdict: Verdict, hint_ms: f64
    ) -> Change;
    open = Breaker.open(options: &BreakerSettings, now: f64, ms: f64);
    close = Breaker.close(now: f64);
}

/// Runs [`Breaker::admit`]. Returns the time in ms after which asking again makes sense, or the ticket, below 0.
#[must_use]
#[unsafe(no_mangle)]
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

/// Runs [`Breaker::numbers`], and writes them to `numbers`.
#[unsafe(no_mangle)]
pub extern "C" fn numbers(
    breaker: &mut Breaker,
    options: &BreakerSettings,
    numbers: &mut BreakerNumbers,
    now: f64,
) {
    *numbers = breaker.numbers(options, now);
}
