//! A policy's data, written as `toJSON()` of the JavaScript package writes them.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::read::camel_case;
use super::{PolicyData, VERSION};
use crate::core::elementary::floor;
use crate::core::{Backoff, CapRule, Jitter, MAX_MS};

/// JSON has no infinity. Whole numbers are integers, which readers of all languages take, and which no reader rounds.
struct Ms(f64);

impl Serialize for Ms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == f64::INFINITY {
            serializer.serialize_str("Infinity")
        } else if self.0 >= 0.0 && self.0 <= MAX_MS && floor(self.0) == self.0 {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let whole = self.0 as u64;
            serializer.serialize_u64(whole)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

struct JitterData(Jitter);

impl Serialize for JitterData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((name, value)) = self.0.parameter() else {
            return serializer.serialize_str(self.0.name());
        };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", self.0.name())?;
        map.serialize_entry(&camel_case(name), &Ms(value))?;
        map.end()
    }
}

#[derive(Serialize)]
struct SeedData {
    bits: String,
}

impl Serialize for PolicyData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let options = &self.options;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", &VERSION)?;
        if options.backoff == Backoff::Custom {
            let curve = self.curve.iter().flatten().copied().map(Ms);
            map.serialize_entry("backoff", &curve.collect::<Vec<_>>())?;
        } else {
            map.serialize_entry("backoff", options.backoff.name())?;
        }
        map.serialize_entry("jitter", &JitterData(options.jitter))?;
        if options.cap_rule != CapRule::Bound {
            map.serialize_entry("capRule", options.cap_rule.name())?;
        }
        if let Some(seed) = self.seed {
            let bits = seed.bits().to_string();
            map.serialize_entry("seed", &SeedData { bits })?;
        }
        for (name, ms) in [
            ("baseMs", options.base_ms),
            ("capMs", options.cap_ms),
            ("minMs", options.min_ms),
            ("factor", options.factor),
            ("stepMs", options.step_ms),
            ("truncateAt", options.truncate_at.map(f64::from)),
            ("maxRetryAfterMs", options.max_retry_after_ms),
            ("maxAttempts", options.max_attempts.map(attempts)),
            ("attemptTimeoutMs", self.attempt_timeout_ms),
            ("totalTimeoutMs", self.total_timeout_ms),
        ] {
            if let Some(ms) = ms {
                map.serialize_entry(name, &Ms(ms))?;
            }
        }
        if options.cap_long_retry_after {
            map.serialize_entry("longRetryAfter", "cap")?;
        }
        if let Some(name) = &self.name {
            map.serialize_entry("name", name)?;
        }
        if self.unref {
            map.serialize_entry("unref", &true)?;
        }
        if self.wrap_error {
            map.serialize_entry("finalError", "wrap")?;
        }
        if self.reject_result {
            map.serialize_entry("finalResult", "reject")?;
        }
        if self.metrics {
            map.serialize_entry("metrics", &true)?;
        }
        map.end()
    }
}

/// No program reaches a limit beyond 2^53, which readers refuse.
#[allow(clippy::cast_precision_loss)]
fn attempts(count: u64) -> f64 {
    let number = count as f64;
    if number > MAX_MS {
        f64::INFINITY
    } else {
        number
    }
}
