//! The budget: the numbers that AWS publishes, and the laws of a bucket that adds its credits late.

use std::collections::HashMap;

use rejitter::internals::protection::Budget;
use serde_json::Value;

use super::Random;

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

#[test]
fn a_success_at_the_first_attempt_gives_its_own_tokens() {
    let mut budget = Budget::new(CAPACITY);
    assert!(budget.take(CAPACITY, COST));
    budget.credit(PER_SUCCESS);
    assert_eq!(budget.tokens(CAPACITY), CAPACITY - COST + PER_SUCCESS);
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
    for seed in 0..300 {
        let mut random = Random::new(seed);
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
    assert!([grants, refusals, cuts].iter().all(|many| *many > 10_000));
}

#[test]
fn a_cost_that_is_just_there_is_granted_once() {
    let mut budget = Budget::new(1_000.0);
    assert!(budget.take(1_000.0, 1_000.0));
    assert!(!budget.take(1_000.0, 1.0));
    budget.credit(1.0);
    assert!(budget.take(1_000.0, 1.0));
}

/// A thousandth is not a binary fraction: counted in tokens, a tenth added ten times would not be one.
#[test]
fn ten_million_small_credits_leave_no_rounding_error() {
    let mut budget = Budget::new(1e12);
    assert!(budget.take(1e12, 1e12));
    for _ in 0..10_000_000 {
        budget.credit(100.0);
    }
    assert_eq!(budget.tokens(1e12), 1e9);
}

#[test]
fn reading_the_tokens_changes_nothing() {
    let mut budget = Budget::new(10.0);
    assert!(budget.take(10.0, 7.0));
    budget.credit(100.0);
    let before = budget;
    assert_eq!(budget.tokens(10.0), 10.0);
    assert_eq!(budget, before);
}

/// A budget of operations whose attempts fail independently. Tokens are whole.
struct Independent {
    attempts: u32,
    cost: f64,
    per_success: f64,
    refund: bool,
}

impl Independent {
    /// Tokens that a bucket without bounds gains per operation.
    fn gain(&self, failing: f64, random: &mut Random) -> f64 {
        const OPERATIONS: u32 = 500_000;
        const HALF: f64 = 1e12;
        let capacity = 2.0 * HALF;
        let mut budget = Budget::new(capacity);
        assert!(budget.take(capacity, HALF));
        for _ in 0..OPERATIONS {
            let mut taken = 0.0;
            for attempt in 1..=self.attempts {
                if !random.chance(failing) {
                    budget.credit(if self.refund && taken > 0.0 {
                        taken
                    } else {
                        self.per_success
                    });
                    break;
                }
                if attempt < self.attempts {
                    assert!(budget.take(capacity, self.cost));
                    taken = self.cost;
                }
            }
        }
        (budget.tokens(capacity) - HALF) / f64::from(OPERATIONS)
    }
}

/// Below these rates of failure a budget gains more than it loses, above them it runs dry: the sums of the formula
/// p² + … + pⁿ = ρ(1 − p), and without refund p + … + p^(n − 1) = ρ(1 − pⁿ), to 2%.
#[test]
fn a_budget_leaves_ordinary_flakiness_alone() {
    let three = |cost, per_success, refund| Independent {
        attempts: 3,
        cost,
        per_success,
        refund,
    };
    for (budget, knee) in [
        (three(1_000.0, 100.0, true), 0.246),
        (three(COST, PER_SUCCESS, true), 0.215),
        (three(1_000.0, 100.0, false), 0.092),
    ] {
        let mut random = Random::new(1);
        let below = budget.gain(knee * 0.98, &mut random);
        let above = budget.gain(knee * 1.02, &mut random);
        assert!(below > 0.0 && above < 0.0, "{knee}: {below}, {above}");
    }
}
