//! Policies as data: written policies are read again, and invalid ones are rejected by name.

use rejitter::data::{DataErrors, IdleTimeout, PolicyData, Value as Data};
use rejitter::decide::MAX_MS;
use rejitter::internals::CapRule;
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, Seed, UNLIMITED};
use serde_json::{Value, json};

use crate::common;

fn read(data: &Value) -> Result<PolicyData, DataErrors> {
    let value: Data = serde_json::from_value(data.clone()).unwrap();
    PolicyData::try_from(&value)
}

fn with(name: &str, value: Value) -> Value {
    let mut data = json!({ "version": 1 });
    data[name] = value;
    data
}

/// Each option, and the ends of ranges; `kinds.rs` has all kinds of backoff and jitter.
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
            ..RetryOptions::default()
        },
        curve: None,
        attempt_timeout_ms: Some(0.5),
        idle_timeout_ms: Some(IdleTimeout {
            first_ms: 300.0,
            then_ms: 0.25,
        }),
        total_timeout_ms: Some(1e9),
        name: Some("orders".to_owned()),
        seed: Some(Seed::new(u64::MAX)),
        unref: true,
        wrap_error: true,
        reject_result: true,
        metrics: true,
    };
    let list = PolicyData {
        curve: Some(vec![0.0, 0.1, f64::INFINITY]),
        ..RetryOptions {
            backoff: Backoff::Custom,
            ..RetryOptions::default()
        }
        .into()
    };
    let linear = RetryOptions {
        backoff: Backoff::Linear,
        step_ms: Some(0.3),
        cap_rule: CapRule::Ceiling,
        max_attempts: Some((1 << 53) - 1),
        ..RetryOptions::default()
    };
    let truncated = RetryOptions {
        backoff: Backoff::Truncated,
        truncate_at: Some(1_024),
        ..RetryOptions::default()
    };
    let default = PolicyData::default();
    vec![full, default, list, linear.into(), truncated.into()]
}

#[test]
fn what_is_written_is_read_again() {
    for data in everything() {
        let written = serde_json::to_string(&data).unwrap();
        let again: PolicyData = serde_json::from_str(&written).unwrap();
        assert_eq!(again, data, "{written}");
        assert!(again.policy().is_ok());
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
            "minMs": 1,
            "factor": 1.5,
            "maxRetryAfterMs": "Infinity",
            "maxAttempts": "Infinity",
            "attemptTimeoutMs": 0.5,
            "idleTimeoutMs": { "firstMs": 300, "thenMs": 0.25 },
            "totalTimeoutMs": 1_000_000_000,
            "longRetryAfter": "cap",
            "unref": true,
            "finalError": "wrap",
            "finalResult": "reject",
            "name": "orders",
            "metrics": true,
        })
    );
}

/// Reads a value of the table: `{ "$": text }` stands for values that JSON lacks. `None` if only
/// JavaScript has the value.
fn revived(value: &Value) -> Option<Data> {
    let list = |items: &[Value]| items.iter().map(revived).collect::<Option<Vec<_>>>();
    match value {
        Value::Object(fields) if fields.contains_key("$") => match value["$"].as_str().unwrap() {
            "NaN" => Some(Data::Number(f64::NAN)),
            "Infinity" => Some(Data::Number(f64::INFINITY)),
            "-Infinity" => Some(Data::Number(f64::NEG_INFINITY)),
            text => {
                let ones = text.strip_prefix("list:")?.parse().unwrap();
                // Read by serde, which stops at the limit.
                Some(serde_json::from_value(json!(vec![1; ones])).unwrap())
            }
        },
        Value::Object(fields) => {
            let entries = fields
                .iter()
                .map(|(name, value)| Some((name.clone(), revived(value)?)));
            entries.collect::<Option<Vec<_>>>().map(Data::Object)
        }
        Value::Array(items) => list(items).map(Data::List),
        plain => Some(serde_json::from_value(plain.clone()).unwrap()),
    }
}

/// The same table that JavaScript reads: tests/package/options/options.test.mjs.
#[test]
fn data_are_accepted_and_refused_as_in_javascript() {
    let (mut accepted, mut refused, mut skipped) = (0, 0, 0);
    for row in common::some_rows(include_str!("vectors/refusals.json")) {
        if !row["where"].as_array().unwrap().contains(&json!("data")) {
            continue;
        }
        let mut given = row["given"].clone();
        if given.get("version").is_none() {
            given["version"] = json!(1);
        }
        let Some(data) = revived(&given) else {
            skipped += 1;
            continue;
        };
        let read = PolicyData::try_from(&data);
        if row["accepted"] == true {
            let data = read.unwrap_or_else(|errors| panic!("{given}: {errors}"));
            assert!(data.policy().is_ok(), "{given}");
            accepted += 1;
            continue;
        }
        let errors = read.expect_err(&format!("{given} was accepted"));
        let (text, option) = (errors.to_string(), row["option"].as_str().unwrap());
        let kind = if errors.is_type_error() {
            "TypeError"
        } else {
            "RangeError"
        };
        assert_eq!(row["error"], kind, "{given}: {text}");
        assert!(
            text.starts_with(option) || text.starts_with(&format!("unknown option {option:?}")),
            "{given}: {text}"
        );
        let says = row["says"].as_str().unwrap_or("");
        assert!(text.contains(says), "{given}: {text}, without {says}");
        refused += 1;
    }
    assert!(
        cfg!(miri) || (accepted > 40 && refused > 100 && skipped < 20),
        "{accepted}, {refused}, {skipped}"
    );
}

/// Data that no row of the table has. Its rules and values are written as those of the table.
#[test]
fn what_is_no_policy_is_refused() {
    let object = "the policy must be an object with a version";
    for (data, problem) in [
        (json!(null), format!("{object}, got null")),
        (json!([]), format!("{object}, got a list")),
        (json!({}), "version must be 1, got nothing".into()),
    ] {
        let errors = read(&data).expect_err(&format!("{data} was accepted"));
        assert_eq!(errors.problems(), [problem], "{data}");
    }
}

#[test]
fn unknown_names_come_with_a_suggestion_and_all_known_ones() {
    for (name, nearest) in [
        ("maxAtempts", Some("maxAttempts")),
        ("MaxAttempts", Some("maxAttempts")),
        ("base_ms", Some("baseMs")),
        ("jiter", Some("jitter")),
        ("bsaeMs", Some("baseMs")),
        ("foo", None),
        ("é", None),
    ] {
        let errors = read(&with(name, json!(1))).unwrap_err();
        let hint = nearest.map_or(String::new(), |name| format!(". Did you mean {name}?"));
        assert_eq!(
            errors.problems()[0],
            format!("unknown option {name:?}{hint}")
        );
        assert!(errors.problems()[1].starts_with("known options: version, baseMs, "));
        assert_eq!(errors.problems().len(), 2);
    }
}

/// Data may be a megabyte, and the text of its errors goes to logs.
#[test]
fn large_data_are_refused_in_few_words_and_with_little_memory() {
    let million = common::some(1_000_000) as usize;
    let names: serde_json::Map<String, Value> =
        (0..900).map(|i| (format!("name{i}"), json!(1))).collect();
    let errors = read(&json!({ "version": 1, "maxAttempts": "x".repeat(million) })).unwrap_err();
    assert!(errors.to_string().len() < 200);
    let mut data = Value::Object(names);
    data["version"] = json!(1);
    let errors = read(&data).unwrap_err();
    assert_eq!(errors.problems().len(), 11, "ten, and the known names");
    assert!(errors.to_string().len() < 1_500);

    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!({ "a": [deep] });
    }
    let value: Data = serde_json::from_value(with("jitter", deep)).unwrap();
    let Data::Object(entries) = &value else {
        panic!("{value:?}");
    };
    let jitter = entries.iter().find(|(name, _)| name == "jitter").unwrap();
    let inside = Data::List(vec![Data::Null]);
    assert_eq!(
        jitter.1,
        Data::Object(vec![("a".to_owned(), inside)]),
        "cut off below"
    );
    assert!(PolicyData::try_from(&value).unwrap_err().is_type_error());

    let list: Data = serde_json::from_value(json!(vec![1; 1_001.max(million / 2)])).unwrap();
    assert!(matches!(list, Data::List(items) if items.len() == 1_001));
}

/// A list is not cut silently; a cap that was set is.
#[test]
fn a_list_raises_the_default_cap() {
    for (backoff, cap_ms, expected) in [
        (json!([1_000, 20_000, 60_000]), None, 60_000.0),
        (json!([1_000, 5]), None, 10_000.0),
        (json!([1_000, "Infinity"]), None, MAX_MS),
        (json!([1_000, 60_000]), Some(30_000), 30_000.0),
    ] {
        let mut data = with("backoff", backoff);
        if let Some(cap) = cap_ms {
            data["capMs"] = json!(cap);
        }
        let read = read(&data).unwrap();
        assert_eq!(read.policy().unwrap().cap_ms(), expected, "{data}");
        // The default is not written.
        assert_eq!(read.options.cap_ms.is_some(), cap_ms.is_some());
    }
    // The list does not matter to a jitter that replaces it.
    let replaced = json!({ "version": 1, "backoff": [60_000], "jitter": "decorrelated" });
    assert_eq!(
        read(&replaced).unwrap().policy().unwrap().cap_ms(),
        10_000.0
    );
}

/// Data of a configuration file, and data written by JavaScript.
#[test]
fn policies_are_read_from_data_and_written_as_javascript_writes_them() {
    for vector in common::vectors(common::VECTORS) {
        if vector.policy.backoff() == Backoff::Custom {
            assert!(serde_json::to_string(&vector.policy).is_err());
            continue;
        }
        let text = serde_json::to_string(&vector.policy).unwrap();
        // Whole numbers are integers: other readers refuse or round what has a point.
        assert!(!text.contains(".0,") && !text.contains(".0}"), "{text}");
        let read: RetryPolicy = serde_json::from_str(&text).unwrap();
        assert_eq!(read, vector.policy, "{text}");
        let data: PolicyData = serde_json::from_str(&text).unwrap();
        assert_eq!(data.policy().unwrap(), vector.policy, "{text}");
    }
    // A limit that no reader takes is none.
    let far = RetryPolicy::default().with_max_attempts(1 << 53);
    let read: RetryPolicy = serde_json::from_str(&serde_json::to_string(&far).unwrap()).unwrap();
    assert_eq!(read.max_attempts(), UNLIMITED);
}

#[test]
fn options_refuse_what_they_do_not_hold() {
    let read = serde_json::from_str::<RetryOptions>;
    assert_eq!(read("{}").unwrap(), RetryOptions::default());
    for (text, word) in [
        (r#"{ "totalTimeoutMs": 100 }"#, "PolicyData"),
        (r#"{ "backoff": [1, 2] }"#, "PolicyData"),
        (r#"{ "version": 2 }"#, "version must be 1"),
        (r#"{ "unreff": true }"#, "longRetryAfter, maxAttempts"), // no name that options do not have
        (r#"{ "baseMs": "fast" }"#, "baseMs must be"),
        ("3", "an object"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(word), "{text}: {message}");
        assert!(!message.contains("unref,"), "{text}: {message}");
    }
    assert!(!format!("{:?}", RetryOptions::DEFAULT).contains("_more"));
}
