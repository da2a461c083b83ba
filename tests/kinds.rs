//! The kinds of options and their codes, against the table that the JavaScript driver is held to.

use rejitter::data::{PolicyData, Value as Data};
use rejitter::internals::kinds::{BACKOFFS, CAP_RULES, JITTERS, Row};
use rejitter::{Backoff, Jitter, RetryOptions, StopReason};
use serde_json::{Value, json};

fn table() -> Value {
    serde_json::from_str(include_str!("vectors/kinds.json")).unwrap()
}

/// `max_ms` is `maxMs` in JavaScript.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        name + &part[..1].to_uppercase() + &part[1..]
    })
}

fn written(rows: &[Row]) -> Vec<Value> {
    let row = |(code, name, parameter): &Row| {
        let mut row = json!({ "code": code, "name": name });
        if !parameter.is_empty() {
            row["parameter"] = json!(camel_case(parameter));
        }
        row
    };
    rows.iter().map(row).collect()
}

fn read(name: &str, value: &Value) -> Result<PolicyData, String> {
    let data: Data = serde_json::from_value(json!({ "version": 1, name: value })).unwrap();
    PolicyData::try_from(&data).map_err(|errors| errors.to_string())
}

#[test]
fn the_codes_are_those_of_the_table() {
    let mut table = table();
    for row in table["jitter"].as_array_mut().unwrap() {
        row.as_object_mut().unwrap().remove("replacesTheCurve");
    }
    for (name, rows) in [
        ("backoff", BACKOFFS),
        ("jitter", JITTERS),
        ("capRule", CAP_RULES),
    ] {
        assert_eq!(table[name], json!(written(rows)), "{name}");
    }
    let reasons = [
        StopReason::Exhausted,
        StopReason::Deadline,
        StopReason::Hint,
    ];
    let names: Vec<&str> = table["reason"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, reasons.map(StopReason::as_str));
}

#[test]
fn data_read_and_write_every_kind() {
    for (option, rows) in [
        ("backoff", BACKOFFS),
        ("jitter", JITTERS),
        ("capRule", CAP_RULES),
    ] {
        let list = read(option, &json!("unknown")).unwrap_err();
        for (_, name, parameter) in rows {
            let value = match *name {
                "custom" => json!([1, 2]),
                name if parameter.is_empty() => json!(name),
                name => json!({ "type": name, camel_case(parameter): 0.5 }),
            };
            let data = read(option, &value).unwrap();
            let again = serde_json::to_value(&data).unwrap();
            // Only this default is not written.
            let expected = (*name != "bound").then_some(&value);
            assert_eq!(again.get(option), expected, "{name}");
            // The message about an unknown name lists it.
            assert!(
                *name == "custom" || list.contains(&format!("'{name}'")),
                "{name}: {list}"
            );
        }
        // A name of a kind with a parameter is not enough, nor is the one that stands for a list.
        for (_, name, _) in rows
            .iter()
            .filter(|(_, name, parameter)| *name == "custom" || !parameter.is_empty())
        {
            assert!(read(option, &json!(name)).is_err(), "{name}");
        }
    }
}

#[test]
fn the_jitters_that_replace_the_curve_are_those_of_the_table() {
    for row in table()["jitter"].as_array().unwrap() {
        let value = match row["parameter"].as_str() {
            Some(parameter) => json!({ "type": row["name"], parameter: 0.5 }),
            None => row["name"].clone(),
        };
        let jitter: Jitter = read("jitter", &value).unwrap().options.jitter;
        let replaces = row["replacesTheCurve"] == json!(true);
        assert_eq!(jitter.follows_the_curve(), !replaces, "{row}");
        let linear = RetryOptions {
            backoff: Backoff::Linear,
            jitter,
            step_ms: Some(1.0),
            ..RetryOptions::default()
        };
        assert_eq!(
            PolicyData::from(linear).policy().is_err(),
            replaces,
            "{row}"
        );
    }
}
