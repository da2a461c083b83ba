//! Reading the test vectors, natively and in wasm.

#![allow(dead_code)]

#[cfg(feature = "lab")]
pub mod differential;
pub mod http;
#[cfg(feature = "protection")]
pub mod protected;
pub mod random;
pub mod words;

use rejitter::internals::CapRule;
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed, UNLIMITED};
use serde_json::Value;

pub const VECTORS: &str = include_str!("../vectors/delays.json");

pub struct Vector {
    pub name: String,
    pub policy: RetryPolicy,
    pub seed: Seed,
    pub delays: Vec<f64>,
}

pub fn vectors(text: &str) -> Vec<Vector> {
    let all: Vec<Value> = serde_json::from_str(text).expect("vectors are JSON");
    all.iter()
        .map(|vector| Vector {
            name: format!("{} seed {}", vector["options"], vector["seed"]),
            policy: RetryPolicy::from_options(options(&vector["options"]))
                .expect("vectors are valid"),
            seed: seed(&vector["seed"]),
            delays: vector["delays"]
                .as_array()
                .expect("delays is a list")
                .iter()
                .map(number)
                .collect(),
        })
        .collect()
}

pub fn seed(value: &Value) -> Seed {
    match value {
        Value::String(text) => Seed::from(text.as_str()),
        other => Seed::new(
            other
                .as_u64()
                .expect("a seed is a string or a whole number"),
        ),
    }
}

/// Options by their JavaScript names; Infinity is written as a string.
pub fn options(value: &Value) -> RetryOptions {
    let mut options = RetryOptions::default();
    for (name, value) in value.as_object().expect("options is an object") {
        match name.as_str() {
            "backoff" => {
                options.backoff = match value.as_str() {
                    Some("fixed") => Backoff::Fixed,
                    Some("linear") => Backoff::Linear,
                    Some("exponential") => Backoff::Exponential,
                    Some("truncated") => Backoff::Truncated,
                    Some("fibonacci") => Backoff::Fibonacci,
                    _ => panic!("no backoff: {value}"),
                }
            }
            "jitter" => {
                options.jitter = match value.as_str() {
                    Some("none") => Jitter::None,
                    Some("full") => Jitter::Full,
                    Some("equal") => Jitter::Equal,
                    Some("decorrelated") => Jitter::Decorrelated,
                    Some("decorrelatedBounded") => Jitter::DecorrelatedBounded,
                    Some("slotted") => Jitter::Slotted,
                    Some("pollyV2") => Jitter::PollyV2,
                    _ => jitter_object(value),
                }
            }
            "baseMs" => options.base_ms = Some(number(value)),
            "capMs" => options.cap_ms = Some(number(value)),
            "minMs" => options.min_ms = Some(number(value)),
            "factor" => options.factor = Some(number(value)),
            "stepMs" => options.step_ms = Some(number(value)),
            "truncateAt" => {
                options.truncate_at = value.as_u64().and_then(|n| u32::try_from(n).ok());
            }
            "capRule" => {
                options.cap_rule = match value.as_str() {
                    Some("bound") => CapRule::Bound,
                    Some("ceiling") => CapRule::Ceiling,
                    Some("draw") => CapRule::Draw,
                    _ => panic!("no cap rule: {value}"),
                }
            }
            "maxRetryAfterMs" => options.max_retry_after_ms = Some(number(value)),
            "maxAttempts" => options.max_attempts = value.as_u64().or(Some(UNLIMITED)),
            _ => panic!("no option: {name}"),
        }
    }
    options
}

fn jitter_object(value: &Value) -> Jitter {
    match (
        value["type"].as_str(),
        value.get("ratio"),
        value.get("maxMs"),
    ) {
        (Some("proportional"), Some(ratio), None) => Jitter::Proportional {
            ratio: number(ratio),
        },
        (Some("additive"), Some(ratio), None) => Jitter::Additive {
            ratio: number(ratio),
        },
        (Some("additive"), None, Some(max)) => Jitter::AdditiveMax {
            max_ms: number(max),
        },
        _ => panic!("no jitter: {value}"),
    }
}

pub fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("Infinity") => f64::INFINITY,
        _ => value.as_f64().expect("a number or \"Infinity\""),
    }
}
