//! A policy's data, written as `toJSON()` of the JavaScript package writes them.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{PolicyData, VERSION};
use crate::core::{Backoff, CapRule, Jitter, UNLIMITED};

/// JSON has no infinity.
struct Ms(f64);

impl Serialize for Ms {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == f64::INFINITY {
            serializer.serialize_str("Infinity")
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

struct JitterData(Jitter);

impl Serialize for JitterData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, name, parameter) = match self.0 {
            Jitter::None => return serializer.serialize_str("none"),
            Jitter::Full => return serializer.serialize_str("full"),
            Jitter::Equal => return serializer.serialize_str("equal"),
            Jitter::Decorrelated => return serializer.serialize_str("decorrelated"),
            Jitter::DecorrelatedBounded => return serializer.serialize_str("decorrelatedBounded"),
            Jitter::Slotted => return serializer.serialize_str("slotted"),
            Jitter::PollyV2 => return serializer.serialize_str("pollyV2"),
            Jitter::Proportional { ratio } => ("proportional", "ratio", ratio),
            Jitter::Additive { ratio } => ("additive", "ratio", ratio),
            Jitter::AdditiveMax { max_ms } => ("additive", "maxMs", max_ms),
        };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", kind)?;
        map.serialize_entry(name, &parameter)?;
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
        let name = match options.backoff {
            Backoff::Fixed => Some("fixed"),
            Backoff::Linear => Some("linear"),
            Backoff::Exponential => Some("exponential"),
            Backoff::Truncated => Some("truncated"),
            Backoff::Fibonacci => Some("fibonacci"),
            Backoff::Custom => None,
        };
        let curve = self.curve.iter().flatten().copied().map(Ms);
        match name {
            Some(name) => map.serialize_entry("backoff", name)?,
            None => map.serialize_entry("backoff", &curve.collect::<Vec<_>>())?,
        }
        map.serialize_entry("jitter", &JitterData(options.jitter))?;
        match options.cap_rule {
            CapRule::Bound => {}
            CapRule::Ceiling => map.serialize_entry("capRule", "ceiling")?,
            CapRule::Draw => map.serialize_entry("capRule", "draw")?,
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

fn attempts(count: u64) -> f64 {
    // No program reaches a limit beyond 2^53: its last bits do not matter.
    #[allow(clippy::cast_precision_loss)]
    let number = count as f64;
    if count == UNLIMITED {
        f64::INFINITY
    } else {
        number
    }
}
