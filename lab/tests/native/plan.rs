//! Plans are what independent computations say, for ordinary and for extreme policies.

use std::time::Duration;

use rejitter::decide::{MAX_MS, duration_from_ms};
use rejitter::internals::Wait;
use rejitter::{Jitter, RetryOptions, RetryPolicy, Seed};
use rejitter_lab::{Distribution, Model, PlannedWait, explain, plan, sample};
use serde_json::{Value, json};

use crate::common;

/// Relative; the closed forms are far better.
const TOLERANCE: f64 = 1e-6;

fn model(options: &Value) -> Model {
    Model::new(common::policy(options))
}

fn close(ours: f64, theirs: f64, scale: f64) -> bool {
    (ours - theirs).abs() <= TOLERANCE * theirs.abs().max(1e-3 * scale)
}

fn reference() -> (Vec<String>, Vec<Value>) {
    let all: Value =
        serde_json::from_str(include_str!("../../../tests/vectors/distributions.json")).unwrap();
    let list = |name: &str| all[name].as_array().unwrap().clone();
    let columns = all["meta"]["columns"].as_array().unwrap();
    let columns = columns.iter().map(|name| name.as_str().unwrap().to_owned());
    (
        columns.collect(),
        [list("distributions"), list("others")].concat(),
    )
}

/// Describes how a planned wait differs from a row of the reference, if it does. With `coarse`,
/// the reference's quantiles are only as exact as their probabilities are to 5e-6.
fn difference(
    wait: &PlannedWait,
    coarse: Option<&Distribution>,
    columns: &[String],
    row: &Value,
) -> Option<String> {
    let q = &wait.quantiles;
    for (i, name) in columns.iter().enumerate() {
        let ours = match name.as_str() {
            "k" => f64::from(wait.k),
            "mean" => wait.mean_ms,
            "sd" => wait.sd_ms,
            "p01" => q.p01,
            "p10" => q.p10,
            "p50" => q.p50,
            "p90" => q.p90,
            "p99" => q.p99,
            "min" => wait.lo_ms,
            "max" => wait.hi_ms,
            "atoms" => {
                let theirs = row[i].as_array().unwrap();
                let same = theirs.len() == wait.atoms.len()
                    && theirs.iter().zip(&wait.atoms).all(|(theirs, ours)| {
                        close(ours.ms, theirs[0].as_f64().unwrap(), 0.0)
                            && close(ours.probability, theirs[1].as_f64().unwrap(), 0.0)
                    });
                if !same {
                    return Some(format!("atoms {:?}, not {theirs:?}", wait.atoms));
                }
                continue;
            }
            other => panic!("no column: {other}"),
        };
        let theirs = row[i].as_f64().unwrap();
        if let (Some(exact), Some(percent)) = (coarse, name.strip_prefix('p')) {
            let (p, wanted) = (exact.cdf(theirs), percent.parse::<f64>().unwrap() / 100.0);
            if (p - wanted).abs() > 5e-6 {
                return Some(format!("{name}: {theirs} is quantile {p}"));
            }
            continue;
        }
        if !close(ours, theirs, wait.hi_ms) {
            return Some(format!("{name} {ours}, not {theirs}"));
        }
    }
    None
}

#[test]
fn plans_equal_the_reference() {
    let (columns, all) = reference();
    assert!(all.len() >= 18, "only {} distributions", all.len());
    for distribution in all {
        let rows = distribution["rows"].as_array().unwrap();
        let model = model(&distribution["options"]);
        let waits = plan(&model, 20);
        let polly = distribution["options"]["jitter"] == "pollyV2";
        let (mut mean, mut worst) = (0.0, 0.0);
        for ((row, wait), exact) in rows.iter().zip(&waits).zip(model.distributions()) {
            let coarse = polly.then_some(&exact);
            if let Some(difference) = difference(wait, coarse, &columns, row) {
                panic!("{}, wait {}: {difference}", distribution["options"], wait.k);
            }
            assert_eq!(wait.lattice_ms, distribution["latticeMs"].as_f64());
            mean += row[1].as_f64().unwrap();
            worst += row[9].as_f64().unwrap();
            assert!(close(wait.total_mean_ms, mean, 0.0));
            assert!(polly || close(wait.total_worst_ms, worst, 0.0));
        }
    }
}

/// P(X ≤ x) for Polly's waits by the plainest quadrature: the mean over this wait's draw u of the
/// share of previous draws v that lead to x or less.
fn polly_cdf(x: f64, k: u32) -> f64 {
    const N: u32 = 20_000;
    let f = |t: f64| t.exp2() * (4.0 * t).sqrt().tanh();
    let start = f64::from(k) - 2.0;
    let share = |i: u32| {
        let u = (f64::from(i) + 0.5) / f64::from(N);
        let least = f(start + 1.0 + u) - x * 1.4;
        let (mut left, mut right) = (start, start + 1.0);
        for _ in 0..40 {
            let middle = f64::midpoint(left, right);
            if f(middle) < least {
                left = middle;
            } else {
                right = middle;
            }
        }
        1.0 - (left - start)
    };
    (0..N).map(share).sum::<f64>() / f64::from(N)
}

#[test]
fn polly_s_quantiles_are_those_of_its_two_draws() {
    let model = model(&json!({ "jitter": "pollyV2", "baseMs": 1, "capMs": "Infinity" }));
    for (k, distribution) in (1..).zip(model.distributions()).skip(1).take(4) {
        for p in [0.01, 0.1, 0.5, 0.9, 0.99] {
            let theirs = polly_cdf(distribution.quantile(p), k);
            assert!((theirs - p).abs() < 1e-8, "wait {k}: {p} is {theirs}");
        }
        let off = polly_cdf(distribution.quantile(0.5) * (1.0 + 1e-6), k);
        assert!(
            (off - 0.5).abs() > 1e-8,
            "the quadrature is too coarse: {off}"
        );
    }
}

#[test]
fn a_list_is_its_own_curve() {
    let policy = RetryPolicy::custom()
        .with_jitter(Jitter::Equal)
        .with_cap(Duration::from_secs(1));
    let model = Model::new(policy).with_curve(vec![10.0, 400.0, 5_000.0, 20.0]);
    let waits = plan(&model, 6);
    let ceilings: Vec<f64> = waits.iter().map(|wait| wait.ceiling_ms).collect();
    assert_eq!(ceilings, [10.0, 400.0, 1_000.0, 20.0, 20.0, 20.0]);
    assert!(
        waits
            .iter()
            .all(|wait| wait.lo_ms == wait.hi_ms / 2.0 && wait.hi_ms == wait.ceiling_ms)
    );
    let drawn = sample(&model, Seed::new(3), 6, 1);
    assert!(
        drawn
            .iter()
            .zip(&waits)
            .all(|(x, wait)| (wait.lo_ms..wait.hi_ms).contains(x))
    );
    // An invalid list does not panic either.
    for curve in [vec![], vec![f64::NAN], vec![-1.0], vec![f64::INFINITY]] {
        let waits = plan(&Model::new(policy).with_curve(curve), 3);
        assert!(waits.iter().all(|wait| wait.hi_ms == 1_000.0));
    }
}

/// The ceiling is capped before it is spread, and then may be above the cap by a rounding.
#[test]
fn a_rounding_at_the_cap_is_no_pile_of_clients() {
    for cap_ms in [1_000.0, 10_000.0, 12_345.0] {
        for percent in 1..=100 {
            let ratio = f64::from(percent) / 100.0;
            for jitter in [Jitter::Proportional { ratio }, Jitter::Additive { ratio }] {
                let policy = RetryPolicy::exponential()
                    .with_jitter(jitter)
                    .with_max_attempts(10);
                let model = Model::new(policy.with_cap(duration_from_ms(cap_ms)));
                for wait in plan(&model, 9) {
                    assert!(wait.atoms.is_empty(), "{jitter:?}: {:?}", wait.atoms);
                    assert!(wait.hi_ms <= cap_ms);
                }
                assert!(
                    explain(&model)
                        .iter()
                        .all(|note| note.code != "atom-at-cap")
                );
            }
        }
    }
}

/// Nothing times a curve that overflows is nothing.
#[test]
fn polly_s_waits_without_a_base_are_nothing() {
    let policy = RetryPolicy::exponential()
        .with_jitter(Jitter::PollyV2)
        .with_base(Duration::ZERO)
        .with_min(Duration::from_millis(2))
        .with_max_attempts(2_001);
    assert_eq!(policy.bounds_ms(&Wait::number(1)), (2.0, 2.0));
    let notes = explain(&Model::new(policy));
    let worst = notes.iter().find(|note| note.code == "worst-case").unwrap();
    assert_eq!(worst.text, "worst case 4 s of waiting in 2000 waits");
}

#[test]
fn extreme_policies_have_finite_plans() {
    for jitter in [
        Jitter::Decorrelated,
        Jitter::DecorrelatedBounded,
        Jitter::PollyV2,
        Jitter::Slotted,
    ] {
        for (base, cap) in [
            (f64::MIN_POSITIVE, MAX_MS),
            (MAX_MS, MAX_MS),
            (1e-300, 1e-300),
            (1.0, 1.0 + f64::EPSILON),
        ] {
            let options = RetryOptions {
                jitter,
                base_ms: Some(base),
                cap_ms: Some(cap),
                truncate_at: (jitter == Jitter::Slotted).then_some(1_024),
                ..RetryOptions::default()
            };
            let model = Model::new(RetryPolicy::from_options(options).unwrap());
            for (k, wait) in (1..).zip(plan(&model, 60)) {
                let numbers = [
                    wait.lo_ms,
                    wait.hi_ms,
                    wait.mean_ms,
                    wait.sd_ms,
                    wait.quantiles.p50,
                    wait.total_worst_ms,
                ];
                assert!(
                    numbers.iter().all(|x| x.is_finite() && *x >= 0.0),
                    "{options:?}, wait {k}: {wait:?}"
                );
                assert!(wait.lo_ms <= wait.quantiles.p01 && wait.quantiles.p99 <= wait.hi_ms);
                assert!(
                    wait.mean_ms <= wait.hi_ms * (1.0 + 1e-9),
                    "{options:?}, wait {k}: {wait:?}"
                );
            }
        }
    }
}
