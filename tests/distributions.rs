//! The waits have the distributions that the formulas promise, not only their bounds.
//!
//! `tests/vectors/distributions.json` holds the exact distributions, computed independently of
//! this crate. At 10^5 draws: mean and standard deviation within 4 standard errors, quantiles and
//! atoms within 4 standard errors of their binomial counts, and a Kolmogorov–Smirnov test where
//! the distribution is uniform.

#![cfg(not(target_arch = "wasm32"))]

use rejitter::{RetryPolicy, Seed, UNLIMITED};
use serde_json::Value;

use crate::common;

const DRAWS: usize = 100_000;
const WAITS: usize = 20;
/// Standard errors that a right sample is allowed to be off: 1 in 16,000 by chance, and the
/// seeds are fixed.
const TOLERANCE: f64 = 4.0;

struct Row {
    /// All waits are multiples of something: the atoms are its ends only.
    lattice: bool,
    mean: f64,
    sd: f64,
    quantiles: [(f64, f64); 5],
    min: f64,
    max: f64,
    atoms: Vec<(f64, f64)>,
}

fn reference() -> Vec<(Value, Vec<Row>)> {
    let all: Value = serde_json::from_str(include_str!("vectors/distributions.json")).unwrap();
    let columns: Vec<&str> = all["meta"]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let column = |row: &Value, name: &str| {
        let index = columns.iter().position(|column| *column == name).unwrap();
        row[index].clone()
    };
    let number = |row: &Value, name: &str| column(row, name).as_f64().unwrap();
    let list = |name: &str| all[name].as_array().unwrap().clone();
    [list("distributions"), list("others")]
        .concat()
        .iter()
        .map(|distribution| {
            let rows = distribution["rows"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| Row {
                    lattice: distribution.get("latticeMs").is_some(),
                    mean: number(row, "mean"),
                    sd: number(row, "sd"),
                    quantiles: [0.01_f64, 0.1, 0.5, 0.9, 0.99]
                        .map(|p| (p, number(row, &format!("p{:02}", (p * 100.0).round())))),
                    min: number(row, "min"),
                    max: number(row, "max"),
                    atoms: column(row, "atoms")
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|atom| (atom[0].as_f64().unwrap(), atom[1].as_f64().unwrap()))
                        .collect(),
                });
            (distribution["options"].clone(), rows.collect())
        })
        .collect()
}

/// `DRAWS` operations' waits: `samples[k − 1]` holds wait k of each.
fn sample(options: &Value) -> Vec<Vec<f64>> {
    let mut options = common::options(options);
    options.max_attempts = Some(UNLIMITED);
    let mut delays = RetryPolicy::from_options(options)
        .unwrap()
        .delays_ms(Seed::from("distributions"));
    let mut samples = vec![Vec::new(); WAITS];
    for _ in 0..DRAWS {
        for (sample, wait) in samples.iter_mut().zip(&mut delays) {
            sample.push(wait);
        }
        delays.reset();
    }
    samples
}

/// Describes the flaw of a sample of a wait, if it has one.
fn misfit(sample: &[f64], row: &Row) -> Option<String> {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let moment = |power: i32| sample.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
    let sd = moment(2).sqrt();
    // Nothing is drawn: rounding alone is left.
    let rounding = 1e-9 * row.max.max(1.0);
    let mean_error = TOLERANCE * row.sd / n.sqrt() + rounding;
    if (mean - row.mean).abs() > mean_error {
        return Some(format!("mean {mean}, not {} ± {mean_error}", row.mean));
    }
    let sd_error = if row.sd > 0.0 {
        TOLERANCE * ((moment(4) - moment(2).powi(2)) / (4.0 * moment(2) * n)).sqrt()
    } else {
        0.0
    } + rounding;
    // Where all but a few draws are one point, those few say nothing about the spread.
    let telling = row
        .atoms
        .iter()
        .all(|(_, p)| n * (1.0 - p) > 50.0 || row.sd == 0.0);
    if telling && (sd - row.sd).abs() > sd_error {
        return Some(format!("sd {sd}, not {} ± {sd_error}", row.sd));
    }
    if let Some(stray) = sample
        .iter()
        .find(|x| **x < row.min - rounding || **x > row.max + rounding)
    {
        return Some(format!("{stray} is outside [{}, {}]", row.min, row.max));
    }
    let count = |hit: &dyn Fn(f64) -> bool| sample.iter().filter(|x| hit(**x)).count() as f64 / n;
    for (x, p) in &row.atoms {
        let share = count(&|y| (y - x).abs() <= rounding);
        let error = TOLERANCE * (p * (1.0 - p) / n).sqrt();
        if (share - p).abs() > error {
            return Some(format!("atom at {x}: {share}, not {p} ± {error}"));
        }
    }
    // A value that comes again, other than the atoms, is an atom too many: 53-bit draws do not.
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let known = |x: f64| {
        row.atoms
            .iter()
            .any(|(atom, _)| (x - atom).abs() <= rounding)
    };
    let repeated = sorted
        .windows(2)
        .filter(|w| w[0] == w[1] && !known(w[0]))
        .count();
    if repeated > 2 && !row.lattice {
        return Some(format!("{repeated} values come twice"));
    }
    for (p, q) in &row.quantiles {
        let error = TOLERANCE * (p * (1.0 - p) / n).sqrt();
        let (below, upto) = (count(&|y| y < q - rounding), count(&|y| y <= q + rounding));
        if below > p + error || upto < p - error {
            return Some(format!("quantile {p}: {q} has {below} … {upto} below"));
        }
    }
    if row.atoms.is_empty() && ((row.max - row.min) / 12.0_f64.sqrt() - row.sd).abs() < rounding {
        let width = row.max - row.min;
        let d = sorted
            .iter()
            .enumerate()
            .map(|(i, x)| {
                let f = (x - row.min) / width;
                (f - i as f64 / n).abs().max((f - (i + 1) as f64 / n).abs())
            })
            .fold(0.0, f64::max);
        // Kolmogorov's distribution: 1.95 is exceeded 1 time in 1,000.
        if d * n.sqrt() > 1.95 {
            return Some(format!("not uniform: KS {}", d * n.sqrt()));
        }
    }
    None
}

#[test]
fn each_wait_has_the_distribution_of_its_formula() {
    let all = reference();
    assert!(all.len() >= 18, "only {} distributions", all.len());
    for (options, rows) in all {
        assert!(rows.len() >= 10, "{options}: only {} waits", rows.len());
        let samples = sample(&options);
        for (k, (sample, row)) in (1..).zip(samples.iter().zip(&rows)) {
            if let Some(problem) = misfit(sample, row) {
                panic!("{options}, wait {k}: {problem}");
            }
        }
    }
}

#[test]
fn decorrelated_jitter_piles_up_at_the_cap_as_computed() {
    let (_, rows) = reference()
        .into_iter()
        .find(|(options, _)| options["jitter"] == "decorrelated")
        .unwrap();
    let share = |k: usize| rows[k - 1].atoms.iter().map(|(_, p)| p).sum::<f64>();
    assert!((share(5) - 0.0041).abs() < 1e-4);
    assert!((share(20) - 0.303).abs() < 1e-3);
}

/// The checks above would find the mistakes that retry packages make.
#[test]
fn wrong_jitter_is_found() {
    let all = reference();
    let (options, rows) = all
        .iter()
        .find(|(o, _)| o["backoff"] == "exponential" && o["jitter"] == "full")
        .unwrap();
    let (right, row) = (&sample(options)[4], &rows[4]);
    assert_eq!(misfit(right, row), None);
    let ceiling = row.max;
    type Distortion<'a> = Box<dyn Fn(f64) -> f64 + 'a>;
    let wrong: [(&str, Distortion); 6] = [
        ("no jitter", Box::new(|_| ceiling)),
        (
            "whole-second truncation",
            Box::new(|x| (x / 1_000.0).floor() * 1_000.0),
        ),
        ("half the jitter", Box::new(|x| ceiling / 4.0 + x / 2.0)),
        ("a clamp at 95%", Box::new(|x| x.min(0.95 * ceiling))),
        (
            "few bits",
            Box::new(|x| (x / ceiling * 256.0).floor() / 256.0 * ceiling),
        ),
        (
            "a skewed draw",
            Box::new(|x| ceiling * (x / ceiling).powf(1.02)),
        ),
    ];
    for (name, distort) in wrong {
        let sample: Vec<f64> = right.iter().map(|x| distort(*x)).collect();
        assert!(misfit(&sample, row).is_some(), "{name} was not noticed");
    }
}
