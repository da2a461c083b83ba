//! The Rust API: operations retried on the same core, decisions and draws as in JavaScript.
//!
//! Data flows one way: [`Retry`] collects what the caller wants; [`Operation`](operation) keeps
//! one operation's state and knows neither futures nor threads; [`RetryFuture`] and
//! [`Retry::call`] run the attempts and the waits through a [`Sleeper`].

#![forbid(unsafe_code)]

mod attempt;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod blocking;
mod builder;
mod clock;
mod duration;
mod error;
mod future;
mod hooks;
mod operation;
mod report;
mod sleeper;
mod sleepers;
pub mod testing;
mod verdict;

pub use attempt::Attempt;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use blocking::{BlockingSleeper, retry_blocking, retry_blocking_with_attempt};
pub use builder::{Retry, retry, retry_with_attempt};
#[doc(hidden)]
pub use duration::duration_from_ms;
pub use error::{AttemptError, RetryError};
pub use future::RetryFuture;
pub use hooks::FailureEvent;
pub use report::{AttemptRecord, RetryReport};
pub use sleeper::Sleeper;
pub use sleepers::*;
pub use verdict::Verdict;
