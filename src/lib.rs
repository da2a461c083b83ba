//! Retries with backoff and jitter: delays that are right, decided by a pure core.
//!
//! The same crate is the engine of the npm package `rejitter` (compiled to WebAssembly) and a
//! Rust library. [`RetryPolicy`] is made once from [`RetryOptions`] and is then asked, after each
//! failed attempt, how long to wait:
//!
//! ```
//! use rejitter::{Decision, Failure, RetryOptions, RetryPolicy, Seed};
//!
//! let policy = RetryPolicy::new(RetryOptions {
//!     base_ms: Some(100.0),
//!     cap_ms: Some(8_000.0),
//!     max_attempts: Some(5),
//!     ..RetryOptions::default() // exponential backoff, full jitter
//! })?;
//!
//! let draws = Seed::from("docs").draws(0, 1);
//! match policy.decide(&Failure::of_attempt(1), draws) {
//!     Decision::Retry { delay_ms } => assert!((0.0..=100.0).contains(&delay_ms)),
//!     Decision::Stop(reason) => println!("gives up: {reason}"),
//! }
//!
//! // All the waits of one operation, as an iterator:
//! assert_eq!(policy.delays(Seed::from("docs")).count(), 4);
//! # Ok::<(), rejitter::OptionErrors>(())
//! ```
//!
//! It also runs the attempts and the waits: `retry` for futures, with the timers of Tokio, of a JavaScript host or
//! of any other runtime, and `retry_blocking` for threads.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `retry` | yes | `retry`, `retry_blocking`, their waits and errors, `Seed::random` |
//! | `tokio` | no | Tokio's timers, where no other sleeper is set |
//! | `js` | no | the timers, clock and randomness of JavaScript hosts, on `wasm32-unknown-unknown` |
//! | `lab` | no | `lab`, `simulation` and `data`: distributions, explanations, simulations, policies as data |
//! | `std` | yes | implied by those above |
//! | `libm` | no | what the decisions need where `std` is off: `default-features = false, features = ["libm"]` |
//!
//! Features only add: none changes what another brings. Without `std` the crate is `no_std`, needs `alloc`, and
//! decides; the attempts and the waits are then the caller's.
//!
//! # Words
//!
//! An *operation* is one retried piece of work; an *attempt* is one try of it, numbered
//! from 1; *wait* k follows failed attempt k; the *ceiling* is the backoff curve's value at wait
//! k, already capped; *jitter* is how the wait is drawn below it. All times are milliseconds.

// docs.rs says what needs which feature.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Tests have the standard library in any case.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![deny(
    missing_debug_implementations,
    missing_docs,
    rust_2018_idioms,
    unreachable_pub
)]
#![warn(clippy::pedantic)]
// Equality to the last bit is what this crate promises, so it is what is compared.
#![allow(clippy::float_cmp)]

extern crate alloc;

#[cfg(not(any(feature = "std", feature = "libm")))]
compile_error!("rejitter without the feature `std` needs the feature `libm`");

// Private: a public module of this name would hide the crate `core` from who writes `use rejitter::*`.
mod core;

#[cfg(feature = "lab")]
pub mod data;

#[cfg(feature = "lab")]
pub mod lab;

#[cfg(feature = "retry")]
mod entropy;

#[cfg(feature = "lab")]
pub mod simulation;

#[cfg(feature = "retry")]
mod retry;

pub use crate::core::{
    Backoff, Decision, Delays, Failure, Hint, Jitter, MAX_MS, OptionError, OptionErrors,
    RetryOptions, RetryPolicy, Seed, StopReason, UNLIMITED,
};
#[cfg(feature = "retry")]
pub use entropy::EntropyError;
#[cfg(feature = "retry")]
pub use retry::*;

/// The decisions as they are inside: for this repository's tests, and with no promise of stability.
#[doc(hidden)]
pub mod internals {
    pub use crate::core::{CapRule, Draws, Previous, Wait, http};
}

//- What follows is not published: the exports for JavaScript, and READMEs whose Rust examples are compiled and run.
#[cfg(all(
    target_family = "wasm",
    target_os = "unknown",
    any(feature = "driver", feature = "lab-exports")
))]
pub mod bindings;

#[cfg(all(doctest, feature = "full", not(target_family = "wasm")))]
#[doc = include_str!("../README.md")]
struct Readme;
