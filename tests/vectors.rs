//! Golden vectors: the delays that a seed gives, the same natively, in wasm and in every release.
//!
//! `tests/vectors/delays.json` is written by `REJITTER_WRITE_VECTORS=1 cargo test --test native
//! vectors::`, which is right only when a formula was added, never to make a failing test pass: users rely on
//! their seeds.

#![cfg(not(target_arch = "wasm32"))]

use crate::common::{self, VECTORS, Vector, vectors};
use rejitter::internals::Previous;
use rejitter::{Decision, Failure, Hint, RetryPolicy, Seed};
use serde_json::{Value, json};

#[test]
fn delays_equal_the_golden_vectors() {
    if std::env::var_os("REJITTER_WRITE_VECTORS").is_some() {
        write_vectors();
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
        let ours: Vec<f64> = policy.delays_ms(seed).take(delays.len()).collect();
        assert_eq!(ours, delays, "{name}");
    }
}

/// The waits after failures in which a server asks for `hint_ms`, each as if the waits before it had
/// been the policy's own.
fn hinted(policy: &RetryPolicy, seed: Seed, hint_ms: f64) -> Vec<f64> {
    let mut previous = None;
    let waits = policy.delays_ms(seed).zip(1..).map(|(delay_ms, attempt)| {
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
    if std::env::var_os("REJITTER_WRITE_VECTORS").is_some() {
        write_hints();
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
        for (with, without) in delays.iter().zip(policy.delays_ms(seed)) {
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

fn write_hints() {
    let mut all: Vec<String> = Vec::new();
    let kinds = [
        json!({}),
        json!({ "jitter": "none", "backoff": "linear" }),
        json!({ "jitter": "equal", "baseMs": 33.3 }),
        json!({ "jitter": "decorrelated" }),
        json!({ "jitter": "decorrelatedBounded", "minMs": 150 }),
        json!({ "jitter": "slotted" }),
        json!({ "jitter": "pollyV2", "baseMs": 1_000, "capMs": 5_000 }),
        json!({ "jitter": { "type": "proportional", "ratio": 0.25 } }),
        json!({ "jitter": { "type": "additive", "maxMs": 250 }, "backoff": "fixed" }),
        json!({ "backoff": "truncated", "capMs": "Infinity" }),
    ];
    for mut options in kinds {
        options["maxAttempts"] = json!(8);
        let policy = common::policy(&options);
        for (hint, seed) in [
            (0.001, json!(1)),
            (40.5, json!("hints")),
            (700.0, json!(2)),
            (60_000.0, json!(3)),
        ] {
            let delays = hinted(&policy, common::seed(&seed), hint);
            let vector =
                json!({ "options": options, "seed": seed, "hintMs": hint, "delays": delays });
            all.push(vector.to_string());
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/hints.json");
    std::fs::write(path, format!("[\n{}\n]\n", all.join(",\n"))).expect("written");
}

fn write_vectors() {
    let mut all: Vec<Value> = Vec::new();
    let seeds = [
        json!(0),
        json!(42),
        json!(9_007_199_254_740_991_u64),
        json!("rejitter"),
        json!("ключ 🔑"),
    ];
    let curves = [
        json!({ "backoff": "fixed" }),
        json!({ "backoff": "linear" }),
        json!({ "backoff": "linear", "stepMs": 33.3 }),
        json!({ "backoff": "exponential" }),
        json!({ "backoff": "exponential", "factor": 1.7, "baseMs": 12.5, "capMs": 999.9 }),
        json!({ "backoff": "exponential", "minMs": 50, "capMs": "Infinity" }),
        json!({ "backoff": "truncated" }),
        json!({ "backoff": "truncated", "truncateAt": 5, "capMs": 1000 }),
    ];
    for (i, curve) in curves.iter().enumerate() {
        for jitter in ["none", "full", "equal", "decorrelated"] {
            for (j, seed) in seeds.iter().enumerate() {
                let mut options = curve.clone();
                options["jitter"] = json!(jitter);
                options["maxAttempts"] = json!(13);
                let own_curve = options.get("factor").or(options.get("stepMs")).is_some();
                // A seed changes nothing without jitter; the others need not all be combined.
                let wanted = if jitter == "none" {
                    j == 0
                } else {
                    (i + j) % 2 == 0
                };
                if !wanted || (jitter == "decorrelated" && own_curve) {
                    continue;
                }
                let policy = common::policy(&options);
                let delays: Vec<f64> = policy.delays_ms(common::seed(seed)).collect();
                all.push(json!({ "options": options, "seed": seed, "delays": delays }));
            }
        }
    }
    let further = [
        json!({ "backoff": "fibonacci" }),
        json!({ "backoff": "fibonacci", "jitter": "equal", "baseMs": 33.3, "capMs": 1_000 }),
        json!({ "jitter": "decorrelatedBounded" }),
        json!({ "jitter": "decorrelatedBounded", "minMs": 150, "capMs": 900 }),
        json!({ "jitter": "slotted" }),
        json!({ "jitter": "slotted", "baseMs": 51.2, "truncateAt": 4, "minMs": 10 }),
        json!({ "jitter": "pollyV2" }),
        json!({ "jitter": "pollyV2", "baseMs": 1_000, "capMs": 5_000 }),
        json!({ "jitter": { "type": "proportional", "ratio": 0.25 } }),
        json!({ "jitter": { "type": "proportional", "ratio": 1 }, "backoff": "linear" }),
        json!({ "jitter": { "type": "additive", "ratio": 0.5 }, "backoff": "truncated" }),
        json!({ "jitter": { "type": "additive", "maxMs": 250 }, "backoff": "fixed" }),
    ];
    for (i, options) in further.iter().enumerate() {
        let mut options = options.clone();
        options["maxAttempts"] = json!(13);
        let policy = common::policy(&options);
        let seed = &seeds[i % seeds.len()];
        let delays: Vec<f64> = policy.delays_ms(common::seed(seed)).collect();
        all.push(json!({ "options": options, "seed": seed, "delays": delays }));
    }
    let lines: Vec<String> = all.iter().map(Value::to_string).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/delays.json");
    std::fs::write(path, format!("[\n{}\n]\n", lines.join(",\n"))).expect("written");
}
