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
//! It also runs the attempts and the waits: `retry` for futures, on wasm with the host's timers and
//! elsewhere with those of Tokio or of any other runtime, and `retry_blocking` for threads.
//!
//! # Features
//!
//! [`core`], re-exported here, is always there. The rest:
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `full` | yes | `retry`, `lab` and `driver`: what `wasm-pack build` makes an npm package of |
//! | `retry` | yes | `retry`, `retry_blocking`, their waits and errors, `Seed::random` |
//! | `lab` | yes | `lab`, `simulation` and `data`: distributions, explanations, simulations, policies as data |
//! | `tokio` | no | Tokio's timers, unless another sleeper is set; not on wasm |
//! | `driver` | yes | exports for the npm package in the wasm file; nothing for Rust |
//!
//! A Rust program that only retries takes `default-features = false` and `retry` or `tokio`.
//!
//! # Words
//!
//! An *operation* is one retried piece of work; an *attempt* is one try of it, numbered
//! from 1; *wait* k follows failed attempt k; the *ceiling* is the backoff curve's value at wait
//! k, already capped; *jitter* is how the wait is drawn below it. All times are milliseconds.

// docs.rs says what needs which feature.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(
    missing_debug_implementations,
    missing_docs,
    rust_2018_idioms,
    unreachable_pub
)]
#![warn(clippy::pedantic)]
// Equality to the last bit is what this crate promises, so it is what is compared.
#![allow(clippy::float_cmp)]

pub mod core;

#[cfg(feature = "lab")]
pub mod data;

#[cfg(feature = "lab")]
pub mod lab;

#[cfg(feature = "retry")]
mod entropy;

#[cfg(feature = "lab")]
pub mod simulation;

#[cfg(target_arch = "wasm32")]
pub mod bindings;

#[cfg(feature = "retry")]
mod retry;

pub use crate::core::{
    Backoff, CapRule, Decision, Delays, Draws, Failure, Hint, Jitter, MAX_MS, OptionError,
    OptionErrors, Previous, RetryOptions, RetryPolicy, Seed, StopReason, UNLIMITED, Wait,
};
#[cfg(feature = "retry")]
pub use retry::*;

// Compiles and runs the Rust examples of the README, where there are threads and Tokio.
#[cfg(all(doctest, feature = "full", not(target_arch = "wasm32")))]
#[doc = include_str!("../README.md")]
struct Readme;
