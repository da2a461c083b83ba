//! The Rust API: operations retried on the same core, decisions and draws as in JavaScript.
//!
//! Data flows one way: [`Retry`] collects what the caller wants; [`Operation`](operation) keeps
//! one operation's state and knows neither futures nor threads; [`RetryFuture`] and
//! [`Retry::call`] run the attempts and the waits through a [`Sleeper`].

#![forbid(unsafe_code)]

mod attempt;
#[cfg(not(target_arch = "wasm32"))]
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
#[cfg(not(target_arch = "wasm32"))]
pub use blocking::{BlockingSleeper, retry_blocking, retry_blocking_with_attempt};
pub use builder::{Retry, retry, retry_with_attempt};
pub use duration::duration_from_ms;
pub use error::{AttemptError, RetryError};
pub use future::RetryFuture;
pub use hooks::FailureEvent;
pub use report::{AttemptRecord, RetryReport};
#[cfg(not(any(target_arch = "wasm32", feature = "tokio")))]
pub use sleeper::NoSleeper;
pub use sleeper::{DefaultSleeper, Sleeper};
#[cfg(target_arch = "wasm32")]
pub use sleepers::js::{JsSleep, JsSleeper};
#[cfg(not(target_arch = "wasm32"))]
pub use sleepers::thread::ThreadSleeper;
#[cfg(all(not(target_arch = "wasm32"), feature = "tokio"))]
pub use sleepers::tokio::TokioSleeper;
pub use verdict::Verdict;
