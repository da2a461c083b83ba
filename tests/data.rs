//! Policies as data: what is written is read again, and what is no policy is refused by name.

#![cfg(all(not(target_arch = "wasm32"), feature = "lab"))]

use rejitter::data::{DataErrors, PolicyData, Value as Data};
use rejitter::{Backoff, CapRule, Jitter, RetryOptions, Seed, UNLIMITED};
use serde_json::{Value, json};

fn read(data: &Value) -> Result<PolicyData, DataErrors> {
    let value: Data = serde_json::from_value(data.clone()).unwrap();
    PolicyData::try_from(&value)
}

fn with(name: &str, value: Value) -> Value {
    let mut data = json!({ "version": 1 });
    data[name] = value;
    data
}

fn everything() -> Vec<PolicyData> {
    let full = PolicyData {
        options: RetryOptions {
            backoff: Backoff::Exponential,
            jitter: Jitter::Proportional { ratio: 0.25 },
            base_ms: Some(12.5),
            cap_ms: Some(f64::INFINITY),
            min_ms: Some(1.0),
            factor: Some(1.5),
            step_ms: None,
            truncate_at: None,
            max_retry_after_ms: Some(f64::INFINITY),
            cap_long_retry_after: true,
            max_attempts: Some(UNLIMITED),
            cap_rule: CapRule::Draw,
        },
        curve: None,
        attempt_timeout_ms: Some(0.5),
        total_timeout_ms: Some(1e9),
        seed: Some(Seed::new(u64::MAX)),
        unref: true,
        wrap_error: true,
        metrics: true,
    };
    let options = |backoff, jitter| RetryOptions {
        backoff,
        jitter,
        ..RetryOptions::default()
    };
    let mut all = vec![full, PolicyData::default()];
    for backoff in [
        Backoff::Fixed,
        Backoff::Linear,
        Backoff::Truncated,
        Backoff::Fibonacci,
    ] {
        all.push(options(backoff, Jitter::None).into());
    }
    for jitter in [
        Jitter::Equal,
        Jitter::Decorrelated,
        Jitter::DecorrelatedBounded,
        Jitter::Slotted,
        Jitter::PollyV2,
        Jitter::Additive { ratio: 1_000.0 },
        Jitter::AdditiveMax { max_ms: 0.1 },
    ] {
        all.push(options(Backoff::Exponential, jitter).into());
    }
    all.push(PolicyData {
        curve: Some(vec![0.0, 0.1, f64::INFINITY]),
        ..options(Backoff::Custom, Jitter::Full).into()
    });
    let linear = RetryOptions {
        step_ms: Some(0.3),
        cap_rule: CapRule::Ceiling,
        max_attempts: Some(1 << 53),
        ..options(Backoff::Linear, Jitter::Full)
    };
    all.push(
        RetryOptions {
            max_attempts: Some((1 << 53) - 1),
            ..linear
        }
        .into(),
    );
    all.push(
        RetryOptions {
            truncate_at: Some(1_024),
            ..options(Backoff::Truncated, Jitter::Full)
        }
        .into(),
    );
    all
}

#[test]
fn what_is_written_is_read_again() {
    for data in everything() {
        let written = serde_json::to_string(&data).unwrap();
        let again: PolicyData = serde_json::from_str(&written).unwrap();
        assert_eq!(again, data, "{written}");
        assert!(again.model().is_ok());
    }
}

#[test]
fn the_form_is_that_of_the_javascript_package() {
    let everything = everything();
    let written: Value = serde_json::to_value(&everything[0]).unwrap();
    assert_eq!(
        written,
        json!({
            "version": 1,
            "backoff": "exponential",
            "jitter": { "type": "proportional", "ratio": 0.25 },
            "capRule": "draw",
            "seed": { "bits": "18446744073709551615" },
            "baseMs": 12.5,
            "capMs": "Infinity",
            "minMs": 1.0,
            "factor": 1.5,
            "maxRetryAfterMs": "Infinity",
            "maxAttempts": "Infinity",
            "attemptTimeoutMs": 0.5,
            "totalTimeoutMs": 1e9,
            "longRetryAfter": "cap",
            "unref": true,
            "finalError": "wrap",
            "metrics": true,
        })
    );
}

#[test]
fn what_is_no_policy_is_refused_with_option_value_and_rule() {
    for (data, problem) in [
        (
            json!(null),
            "the policy is null; it must be an object as toJSON() gives it",
        ),
        (
            json!([]),
            "the policy is a list; it must be an object as toJSON() gives it",
        ),
        (json!({}), "version is missing; it must be 1"),
        (
            json!({ "version": 2, "foo": 1 }),
            "version is 2; it must be 1",
        ),
        (json!({ "version": "1" }), "version is \"1\"; it must be 1"),
        (with("foo", json!(1)), "\"foo\" is not an option"),
        (with("base_ms", json!(1)), "\"base_ms\" is not an option"),
        (
            with("baseMs", json!("x")),
            "baseMs is \"x\"; it must be a number of milliseconds",
        ),
        (
            with("baseMs", json!(null)),
            "baseMs is null; it must be a number of milliseconds",
        ),
        (
            with("baseMs", json!(-1)),
            "baseMs is -1; it must be from 0 to 2^53 - 1 milliseconds",
        ),
        (
            with("baseMs", json!("Infinity")),
            "baseMs is Infinity; it must be from 0 to 2^53 - 1 milliseconds",
        ),
        (
            with("capMs", json!(-0.5)),
            "capMs is -0.5; it must be from 0 to infinity milliseconds",
        ),
        (
            json!({ "version": 1, "baseMs": 5, "capMs": 4 }),
            "capMs is 4; it must be at least baseMs",
        ),
        (
            with("minMs", json!(20_000)),
            "minMs is 20000; it must be at most capMs",
        ),
        (
            with("factor", json!(0.5)),
            "factor is 0.5; it must be from 1, and finite",
        ),
        (with("stepMs", json!(1)), "stepMs is 1; it must be left out"),
        (
            with("truncateAt", json!(1.5)),
            "truncateAt is 1.5; it must be a whole number from 1 to 1024",
        ),
        (
            with("truncateAt", json!(-1)),
            "truncateAt is -1; it must be a whole number from 1 to 1024",
        ),
        (
            with("maxAttempts", json!(0)),
            "maxAttempts is 0; it must be a whole number from 1",
        ),
        (
            with("maxAttempts", json!(2.5)),
            "maxAttempts is 2.5; it must be a whole number from 1, or \"Infinity\"",
        ),
        (
            with("maxAttempts", json!(-3)),
            "maxAttempts is -3; it must be a whole number from 1, or \"Infinity\"",
        ),
        (
            with("attemptTimeoutMs", json!(0)),
            "attemptTimeoutMs is 0; it must be a number of milliseconds above 0",
        ),
        (
            with("totalTimeoutMs", json!([])),
            "totalTimeoutMs is a list; it must be a number of milliseconds above 0",
        ),
        (
            with("backoff", json!("cubic")),
            "backoff is \"cubic\"; it must be one of 'fixed'",
        ),
        (
            with("backoff", json!([])),
            "backoff is a list; it must be one of 'fixed'",
        ),
        (
            with("backoff", json!([1, -1])),
            "backoff is a list; it must be one of 'fixed'",
        ),
        (
            with("jitter", json!("Full")),
            "jitter is \"Full\"; it must be one of 'none'",
        ),
        (
            with("jitter", json!({ "type": "additive" })),
            "jitter is an object; it must be one of 'none'",
        ),
        (
            with("jitter", json!({ "type": "proportional", "maxMs": 1 })),
            "jitter is an object; it must be one of 'none'",
        ),
        (
            with("jitter", json!({ "type": "proportional", "ratio": 1.5 })),
            "jitter is 1.5; it must be proportional by a ratio above 0, at most 1",
        ),
        (
            with("capRule", json!(3)),
            "capRule is 3; it must be one of 'bound', 'ceiling', 'draw'",
        ),
        (with("seed", json!(7)), "seed is 7; it must be { bits }"),
        (
            with("seed", json!({ "bits": "-1" })),
            "seed is an object; it must be { bits }",
        ),
        (
            with("seed", json!({ "bits": "18446744073709551616" })),
            "seed is an object; it must be { bits }",
        ),
        (
            with("longRetryAfter", json!(true)),
            "longRetryAfter is true; it must be one of 'stop', 'cap'",
        ),
        (
            with("finalError", json!("first")),
            "finalError is \"first\"; it must be one of 'last', 'wrap'",
        ),
        (
            with("unref", json!(1)),
            "unref is 1; it must be true or false",
        ),
        (
            with("metrics", json!("yes")),
            "metrics is \"yes\"; it must be true or false",
        ),
    ] {
        let errors = read(&data).expect_err(&format!("{data} was accepted"));
        assert_eq!(errors.problems().len(), 1, "{data}: {errors}");
        assert!(
            errors.to_string().starts_with(problem),
            "{data}: {errors}, not {problem}"
        );
    }
}

#[test]
fn all_problems_are_told_at_once_and_by_kind() {
    let errors = read(&json!({ "version": 1, "baseMs": "x", "foo": 1, "capRule": 9 })).unwrap_err();
    assert_eq!(errors.problems().len(), 3);
    assert!(errors.is_type_error());
    let errors = read(&json!({ "version": 1, "baseMs": -1, "factor": 0 })).unwrap_err();
    assert_eq!(errors.problems().len(), 2);
    assert!(!errors.is_type_error());
}

#[test]
fn numbers_that_json_has_not_are_refused_too() {
    // Where the data do not come from JSON: NaN, from JavaScript.
    for name in [
        "baseMs",
        "capMs",
        "minMs",
        "factor",
        "maxAttempts",
        "totalTimeoutMs",
    ] {
        let data = Data::Object(vec![
            ("version".to_owned(), Data::Number(1.0)),
            (name.to_owned(), Data::Number(f64::NAN)),
        ]);
        let errors = PolicyData::try_from(&data).expect_err(name).to_string();
        assert!(
            errors.starts_with(&format!("{name} is NaN; it must be ")),
            "{errors}"
        );
    }
}

#[test]
fn defaults_are_those_of_the_options() {
    assert_eq!(
        read(&json!({ "version": 1 })).unwrap(),
        PolicyData::default()
    );
    let all_defaults = read(&json!({
        "version": 1, "backoff": "exponential", "jitter": "full", "capRule": "bound",
        "longRetryAfter": "stop", "finalError": "last", "unref": false, "metrics": false,
    }));
    assert_eq!(all_defaults.unwrap(), PolicyData::default());
}
