//! The Rust API: operations retried on the same core, decisions and draws as in JavaScript.
//!
//! Data flows one way: [`Retry`] collects the caller's settings; [`Operation`](operation) keeps
//! one operation's state and knows neither futures nor threads; [`Retry::poll`](Future::poll) and
//! [`BlockingRetry::call`] run the attempts and the waits through a [`Sleeper`].
//!
//! To be read in this order: [`attempt`], [`failure`], [`decision`], [`waiting`], [`outcome`].

// Rounds have more than one attempt, and draws serve more than waits, only in protected operations.
#![cfg_attr(not(feature = "protection"), allow(dead_code, clippy::unused_self))]

mod attempt;
mod attempt_error;
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod blocking;
mod builder;
pub(crate) mod clock;
mod decision;
mod error;
mod failure;
mod future;
mod hooks;
mod limits;
mod nanos;
mod operation;
mod outcome;
mod parts;
mod protect;
#[cfg(feature = "protection")]
mod protection;
#[cfg(not(feature = "protection"))]
#[path = "unprotected.rs"]
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
mod timeouts;
mod verdict;
mod waiting;
mod with_state;

pub use attempt::Attempt;
#[cfg(feature = "tower")]
pub(crate) use attempt::private::Sealed;
#[cfg(feature = "protection")]
pub use attempt_error::RejectedError;
pub use attempt_error::{AttemptError, TimeoutError};
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use blocking::{BlockingRetry, BlockingRetryExt, retry_blocking, retry_blocking_with_attempt};
pub use builder::{RetryExt, retry, retry_with_attempt};
pub use error::RetryError;
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
#[cfg(feature = "retry")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use sleepers::BlockingSleeper;
#[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
pub use sleepers::JsSleeper;
#[cfg(feature = "tokio")]
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use sleepers::TokioSleeper;
pub(crate) use types::*;
#[cfg(feature = "protection")]
pub use verdict::Signal;
pub use verdict::Verdict;
pub use with_state::retry_with;

/// Types and traits that programs need not name: those in signatures and in the types of operations.
pub mod types {
    pub use super::attempt::{Callback, TryFuture, WithAttempt, WithState};
    #[cfg(feature = "retry")]
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pub use super::blocking::BlockingOutput;
    #[doc(hidden)]
    pub use super::outcome::Kept;
    pub use super::outcome::{Outcome, Plain, Reported};
    pub use super::protect::Protect;
    #[cfg(feature = "protection")]
    pub use super::protection::{Hedged, Protected};
    pub use super::sleeper::SleepFn;
    pub use super::sleepers::DefaultSleeper;
    #[cfg(all(target_family = "wasm", target_os = "unknown", feature = "js"))]
    pub use super::sleepers::JsSleep;
    #[cfg(feature = "retry")]
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pub use super::sleepers::ThreadSleeper;
    pub use super::with_state::StatefulFuture;
    #[cfg(feature = "tower")]
    pub use crate::neighbours::Retried;
    #[cfg(all(feature = "tower", feature = "protection"))]
    pub use crate::neighbours::{HedgedBy, ProtectedBy, SignalledBy};
}
