//! The bare core, for a loop of your own: numbers in, numbers out.
//!
//! ```
//! use rejitter::decide::{Decision, Failure, Previous, duration_from_ms};
//! use rejitter::{Jitter, RetryPolicy, Seed};
//!
//! let policy = RetryPolicy::exponential().with_jitter(Jitter::Decorrelated);
//! let (seed, mut previous, mut waits) = (Seed::from("docs"), None, Vec::new());
//! for attempt in 1.. {
//!     // The attempt fails.
//!     let draws = seed.draws(0, attempt);
//!     let failure = Failure { previous, ..Failure::of_attempt(attempt) };
//!     let Decision::Retry { delay_ms } = policy.decide(&failure, draws) else { break };
//!     previous = Some(Previous { delay_ms, r: draws.r }); // some jitters draw from it
//!     waits.push(duration_from_ms(delay_ms));
//! }
//! // All the waits of one operation, as an iterator:
//! assert!(policy.delays("docs").eq(waits));
//! ```

#[cfg(feature = "http")]
pub use crate::core::http::{HintHeaders, retry_after_ms};
pub use crate::core::{Decision, Draws, Failure, Hint, MAX_MS, OptionError, Previous};
pub use crate::policy::duration_from_ms;
