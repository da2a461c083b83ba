//! The machines of protection as functions of numbers in memory.
//!
//! No wasm file of them is published. The build makes JavaScript of it in which an address is an array of the numbers
//! (xtask/npm/machines.mjs): JavaScript keeps the state of each machine, a plain array per part and key. There is no
//! allocation, and nothing is kept between two calls.

use rejitter::internals::protection::{
    Admission, Breaker, BreakerNumbers, BreakerSettings, Budget, Change, Cooldown, Limiter, Rate,
    Verdict,
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

// JavaScript passes and receives the codes of both enums of `ended`, which are among the constants.
exports! {
    take = Budget.take(capacity: f64, cost: f64) -> bool;
    tokens = Budget.tokens(capacity: f64) -> f64;
    start = Cooldown.start(now: f64, hint_ms: f64) -> bool;
    left = Cooldown.left_ms(now: f64) -> f64;
    hold = Cooldown.hold_ms(now: f64, base_ms: f64, draw: f64) -> f64;
    rest = Limiter.wait_ms(rate: &Rate, now: f64, weight: f64, queued: f64) -> f64;
    begin = Limiter.start(rate: &Rate, now: f64, weight: f64, waited: bool);
    pause = Limiter.pause(now: f64, hint_ms: f64, base_ms: f64, draw: f64) -> bool;
    look = Breaker.look(now: f64) -> f64;
    ended = Breaker.ended(
        options: &BreakerSettings, now: f64, draw: f64, ticket: f64, verdict: Verdict, hint_ms: f64
    ) -> Change;
    open = Breaker.open(options: &BreakerSettings, now: f64, ms: f64);
    close = Breaker.close(now: f64);
}

/// Constants, for which the build writes numbers.
macro_rules! constants {
    ($($name:ident = $value:expr;)+) => {$(
        #[doc = concat!("`", stringify!($value), "`.")]
        #[must_use]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub extern "C" fn $name() -> u32 {
            $value
        }
    )+};
}

constants! {
    PENDING = Budget::PENDING;
    UNTIL = Cooldown::UNTIL;
    PROBED = Cooldown::PROBED;
    COOLDOWN_FIELDS = Cooldown::FIELDS;
    PAUSED_UNTIL = Limiter::PAUSED_UNTIL;
    LIMITER_FIELDS = Limiter::FIELDS;
    WINDOW_MS = BreakerSettings::WINDOW_MS;
    BEGUN = Breaker::BEGUN;
    STARTED_AT = Breaker::STARTED_AT;
    PHASE = Breaker::PHASE;
    ROW_BEGUN = Breaker::ROW_BEGUN;
    CHANGED_AT = Breaker::CHANGED_AT;
    BREAKER_FIELDS = Breaker::FIELDS;
    NOTHING = Verdict::Nothing as u32;
    SUCCESS = Verdict::Success as u32;
    FAILURE = Verdict::Failure as u32;
    HAS_OPENED = Change::Opened as u32;
}

/// Runs [`Breaker::admit`]. Returns the ticket, or 0 if there is none. [`numbers`] then says when asking again makes
/// sense.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn admit(
    breaker: &mut Breaker,
    options: &BreakerSettings,
    now: f64,
    first: bool,
) -> f64 {
    match breaker.admit(options, now, first) {
        Admission::Admitted { ticket } => ticket,
        Admission::Rejected { .. } => 0.0,
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
