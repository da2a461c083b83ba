//! A policy as data, as `toJSON()` of the JavaScript package writes it, and back.
//!
//! Reading is strict: every name must be known, every value must have its type and range, and all
//! problems are reported at once, by the names in the data. A format's own deserialiser would guess
//! (read a missing number as 0, ignore an unknown name).

mod options;
mod read;
mod reader;
mod similar;
mod table;
mod value;
mod write;

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::core::{OptionErrors, RetryOptions, RetryPolicy, Seed};
#[cfg(feature = "internals")]
pub(crate) use reader::{camel_case, rejection};
pub use value::{MAX_LIST, Value};

/// The version of the format, in every object that is written.
pub const VERSION: u32 = 1;

/// The data of a policy.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is a switch of the format.
pub struct PolicyData {
    /// The core's options.
    pub options: RetryOptions,
    /// The values of [`Backoff::Custom`](crate::Backoff::Custom) in ms; the last repeats.
    pub curve: Option<Vec<f64>>,
    /// How long an attempt may take, in ms.
    pub attempt_timeout_ms: Option<f64>,
    /// How long an attempt may be silent, in ms. Rust keeps it for JavaScript: a future limits its own silence.
    pub idle_timeout_ms: Option<IdleTimeout>,
    /// The deadline of an operation, in ms from its start.
    pub total_timeout_ms: Option<f64>,
    /// The name of the policy's operations in events.
    pub name: Option<String>,
    /// The seed of a seeded policy.
    pub seed: Option<Seed>,
    /// Whether Node may exit while only a wait is pending.
    pub unref: bool,
    /// Whether the final error is wrapped.
    pub wrap_error: bool,
    /// Whether the operation rejects when it stops after a result.
    pub reject_result: bool,
    /// Whether operations are counted.
    pub metrics: bool,
}

/// How long an attempt may be silent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdleTimeout {
    /// From its start, in ms.
    pub first_ms: f64,
    /// From each sign of life, in ms.
    pub then_ms: f64,
}

impl PolicyData {
    /// The policy that the data describe.
    ///
    /// # Errors
    /// The errors of [`RetryPolicy::from_options`]; none for data that were read.
    pub fn policy(&self) -> Result<RetryPolicy, OptionErrors> {
        RetryPolicy::from_options(match &self.curve {
            Some(list) => self.options.of_list(list),
            None => self.options,
        })
    }
}

/// Everything that is wrong with the data of a policy: at most ten problems.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataErrors {
    pub(crate) problems: Vec<String>,
    pub(crate) wrong_type: bool,
}

impl DataErrors {
    /// The problems, each of which names the option, its rule and its value.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Whether a value has a wrong type, a name is unknown or options conflict. Otherwise values are
    /// out of range.
    #[must_use]
    pub fn is_type_error(&self) -> bool {
        self.wrong_type
    }
}

impl fmt::Display for DataErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("; "))
    }
}

impl std::error::Error for DataErrors {}

impl<'de> Deserialize<'de> for PolicyData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::try_from(&value).map_err(D::Error::custom)
    }
}
