//! Options and policies in data: a configuration file, or what JavaScript's `policy.toJSON()` wrote.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{PolicyData, VERSION, Value};
use crate::core::{Backoff, RetryOptions, RetryPolicy};

/// With the feature `serde`, options are read by their JavaScript names, and all that is wrong is one error.
/// `version` may be omitted. What options do not hold, such as a timeout, is invalid:
/// [`PolicyData`](crate::data::PolicyData) holds it.
impl<'de> Deserialize<'de> for RetryOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        if let Value::Object(entries) = &mut value {
            if !entries.iter().any(|(name, _)| name == "version") {
                entries.push(("version".to_owned(), Value::Number(f64::from(VERSION))));
            }
        }
        let data = PolicyData::of_options(&value).map_err(D::Error::custom)?;
        let options = data.options;
        if data == PolicyData::from(options) {
            Ok(options)
        } else {
            Err(D::Error::custom(
                "only backoff (by name), jitter and their numbers are options here: read the rest with PolicyData",
            ))
        }
    }
}

/// Writes what `policy.toJSON()` of the JavaScript package writes. A custom backoff is a function, and no data.
impl Serialize for RetryOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.backoff == Backoff::Custom {
            return Err(S::Error::custom("backoff must be data, got a custom one"));
        }
        PolicyData::from(*self).serialize(serializer)
    }
}

/// See `RetryOptions`.
impl<'de> Deserialize<'de> for RetryPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let options = RetryOptions::deserialize(deserializer)?;
        Self::from_options(options).map_err(D::Error::custom)
    }
}

/// See `RetryOptions`.
impl Serialize for RetryPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.options().serialize(serializer)
    }
}
