//! Golden vectors: the delays that a seed gives, the same natively, in wasm and in every release.
//!
//! `REJITTER_WRITE_VECTORS=1 cargo test --test native vectors::` adds the delays of rows that have none. Those that are
//! there stay as they are: users rely on their seeds.

use crate::common::{self, VECTORS, Vector, delays_ms, vectors};
use rejitter::decide::{Decision, Failure, Hint, Previous};
use rejitter::{RetryPolicy, Seed};
use serde_json::{Value, json};

#[test]
fn delays_equal_the_golden_vectors() {
    let delays = |row: &Value| {
        let policy = common::policy(&row["options"]);
        delays_ms(&policy, common::seed(&row["seed"])).collect()
    };
    if filled("delays", delays) {
        return;
    }
    let all = vectors(VECTORS);
    assert!(all.len() >= 60, "only {} vectors", all.len());
    for Vector {
        name,
        policy,
        seed,
        delays,
    } in all
    {
        let ours: Vec<f64> = delays_ms(&policy, seed).take(delays.len()).collect();
        assert_eq!(ours, delays, "{name}");
    }
}

/// The waits after failures in which a server asks for `hint_ms`, each as if the waits before it had
/// been the policy's own.
fn hinted(policy: &RetryPolicy, seed: Seed, hint_ms: f64) -> Vec<f64> {
    let mut previous = None;
    let waits = delays_ms(policy, seed).zip(1..).map(|(delay_ms, attempt)| {
        let draws = seed.draws(0, attempt);
        let failure = Failure {
            previous,
            hint: Hint::Server(hint_ms),
            ..Failure::of_attempt(attempt)
        };
        let decision = policy.decide(&failure, draws);
        let r = draws.r;
        previous = Some(Previous { delay_ms, r });
        match decision {
            Decision::Retry { delay_ms } => delay_ms,
            other => panic!("{other:?}"),
        }
    });
    waits.collect()
}

/// The same file is read by `tests/package/engine/vectors.test.mjs`.
#[test]
fn hinted_waits_equal_the_golden_vectors() {
    let delays = |row: &Value| {
        let hint_ms = row["hintMs"].as_f64().unwrap();
        hinted(
            &common::policy(&row["options"]),
            common::seed(&row["seed"]),
            hint_ms,
        )
    };
    if filled("hints", delays) {
        return;
    }
    let all: Vec<Value> = serde_json::from_str(include_str!("vectors/hints.json")).unwrap();
    assert!(all.len() >= 40, "only {} vectors", all.len());
    let (mut longer, mut raised) = (0, 0);
    for vector in all {
        let policy = common::policy(&vector["options"]);
        let (seed, hint) = (
            common::seed(&vector["seed"]),
            vector["hintMs"].as_f64().unwrap(),
        );
        let delays: Vec<f64> = vector["delays"]
            .as_array()
            .unwrap()
            .iter()
            .map(common::number)
            .collect();
        assert_eq!(hinted(&policy, seed, hint), delays, "{vector}");
        for (with, without) in delays.iter().zip(delays_ms(&policy, seed)) {
            assert!(*with >= without && *with >= hint, "{vector}");
            longer += u32::from(*with == without);
            raised += u32::from(*with > without);
        }
    }
    assert!(
        longer > 30 && raised > 30,
        "{longer} of the policy, {raised} of the server"
    );
}

/// With REJITTER_WRITE_VECTORS, writes the delays of the rows that have none: to add a vector, write its other fields.
fn filled(file: &str, delays: impl Fn(&Value) -> Vec<f64>) -> bool {
    if std::env::var_os("REJITTER_WRITE_VECTORS").is_none() {
        return false;
    }
    let path = format!("{}/tests/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("readable");
    let mut rows: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    for row in rows.iter_mut().filter(|row| row.get("delays").is_none()) {
        row["delays"] = json!(delays(row));
    }
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    std::fs::write(path, format!("[\n{}\n]\n", lines.join(",\n"))).expect("written");
    true
}
