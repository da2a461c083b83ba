//! The budget: the numbers that AWS publishes, and the laws of a bucket that adds its credits late.

use std::collections::HashMap;

use rejitter::internals::protection::Budget;
use serde_json::Value;

use crate::common::{random::Random, some};

/// The preset `awsSdk2026`, in thousandths.
const CAPACITY: f64 = 500_000.0;
const COST: f64 = 14_000.0;
const THROTTLED: f64 = 5_000.0;
const PER_SUCCESS: f64 = 1_000.0;

#[test]
fn tokens_are_those_that_aws_publishes() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../vectors/budget.json")).expect("JSON");
    assert_eq!(cases.len(), 9);
    for case in cases {
        let tokens = case["tokens"].as_f64().expect("a number");
        let mut budget = Budget::new(1_000.0 * tokens);
        // Tokens that the last retry of each operation took.
        let mut taken: HashMap<&str, f64> = HashMap::new();
        for step in case["steps"].as_array().expect("a list") {
            let [operation, end, then] = [0, 1, 2].map(|i| step[i].as_str().expect("a word"));
            match (end, then) {
                ("success", "done") => {
                    budget.credit(taken.remove(operation).unwrap_or(PER_SUCCESS));
                }
                (_, "exhausted") => {}
                (_, "retry" | "budget") => {
                    let cost = if end == "throttled" { THROTTLED } else { COST };
                    let granted = budget.take(CAPACITY, cost);
                    assert_eq!(granted, then == "retry", "{case}: {step}");
                    taken.insert(operation, cost);
                }
                _ => panic!("{case}: unknown step {step}"),
            }
            let left = budget.tokens(CAPACITY) / 1_000.0;
            assert_eq!(Some(left), step[3].as_f64(), "{case}: {step}");
        }
    }
}

/// A bucket that adds and cuts at once.
struct Eager {
    tokens: f64,
}

/// Credits that are added late and cut once leave the same number as credits that are added and cut one by one. What is
/// taken never exceeds the capacity and the credits, and the tokens stay between 0 and the capacity.
#[test]
fn late_credits_are_early_credits_and_nobody_takes_what_is_not_there() {
    let (mut grants, mut refusals, mut cuts) = (0, 0, 0);
    for seed in 0..u64::from(some(300)) {
        let random = Random::new(seed);
        let capacity = f64::from(1 + random.below(100_000));
        let dear = random.one(&[1.0, 0.3, 0.01]);
        let mut budget = Budget::new(capacity);
        let mut eager = Eager { tokens: capacity };
        let (mut taken, mut given) = (0.0, 0.0);
        for _ in 0..1_000 {
            if random.chance(0.4) {
                let cost = 1.0
                    + (random.unit() * capacity * dear)
                        .floor()
                        .min(capacity - 1.0);
                let granted = eager.tokens >= cost;
                assert_eq!(budget.take(capacity, cost), granted, "seed {seed}");
                if granted {
                    eager.tokens -= cost;
                    taken += cost;
                    grants += 1;
                } else {
                    refusals += 1;
                }
            } else {
                let credit = (random.unit() * capacity / 10.0).floor();
                budget.credit(credit);
                given += credit;
                cuts += u32::from(eager.tokens + credit > capacity);
                eager.tokens = capacity.min(eager.tokens + credit);
            }
            let tokens = budget.tokens(capacity);
            assert_eq!(tokens, eager.tokens, "seed {seed}");
            assert!((0.0..=capacity).contains(&tokens) && tokens == tokens.floor());
            assert!(taken <= capacity + given, "seed {seed}");
        }
    }
    assert!(cfg!(miri) || [grants, refusals, cuts].iter().all(|many| *many > 10_000));
}

/// A thousandth is not a binary fraction: counted in tokens, a tenth added ten times would not be one.
#[test]
fn ten_million_small_credits_leave_no_rounding_error() {
    let mut budget = Budget::new(1e12);
    assert!(budget.take(1e12, 1e12));
    let many = some(10_000_000);
    for _ in 0..many {
        budget.credit(100.0);
    }
    assert_eq!(budget.tokens(1e12), 100.0 * f64::from(many));
}
