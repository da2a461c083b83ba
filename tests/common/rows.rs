//! Policies and numbers of rows, for the tests of the lab, too.

use rejitter::{RetryOptions, RetryPolicy};
use serde_json::Value;

/// Options by their JavaScript names, as the crate reads data; Infinity is written as a string.
pub fn options(value: &Value) -> RetryOptions {
    serde_json::from_value(value.clone()).expect("options")
}

/// The policy of these options.
pub fn policy(value: &Value) -> RetryPolicy {
    RetryPolicy::from_options(options(value)).expect("valid options")
}

pub fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some(text) => text.parse().expect("\"NaN\" or an infinity"),
        None => value.as_f64().expect("a number"),
    }
}
