//! The Rust API: operations retried on the same core, decisions and draws as in JavaScript.
//!
//! Data flows one way: [`Retry`] collects the caller's settings; [`Operation`](operation) keeps
//! one operation's state and knows neither futures nor threads; [`Retry::poll`](Future::poll) and
//! [`BlockingRetry::call`] run the attempts and the waits through a [`Sleeper`].

// Rounds have more than one attempt, and draws serve more than waits, only in protected operations.
#![cfg_attr(
    not(feature = "protection"),
    allow(dead_code, unused_variables, clippy::unused_self)
)]

mod attempt;
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod blocking;
mod builder;
pub(crate) mod clock;
mod error;
mod failure;
mod future;
mod hooks;
mod nanos;
mod operation;
mod outcome;
mod parts;
#[cfg(feature = "protection")]
mod protection;
#[cfg(feature = "protection")]
mod race;
#[cfg(feature = "retry")]
pub mod reconnect;
mod report;
mod rounds;
mod row;
mod settings;
mod sleeper;
mod sleepers;
#[cfg(feature = "retry")]
pub mod testing;
mod verdict;
mod waiting;

pub use attempt::Attempt;
#[cfg(feature = "tower")]
pub(crate) use attempt::private::Sealed;
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use blocking::{
    BlockingRetry, BlockingRetryExt, BlockingSleeper, retry_blocking, retry_blocking_with_attempt,
};
pub use builder::{RetryExt, retry, retry_with, retry_with_attempt};
#[cfg(feature = "protection")]
pub use error::RejectedError;
pub use error::{AttemptError, RetryError, TimeoutError};
pub use future::Retry;
pub use hooks::{FailureEvent, Hooks};
#[cfg(feature = "protection")]
pub use protection::{
    BreakerOptions, BreakerState, BreakerStatus, BudgetOptions, BudgetStatus, CooldownOptions,
    CooldownStatus, HedgeOptions, HedgeStatus, LimiterOptions, LimiterStatus, Protection,
    ProtectionChange, ProtectionEvent, ProtectionStatus,
};
pub use report::{AttemptRecord, RetryReport};
pub use sleeper::{Sleeper, sleep_fn};
#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
pub use sleepers::JsSleeper;
#[cfg(feature = "tokio")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use sleepers::TokioSleeper;
pub(crate) use types::*;
#[cfg(feature = "protection")]
pub use verdict::Signal;
pub use verdict::Verdict;

/// Types and traits that programs need not name: those in signatures and in the types of operations.
pub mod types {
    pub use super::attempt::{Callback, StatefulFuture, TryFuture, WithAttempt, WithState};
    #[cfg(feature = "retry")]
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pub use super::blocking::{BlockingOutput, ThreadSleeper};
    #[doc(hidden)]
    pub use super::outcome::Kept;
    pub use super::outcome::{Outcome, Plain, Protect, Reported};
    #[cfg(feature = "protection")]
    pub use super::protection::{Hedged, Protected};
    pub use super::sleeper::SleepFn;
    pub use super::sleepers::DefaultSleeper;
    #[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
    pub use super::sleepers::JsSleep;
    #[cfg(feature = "tower")]
    pub use crate::neighbours::Retried;
    #[cfg(all(feature = "tower", feature = "protection"))]
    pub use crate::neighbours::{HedgedBy, ProtectedBy, SignalledBy};
}
