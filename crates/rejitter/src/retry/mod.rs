//! The Rust API: operations retried on the same core, decisions and draws as in JavaScript.
//!
//! Data flows one way: [`Retry`] collects the caller's settings; [`Operation`](operation) keeps
//! one operation's state and knows neither futures nor threads; [`Retry::poll`](Future::poll) and
//! [`BlockingRetry::call`] run the attempts and the waits through a [`Sleeper`].

#![forbid(unsafe_code)]
// Rounds have more than one attempt, and draws serve more than waits, only in protected operations.
#![cfg_attr(not(feature = "protection"), allow(dead_code, unused_variables))]

mod attempt;
#[cfg(all(
    feature = "retry",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
mod blocking;
mod builder;
pub(crate) mod clock;
mod error;
mod failure;
mod future;
mod hooks;
mod operation;
mod outcome;
mod packed;
mod parts;
#[cfg(feature = "protection")]
mod protection;
#[cfg(feature = "protection")]
mod race;
#[cfg(feature = "retry")]
mod reconnect;
mod report;
mod rounds;
mod settings;
mod sleeper;
mod sleepers;
#[cfg(feature = "retry")]
pub mod testing;
mod verdict;
mod waiting;

#[cfg(feature = "tower")]
pub(crate) use attempt::private::Sealed;
pub use attempt::{Attempt, Callback, TryFuture, WithAttempt, WithState};
#[cfg(all(
    feature = "retry",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
pub use blocking::{
    BlockingRetry, BlockingRetryExt, BlockingSleeper, ThreadSleeper, retry_blocking,
    retry_blocking_with_attempt,
};
pub use builder::{RetryExt, retry, retry_with, retry_with_attempt};
#[cfg(feature = "protection")]
pub use error::RejectedError;
pub use error::{AttemptError, RetryError, TimeoutError};
pub use future::Retry;
pub use hooks::{FailureEvent, Hooks};
#[doc(hidden)]
pub use outcome::Kept;
pub use outcome::{Outcome, Plain, Protect, Reported};
#[cfg(feature = "protection")]
pub use protection::{
    BreakerOptions, BreakerState, BreakerStatus, BudgetOptions, BudgetStatus, CooldownOptions,
    CooldownStatus, HedgeOptions, HedgeStatus, Hedged, Protected, Protection, ProtectionChange,
    ProtectionEvent, ProtectionStatus,
};
#[cfg(feature = "retry")]
pub use reconnect::{Connection, End, ReconnectOptions, keep_connected};
pub use report::{AttemptRecord, RetryReport};
pub use sleeper::{SleepFn, Sleeper, sleep_fn};
pub use sleepers::*;
#[cfg(feature = "protection")]
pub use verdict::Signal;
pub use verdict::Verdict;
