//! Every simulation, bit for bit, and what each rejects (`tests/vectors/simulations.json`): natively, in Node and in
//! browsers. The package plays the same table through its own names.

use rejitter::data::{DataErrors, Value as Data};
use rejitter::internals::camel_case;
use rejitter::{RetryPolicy, Seed};
use rejitter_lab::data::{Column, Study, simulate};
use rejitter_lab::simulation::{Noise, Normal, Outage, OutageOptions};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::number;

const SEED: u64 = 2_015;

/// FNV-1a over the bits of numbers.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, numbers: impl IntoIterator<Item = f64>) {
        for number in numbers {
            // One NaN is as good as another, and stands for what is missing.
            let bits = if number.is_nan() { 0 } else { number.to_bits() };
            self.0 = (self.0 ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// Adds all that a simulation reports, in the alphabetical order of the package's names.
fn add(digest: &mut Digest, column: Column<'_>) {
    match column {
        Column::None => digest.add([f64::NAN]),
        Column::Number(number) => digest.add([number]),
        Column::Counts(counts) => digest.add(counts.iter().map(|count| f64::from(*count))),
        Column::Numbers(numbers) => digest.add(numbers.iter().copied()),
        Column::Record(mut columns) => {
            columns.0.sort_by_key(|(name, _)| camel_case(name));
            for (_, column) in columns.0 {
                add(digest, column);
            }
        }
    }
}

/// Data with the numbers that JSON does not have.
fn data(row: &Value) -> Data {
    match row {
        Value::Array(list) => Data::List(list.iter().map(data).collect()),
        Value::Object(object) => {
            let entries = object.iter();
            let entries = entries.map(|(name, value)| (name.clone(), data(value)));
            Data::Object(entries.collect())
        }
        Value::String(text) if ["NaN", "Infinity", "-Infinity"].contains(&text.as_str()) => {
            Data::Number(number(row))
        }
        other => serde_json::from_value(other.clone()).expect("data"),
    }
}

/// The simulation of a row.
fn made(name: &str, policy: &Value, row: &Value) -> Result<Box<dyn Study>, DataErrors> {
    let mut policy = policy.clone();
    if let Value::Object(data) = &mut policy {
        if !data.contains_key("figure") {
            data.insert("version".to_owned(), json!(1));
        }
    }
    simulate(name, &data(&policy), Seed::new(SEED), &data(row))
}

fn table() -> Value {
    serde_json::from_str(include_str!("../../../../tests/vectors/simulations.json")).expect("JSON")
}

/// The digest of a simulation's results, which are the same in slices.
fn digest(runs: &Value) -> String {
    let name = runs["simulation"].as_str().unwrap();
    let [mut digest, mut of_slices] = [(); 2].map(|()| Digest::new());
    for case in runs["cases"].as_array().unwrap() {
        let (row, policy) = case.as_array().unwrap().split_last().unwrap();
        let policy = policy.first().unwrap_or(&Value::Null);
        let [mut whole, mut sliced] = [(); 2].map(|()| made(name, policy, row).unwrap());
        assert!(whole.finish().done);
        let mut before = sliced.step(0);
        while !before.done {
            let progress = sliced.step(997);
            assert!(progress.events <= before.events + 997 && progress.share >= before.share);
            before = progress;
        }
        assert_eq!(before.share, 1.0);
        add(&mut digest, Column::Record(whole.results()));
        add(&mut of_slices, Column::Record(sliced.results()));
    }
    assert_eq!(digest.0, of_slices.0, "{name}");
    format!("{:016x}", digest.0)
}

#[test]
fn all_results_are_those_of_the_table() {
    let table = table();
    let runs = table["runs"].as_array().unwrap();
    let found: Vec<String> = runs.iter().map(digest).collect();
    let expected: Vec<_> = runs
        .iter()
        .map(|runs| runs["digest"].as_str().unwrap())
        .collect();
    assert_eq!(found, expected);
}

/// The only complaint about these options is this one.
fn refused(name: &str, policy: &Value, row: &Value, option: &str) {
    let Err(errors) = made(name, policy, row) else {
        panic!("{name} accepts {row}");
    };
    let [problem] = errors.problems() else {
        panic!("{row}: {errors}");
    };
    let (named, _) = problem.split_once(" must be ").expect("a rule");
    assert_eq!(named, option, "{row}");
}

#[test]
fn each_option_has_the_bounds_of_the_table() {
    let table = table();
    for (name, options) in table["refusals"].as_object().unwrap() {
        for (path, values) in options.as_object().unwrap() {
            for value in values.as_array().unwrap() {
                let row = path
                    .rsplit('.')
                    .fold(value.clone(), |inner, name| json!({ name: inner }));
                refused(
                    name,
                    &json!({}),
                    &row,
                    path.trim_start_matches("protection."),
                );
            }
        }
    }
    for row in table["refused"].as_array().unwrap() {
        let text = |i: usize| row[i].as_str().unwrap();
        refused(text(0), &row[1], &row[2], text(3));
    }
    // A list that no data can hold, and all problems at once.
    let errors = Outage::new(OutageOptions {
        curve: vec![5.0, -1.0],
        clients: 0,
        bin_ms: f64::NAN,
        ..OutageOptions::new(RetryPolicy::default(), Seed::new(0))
    });
    let errors = errors.unwrap_err();
    let names: Vec<_> = errors
        .problems()
        .iter()
        .map(|problem| problem.option)
        .collect();
    assert_eq!(names, ["clients", "bin_ms", "curve"]);
}

#[test]
fn normal_and_exponential_variates() {
    let (normal, mut noise) = (Normal::new(), Noise::new(Seed::new(SEED), 1));
    let mut digest = Digest::new();
    digest.add(
        (0..200_000)
            .map(|_| normal.draw(&mut noise))
            .collect::<Vec<_>>(),
    );
    digest.add((0..50_000).map(|_| noise.exponential()).collect::<Vec<_>>());
    assert_eq!(digest.0, 0x8b4e_588d_32a7_6605);
}
