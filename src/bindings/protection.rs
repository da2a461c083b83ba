//! The machines of protection as functions of numbers and registers.
//!
//! JavaScript keeps the state of each machine: an array per part and key, which its collector frees. A call copies
//! the state into the registers, runs, and copies it back. Between two calls the registers mean nothing, so a trap
//! leaves nothing behind. There is no allocator.

use std::cell::UnsafeCell;

use crate::core::protection::{
    Admission, Breaker, BreakerNumbers, BreakerSettings, Budget, Change, Cooldown, Verdict,
};

/// The registers as src/js/protection/machines.js writes and reads them: `f64`s in this order.
#[repr(C)]
struct Registers {
    breaker: Breaker,
    options: BreakerSettings,
    numbers: BreakerNumbers,
    budget: Budget,
    cooldown: Cooldown,
}

struct Shared(UnsafeCell<Registers>);

// SAFETY: the file is compiled for wasm without threads. An instance has one caller at a time.
unsafe impl Sync for Shared {}

const NO_OPTIONS: BreakerSettings = BreakerSettings {
    failure_ratio: 0.0,
    minimum_calls: 0.0,
    window_ms: 0.0,
    consecutive_failures: 0.0,
    open_ms: 0.0,
    close_after: 0.0,
};

const NO_NUMBERS: BreakerNumbers = BreakerNumbers {
    retry_after_ms: 0.0,
    failures: 0.0,
    calls: 0.0,
    opens: 0.0,
};

static REGISTERS: Shared = Shared(UnsafeCell::new(Registers {
    breaker: Breaker::new(0.0),
    options: NO_OPTIONS,
    numbers: NO_NUMBERS,
    budget: Budget::new(0.0),
    cooldown: Cooldown::new(),
}));

/// Runs `machine` on the registers.
fn with<R>(machine: impl FnOnce(&mut Registers) -> R) -> R {
    // SAFETY: the exports below are the only users, and none of them calls another or JavaScript.
    machine(unsafe { &mut *REGISTERS.0.get() })
}

/// Returns the address of the registers in the memory.
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn registers() -> *const f64 {
    REGISTERS.0.get().cast()
}

/// Runs [`Budget::take`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn take(capacity: f64, cost: f64) -> bool {
    with(|registers| registers.budget.take(capacity, cost))
}

/// Runs [`Budget::tokens`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn tokens(capacity: f64) -> f64 {
    with(|registers| registers.budget.tokens(capacity))
}

/// Runs [`Cooldown::start`].
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn start(now: f64, hint_ms: f64) {
    with(|registers| registers.cooldown.start(now, hint_ms));
}

/// Runs [`Cooldown::left_ms`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn left(now: f64) -> f64 {
    with(|registers| registers.cooldown.left_ms(now))
}

/// Runs [`Cooldown::hold_ms`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn hold(now: f64, base_ms: f64, draw: f64) -> f64 {
    with(|registers| registers.cooldown.hold_ms(now, base_ms, draw))
}

/// Runs [`Breaker::look`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn look(now: f64) -> f64 {
    with(|registers| registers.breaker.look(now))
}

/// Runs [`Breaker::admit`]. Returns 0, or the time in ms after which asking again makes sense.
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn admit(now: f64) -> f64 {
    with(
        |registers| match registers.breaker.admit(&registers.options, now) {
            Admission::Admitted { .. } => 0.0,
            Admission::Refused { retry_after_ms } => retry_after_ms,
        },
    )
}

/// Runs [`Breaker::ended`]. Verdicts: 0 nothing, 1 success, 2 failure. Returns 0 none, 1 opened, 2 closed.
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn ended(
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
    with(|registers| {
        let Registers {
            breaker, options, ..
        } = registers;
        match breaker.ended(options, now, draw, generation, lease, verdict, hint_ms) {
            Change::None => 0,
            Change::Opened => 1,
            Change::Closed => 2,
        }
    })
}

/// Runs [`Breaker::open`].
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn open(now: f64, ms: f64) {
    with(|registers| registers.breaker.open(now, ms));
}

/// Runs [`Breaker::close`].
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn close(now: f64) {
    with(|registers| registers.breaker.close(now));
}

/// Runs [`Breaker::numbers`], into the registers.
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn numbers(now: f64) {
    with(|registers| registers.numbers = registers.breaker.numbers(&registers.options, now));
}

/// Runs [`Breaker::is_fresh`].
#[must_use]
#[cfg_attr(feature = "protection-exports", unsafe(no_mangle))]
pub extern "C" fn fresh(now: f64) -> bool {
    with(|registers| registers.breaker.is_fresh(&registers.options, now))
}
