//! A guide by topic, with programs to start from.
//!
//! - [`policies`]: which backoff, which jitter, how many attempts.
//! - [`errors`]: what to retry, what not, and when the server wants it.
//! - [`deadlines`]: timeouts, cancellation and shutdown.
//! - [`progress`]: downloads, streams and batches.
//! - [`protection`]: budgets, breakers, cooldowns, limiters and hedges that operations share.
//! - [`connections`]: a worker that reconnects.
//! - [`runtimes`]: Tokio and others, threads, JavaScript hosts, programs without `std`.
//! - [`reports`]: why an operation ended, logs, metrics.
//! - [`testing`]: hours of retries at once.
//!
//! The guide has no items. `rejitter::guide` exists in the documentation alone, so nothing can import it.
//!
//! The [documentation of the npm package](https://rejitter.github.io/rejitter/docs/) shares the formulas and the
//! presets. It also maps [backon and
//! tokio-retry](https://rejitter.github.io/rejitter/docs/migration/backon-tokio-retry.html) to this crate, method by
//! method. The [demo page](https://rejitter.github.io/rejitter/) draws every strategy.

// The pages link to them.
use crate::{
    Hooks, Jitter, Protection, Retry, RetryError, RetryPolicy, Seed, Signal, Sleeper, StopReason,
    Verdict, presets, reconnect::Connection, reconnect::KeepConnected, reconnect::keep_connected,
    retry_with, testing::VirtualTime,
};

#[doc = include_str!("policies.md")]
pub mod policies {}

#[doc = include_str!("errors.md")]
pub mod errors {}

#[doc = include_str!("deadlines.md")]
pub mod deadlines {}

#[doc = include_str!("progress.md")]
pub mod progress {}

#[doc = include_str!("protection.md")]
pub mod protection {}

#[doc = include_str!("connections.md")]
pub mod connections {}

#[doc = concat!(include_str!("runtimes.md"), "\n```ignore\n", include_str!("embassy.rs"), "```")]
pub mod runtimes {}

#[doc = include_str!("reports.md")]
pub mod reports {}

#[doc = include_str!("testing.md")]
pub mod testing {}
