//! The decisions: pure functions over numbers.
//!
//! Nothing here reads a clock, draws a random number itself, waits, or knows a JavaScript
//! value. Time, randomness and configuration come in; decisions go out. That is what makes them
//! equal, bit for bit, in native Rust and in WebAssembly, and testable without sleeping.
//!
//! Data flows one way: [`RetryOptions`] → [`RetryPolicy`] → [`Decision`].

// A way to panic needs a comment with its reason.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]
// Inlined into one function of numbers, a policy lives in locals: the thin wasm file then has no
// memory at all, and is a quarter smaller.
#![allow(clippy::inline_always)]

mod backoff;
mod decision;
mod delay;
pub(crate) mod elementary;
mod getters;
#[cfg(feature = "http")]
pub mod http;
mod jitter;
pub mod kinds;
mod options;
mod policy;
mod problems;
#[cfg(feature = "machines")]
pub mod protection;
pub(crate) mod random;
mod waits;

pub use backoff::Backoff;
pub use decision::{Decision, Failure, Hint, StopReason};
pub use delay::{Previous, Wait};
pub use elementary::MAX_MS;
pub(crate) use elementary::or;
pub(crate) use getters::getters;
pub use jitter::{CapRule, Jitter};
#[cfg(feature = "machines")]
pub(crate) use options::options;
pub use options::{RetryOptions, UNLIMITED};
pub(crate) use policy::Own;
pub use policy::RetryPolicy;
#[cfg(feature = "machines")]
pub(crate) use problems::{NOT_NEGATIVE, Problems, Range, within};
pub use problems::{OptionError, OptionErrors};
pub use random::{Draws, Seed};
pub(crate) use waits::Waits;
