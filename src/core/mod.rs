//! The decisions: pure functions over numbers.
//!
//! Nothing here reads a clock, draws a random number of its own, waits, or knows a JavaScript
//! value. Time, randomness and configuration come in; decisions go out. That is what makes them
//! equal, bit for bit, in native Rust and in WebAssembly, and testable without sleeping.
//!
//! Data flows one way: [`RetryOptions`] → [`RetryPolicy`] → [`Decision`].

#![forbid(unsafe_code)]
// A cast that loses something, or a way to panic, needs its reason beside it.
#![deny(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod backoff;
mod decision;
mod delays;
mod jitter;
mod options;
mod policy;
mod random;

pub use backoff::Backoff;
pub use decision::{Decision, Failure, StopReason};
pub use delays::Delays;
pub use jitter::Jitter;
pub use options::{MAX_MS, OptionError, OptionErrors, RetryOptions, UNLIMITED};
pub use policy::RetryPolicy;
pub use random::Seed;
