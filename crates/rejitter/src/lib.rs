//! Retries with backoff and jitter, for asynchronous and blocking code.
//!
//! ```toml
//! [dependencies]
//! rejitter = { version = "0.1", features = ["tokio"] } # waits on Tokio's timers
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```ignore-wasm32
//! use rejitter::{RetryError, RetryPolicy, retry};
//! use std::time::Duration;
//!
//! const POLICY: RetryPolicy = RetryPolicy::exponential() // with full jitter
//!     .with_base(Duration::from_millis(250))
//!     .with_max_attempts(4);
//!
//! #[derive(Debug)]
//! struct ApiError { status: u16, retry_after: Option<Duration> }
//!
//! async fn call_api(path: &str) -> Result<String, ApiError> {
//!     Ok(format!("hello from {path}")) // send a request here
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), RetryError<ApiError>> {
//!     let text = retry(POLICY, || call_api("/greeting"))
//!         .when(|error| error.status == 429 || error.status >= 500)
//!         .hint(|error| error.retry_after) // what the server asked for
//!         .total_timeout(Duration::from_secs(20)) // waits and attempts
//!         .await?;
//!     println!("{text}");
//!     Ok(())
//! }
//! ```
//!
//! - [`retry()`], or [`RetryExt::retry`] as a method, is a future of `Result<T, E>` with the callback's own
//!   error. It waits on Tokio's timers with the feature `tokio`; [`Retry::sleep`] takes those of any runtime.
//! - [`RetryPolicy`] is a constant of [`Duration`](std::time::Duration)s. [`presets`] has the settings of other
//!   systems.
//! - [`Retry::when`] decides whether an error is retried, [`Retry::hint`] reads what a server requested, and
//!   [`Retry::total_timeout`] sets a deadline that no wait passes.
//! - [`Retry::report`] and the timeouts return a [`RetryError`] with the reason and a report.
//! - [`Protection`], with the feature `protection`, is shared by operations that call the same destination: a budget
//!   for retries, a breaker, a cooldown, hedges for slow attempts.
//! - [`retry_with`] retries work on state that one attempt has at a time; `retry_blocking` is for threads.
//! - [`testing::VirtualTime`] tests all that without waiting.
//!
//! The [`guide`] explains them by topic, with programs to start from. The [site](https://rejitter.github.io/rejitter/)
//! draws the strategies, and has the [documentation](https://rejitter.github.io/rejitter/docs/) of the npm package
//! `rejitter`, which makes the same decisions, bit for bit.
//!
//! The pure core, for a loop of your own, is in [`decide`]. Types that programs need not name are in [`types`].
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `retry` | yes | `retry`, `retry_blocking`, their waits and errors, `Seed::random` |
//! | `protection` | no | `Protection`: budgets, breakers, cooldowns, limiters and hedges that operations share |
//! | `tokio` | no | Tokio's timers, where no other sleeper is set; nothing on `wasm32-unknown-unknown` |
//! | `js` | no | timers, clocks and randomness of JavaScript hosts, on `wasm32-unknown-unknown` |
//! | `tower` | no | `RetryLayer`, a layer for Tower's services |
//! | `retry-policies` | no | [`RetryPolicy`] where a policy of `retry-policies` goes, such as in `reqwest-retry` |
//! | `serde` | no | [`RetryPolicy`] and [`RetryOptions`] as data, and `data`: all of JavaScript's `policy.toJSON()` |
//! | `http` | no | `Retry-After` and the statuses and methods that may be sent again, for any HTTP client |
//! | `async` | yes | of `retry`, what needs no `std`: `retry` with a sleeper and a seed of the caller's |
//! | `std` | yes | implied by those above but `http` and `async` |
//!
//! Features only add: none changes what another brings. Without `std` the crate is `no_std` and needs `alloc`.
//! Without `async`, too, it only decides; the attempts and the waits are then the caller's.
//!
//! # Words
//!
//! An *operation* is one retried piece of work; an *attempt* is one try of it, numbered
//! from 1; *wait* k follows failed attempt k; the *ceiling* is the backoff curve's value at wait
//! k, already capped; *jitter* is how the wait is drawn below it. Names that end in `_ms` are milliseconds.

// docs.rs says what needs which feature. Not the default ones, nor `internals` and `machines`, which programs do not
// name, nor the hosts, which the texts name.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    docsrs,
    doc(auto_cfg(hide(
        feature = "async",
        feature = "internals",
        feature = "machines",
        feature = "retry",
        feature = "std",
        target_family = "wasm",
        target_os = "unknown"
    )))
)]
// Tests have the standard library in any case.
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
// Warnings, which the tests take for errors: compilers differ in what they warn of, and a program that has the crate in
// a folder must build with all of them. The pedantic ones demand a reason for each cast that may lose something.
#![warn(
    clippy::pedantic,
    missing_debug_implementations,
    missing_docs,
    rust_2018_idioms,
    unreachable_pub
)]
// Equality to the last bit is what this crate promises, so it is what is compared.
#![allow(clippy::float_cmp)]

extern crate alloc;

// Private: a public module of this name would hide the crate `core` from who writes `use rejitter::*`.
mod core;

#[cfg(feature = "serde")]
pub mod data;

// In the documentation alone: nothing can import it, and no glob brings it in.
#[cfg(all(doc, feature = "retry"))]
pub mod guide;

#[cfg(feature = "async")]
mod entropy;

pub mod decide;

#[doc(hidden)]
pub mod internals;

mod policy;

mod neighbours;

#[cfg(feature = "async")]
mod retry;

#[cfg(feature = "http")]
pub use crate::core::http::{StatusRule, is_idempotent};
pub use crate::core::{
    Backoff, Jitter, OptionErrors, RetryOptions, RetryPolicy, Seed, StopReason, UNLIMITED,
};
#[cfg(feature = "async")]
pub use entropy::EntropyError;
#[cfg(all(feature = "http", feature = "std"))]
pub use neighbours::retry_after;
#[cfg(feature = "tower")]
pub use neighbours::{Classify, RetryLayer, RetryService};
pub use policy::{Delays, presets};
#[cfg(feature = "async")]
pub use retry::*;
