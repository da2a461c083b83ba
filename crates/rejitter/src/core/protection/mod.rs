//! The machines of protection: a budget for retries, a breaker for all attempts, a cooldown that one hint starts
//! for everyone, a limiter of their rate, and the latency that a hedge waits for.
//!
//! Each machine is a few numbers. Its methods take the time and the draws that they need, so that any clock and any
//! source of randomness will do. `now` is a monotonic time in ms from any start. A clock that stands still or goes
//! back blocks no attempt: a machine never believes in a start that lies in the future.
//!
//! The structs have `f64`s only. JavaScript keeps them as arrays, in the order of the fields
//! (`src/bindings/protection.rs`), and reads some of them itself: constants say where those are.

/// The place that a field has in JavaScript's array, of its offset in bytes.
// A struct has a few dozen fields.
#[allow(clippy::cast_possible_truncation)]
const fn place(offset: usize) -> u32 {
    (offset / size_of::<f64>()) as u32
}

mod breaker;
mod breaker_facts;
mod breaker_options;
mod budget;
mod cooldown;
mod hedge;
mod latency;
mod limiter;
mod options;
mod window;

pub use breaker::Breaker;
pub use breaker_facts::{Admission, BreakerNumbers, Change, Phase, Verdict};
pub use breaker_options::{BreakerOptions, BreakerSettings};
pub use budget::{Budget, BudgetOptions, BudgetSettings};
pub use cooldown::{Cooldown, CooldownOptions};
pub use hedge::{HedgeOptions, HedgeSettings};
pub use latency::Latency;
pub use limiter::{Limiter, LimiterOptions, LimiterSettings, Rate};
#[cfg(feature = "internals")]
pub(crate) use options::thousandths;
