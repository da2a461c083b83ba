//! Plans against drawing: what is planned is what operations wait.

use std::collections::HashMap;

use rejitter::internals::CapRule;
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed, UNLIMITED};
use rejitter_lab::{Distribution, Model, plan, sample};

/// Policies of every jitter, cap rule and curve, with floors and caps where they cut.
fn assorted() -> Vec<RetryOptions> {
    let jitters = [
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
        Jitter::DecorrelatedBounded,
        Jitter::Slotted,
        Jitter::PollyV2,
        Jitter::Proportional { ratio: 0.3 },
        Jitter::Proportional { ratio: 1.0 },
        Jitter::Additive { ratio: 0.5 },
        Jitter::AdditiveMax { max_ms: 300.0 },
    ];
    let backoffs = [
        Backoff::Fixed,
        Backoff::Linear,
        Backoff::Exponential,
        Backoff::Truncated,
        Backoff::Fibonacci,
    ];
    let ranges = [
        (None, None, None),
        (Some(100.0), Some(700.0), None),
        (Some(100.0), Some(1_000.0), Some(250.0)),
        (Some(50.0), Some(5_000.0), Some(400.0)),
        (Some(0.0), Some(1_000.0), None),
        (Some(0.0), Some(1_000.0), Some(10.0)),
        (Some(500.0), Some(500.0), Some(500.0)),
        (Some(0.0), Some(0.0), None),
        (Some(7.0), Some(f64::INFINITY), None),
        (Some(1e-9), Some(20.0), None),
    ];
    let mut all = Vec::new();
    for jitter in jitters {
        for backoff in backoffs {
            for cap_rule in [CapRule::Bound, CapRule::Ceiling, CapRule::Draw] {
                for (base_ms, cap_ms, min_ms) in ranges {
                    if !jitter.follows_the_curve()
                        && (backoff, cap_rule) != (Backoff::Fixed, CapRule::Bound)
                    {
                        continue;
                    }
                    all.push(RetryOptions {
                        backoff,
                        jitter,
                        cap_rule,
                        base_ms,
                        cap_ms,
                        min_ms,
                        max_attempts: Some(UNLIMITED),
                        ..RetryOptions::default()
                    });
                }
            }
        }
    }
    all
}

/// The distance between a sample's distribution and the computed one, in the measure of
/// Kolmogorov and Smirnov, points included: both one-sided limits are compared.
fn distance(sample: &mut [f64], distribution: &Distribution) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let mut worst: f64 = 0.0;
    let mut at = 0;
    while at < sample.len() {
        let x = sample[at];
        let upto = at + sample[at..].iter().take_while(|y| **y == x).count();
        // One in four tells enough: the sample's own distribution moves by 3 / n at most between them.
        if upto / 4 == at / 4 {
            at = upto;
            continue;
        }
        // Where a draw was rounded onto its neighbour.
        let nudge = 1e-9 * x;
        let above = 1.0 - distribution.cdf(x + nudge);
        let below = 1.0 - distribution.at_least(x - nudge);
        worst = worst
            .max((upto as f64 / n - (1.0 - above)).abs())
            .max((at as f64 / n - below).abs());
        at = upto;
    }
    worst * n.sqrt()
}

const OPERATIONS: u32 = 1_000;
const WAITS: u32 = 8;

fn column(waits: &[f64], k: usize) -> Vec<f64> {
    waits
        .chunks(WAITS as usize)
        .map(|operation| operation[k])
        .collect()
}

/// Many of the policies have the same waits, such as the first ones, or those at the cap: what has the same draws and
/// the same distribution is compared once.
#[test]
fn what_is_planned_is_what_is_drawn() {
    let all = assorted();
    assert!(all.len() > 1_000, "only {} policies", all.len());
    let mut compared = HashMap::new();
    for options in all {
        let policy = RetryPolicy::from_options(options).unwrap();
        let model = Model::new(policy);
        let drawn = sample(&model, Seed::from("lab"), WAITS, OPERATIONS);
        for ((k, wait), distribution) in (0..).zip(plan(&model, WAITS)).zip(model.distributions()) {
            let what = format!("{options:?}, wait {}", k + 1);
            let mut column = column(&drawn, k);
            let planned = [wait.lo_ms, wait.hi_ms, wait.mean_ms, wait.sd_ms];
            let of_wait = (planned, distribution.clone());
            let draws: Vec<u64> = column.iter().map(|x| x.to_bits()).collect();
            if compared.insert(draws, of_wait.clone()) == Some(of_wait) {
                continue;
            }
            let mass = distribution.cdf(f64::INFINITY);
            assert!((mass - 1.0).abs() < 1e-9, "{what}: a mass of {mass}");
            let slack = 1e-9 * wait.hi_ms;
            for x in &column {
                assert!(
                    (wait.lo_ms - slack..=wait.hi_ms + slack).contains(x),
                    "{what}: {x} is outside [{}, {}]",
                    wait.lo_ms,
                    wait.hi_ms
                );
            }
            let mean = column.iter().sum::<f64>() / f64::from(OPERATIONS);
            let error = 5.0 * wait.sd_ms / f64::from(OPERATIONS).sqrt() + slack;
            assert!(
                (mean - wait.mean_ms).abs() <= error,
                "{what}: mean {mean}, not {}",
                wait.mean_ms
            );
            // 2.6 is exceeded by chance once in 370,000 times; the seed is fixed.
            let d = distance(&mut column, &distribution);
            assert!(d < 2.6, "{what}: the distributions differ by {d}");
        }
    }
    assert!(compared.len() > 1_000);
}

/// The distributions of the policies' first six waits, each once.
fn distributions() -> Vec<(RetryOptions, Distribution)> {
    let mut all: Vec<(RetryOptions, Distribution)> = Vec::new();
    for options in assorted() {
        let model = Model::new(RetryPolicy::from_options(options).unwrap());
        for distribution in model.distributions().take(6) {
            if all.iter().all(|(_, other)| *other != distribution) {
                all.push((options, distribution));
            }
        }
    }
    all
}

#[test]
fn quantiles_and_probabilities_are_inverse() {
    for (options, distribution) in distributions() {
        let mut last = 0.0;
        for i in 0..=100 {
            let p = f64::from(i) / 100.0;
            let x = distribution.quantile(p);
            assert!(x >= last && x.is_finite(), "{options:?}: {x} after {last}");
            last = x;
            let slack = 1e-9 * x;
            assert!(
                distribution.cdf(x + slack) >= p - 1e-9,
                "{options:?} at {p}"
            );
            assert!(
                distribution.at_least(x - slack) >= 1.0 - p - 1e-9,
                "{options:?} at {p}"
            );
        }
    }
}

#[test]
fn cells_and_atoms_are_the_whole_distribution() {
    for (options, distribution) in distributions() {
        if distribution.lattice_ms().is_some() {
            continue;
        }
        let cells = distribution.cells(16);
        let sum: f64 = cells.iter().map(|cell| cell.probability).sum();
        let points: f64 = distribution.atoms().map(|atom| atom.probability).sum();
        assert!(
            (sum + points - 1.0).abs() < 1e-9,
            "{options:?}: {sum} + {points}"
        );
        assert!(
            cells
                .windows(2)
                .all(|pair| pair[0].to_ms <= pair[1].from_ms)
        );
        assert!(
            cells
                .iter()
                .all(|cell| cell.from_ms < cell.to_ms && cell.probability >= 0.0)
        );
    }
}

#[test]
fn samples_are_the_waits_of_operations_bit_for_bit() {
    for options in assorted() {
        let policy = RetryPolicy::from_options(options).unwrap();
        let seed = Seed::new(99);
        let ours = sample(&Model::new(policy), seed, 7, 9);
        let mut delays = policy.delays(seed);
        for operation in ours.chunks(7) {
            for wait in operation {
                assert_eq!(Some(*wait), delays.next_ms(), "{options:?}");
            }
            delays.reset();
        }
    }
}
