//! Reading the test vectors, natively and in wasm.

#![allow(dead_code)]

pub mod clockless;
pub mod differential;
pub mod fields;
pub mod http;
pub mod protected;
pub mod random;
mod rows;
pub mod words;

pub use rows::*;

use rejitter::{RetryPolicy, Seed};
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
            policy: policy(&vector["options"]),
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

/// The waits of an operation in ms.
pub fn delays_ms(policy: &RetryPolicy, seed: Seed) -> impl Iterator<Item = f64> {
    let mut delays = policy.delays(seed);
    std::iter::from_fn(move || delays.next_ms())
}
