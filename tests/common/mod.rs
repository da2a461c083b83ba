//! Reading the test vectors, natively and in wasm.

#![allow(dead_code)]

pub mod attempts;
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

/// How many of so many cases a test tries. In Miri, which is a thousand times as slow, a thousandth: what is done to
/// memory depends on the path and not on the numbers. What is counted of them is then too little to be compared.
pub const fn some(many: u32) -> u32 {
    if cfg!(miri) {
        many.div_ceil(1_000)
    } else {
        many
    }
}

/// The same of rows: in Miri every tenth.
pub fn some_of<T>(rows: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    rows.step_by(if cfg!(miri) { 10 } else { 1 })
}

/// The rows of a table that has each in a line of its own. Miri reads a long text of JSON for many minutes.
pub fn some_rows(table: &str) -> impl Iterator<Item = Value> {
    let row = |line: &'_ str| {
        let row = line.trim().trim_end_matches(',');
        (row.starts_with('{') && row.ends_with('}')).then(|| row.to_owned())
    };
    let rows = some_of(table.lines().filter_map(row));
    rows.map(|row| serde_json::from_str(&row).expect("a row is JSON"))
}

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
