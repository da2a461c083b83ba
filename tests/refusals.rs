//! The core's rules, against the table of all languages (`tests/vectors/refusals.json`). `tests/data.rs` reads
//! its rows of data.

use rejitter::data::{PolicyData, Value as Data};
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, UNLIMITED};
use serde_json::{Value, json};

use crate::common;

fn number(value: &Value) -> Option<f64> {
    match value["$"].as_str() {
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        _ => value.as_f64(),
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn count(value: &Value) -> Option<u64> {
    let number = number(value).filter(|n| n.fract() == 0.0 && (0.0..=9e15).contains(n));
    number.map(|n| n as u64)
}

/// The kinds whose names are in the table, by the reader of data.
fn kind(option: &str, value: &Value) -> Option<RetryOptions> {
    let data: Data = serde_json::from_value(json!({ "version": 1, option: value })).unwrap();
    PolicyData::try_from(&data).ok().map(|data| data.options)
}

/// Parameters of any size: the core checks them itself.
fn jitter(value: &Value) -> Option<Jitter> {
    if value.is_string() {
        return kind("jitter", value).map(|options| options.jitter);
    }
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    match (
        fields.get("type")?.as_str()?,
        fields.get("ratio"),
        fields.get("maxMs"),
    ) {
        ("proportional", Some(ratio), None) => Some(Jitter::Proportional {
            ratio: number(ratio)?,
        }),
        ("additive", Some(ratio), None) => Some(Jitter::Additive {
            ratio: number(ratio)?,
        }),
        ("additive", None, Some(max)) => Some(Jitter::AdditiveMax {
            max_ms: number(max)?,
        }),
        _ => None,
    }
}

/// The options of a row; `None` if Rust's types rule them out, or the core does not have them.
fn options(given: &Value) -> Option<RetryOptions> {
    let mut options = RetryOptions::default();
    for (name, value) in given.as_object().unwrap() {
        match name.as_str() {
            "baseMs" => options.base_ms = Some(number(value)?),
            "capMs" => options.cap_ms = Some(number(value)?),
            "minMs" => options.min_ms = Some(number(value)?),
            "factor" => options.factor = Some(number(value)?),
            "stepMs" => options.step_ms = Some(number(value)?),
            "maxRetryAfterMs" => options.max_retry_after_ms = Some(number(value)?),
            "truncateAt" => options.truncate_at = Some(u32::try_from(count(value)?).ok()?),
            "maxAttempts" if number(value) == Some(f64::INFINITY) => {
                options.max_attempts = Some(UNLIMITED);
            }
            "maxAttempts" => options.max_attempts = Some(count(value)?),
            "backoff" if value["$"] == json!("function") => options.backoff = Backoff::Custom,
            "backoff" if value.is_string() => options.backoff = kind(name, value)?.backoff,
            "jitter" => options.jitter = jitter(value)?,
            _ => return None,
        }
    }
    Some(options)
}

fn snake_case(name: &str) -> String {
    let each = name.chars().map(|c| match c {
        'A'..='Z' => format!("_{}", c.to_ascii_lowercase()),
        c => c.to_string(),
    });
    each.collect()
}

#[test]
fn the_core_accepts_and_rejects_the_options_of_the_table() {
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    for row in common::some_rows(include_str!("vectors/refusals.json")) {
        if !row["where"].as_array().unwrap().contains(&json!("options")) {
            continue;
        }
        let Some(options) = options(&row["given"]) else {
            continue;
        };
        match RetryPolicy::from_options(options) {
            Ok(_) => {
                assert_eq!(row["accepted"], json!(true), "{row}");
                accepted.extend(row["given"].as_object().unwrap().keys().cloned());
            }
            Err(errors) => {
                let option = row["option"]
                    .as_str()
                    .unwrap_or_else(|| panic!("{row}: {errors}"));
                // Parameters of a jitter are part of it here.
                let option = option.split('.').next().unwrap().to_owned();
                assert_eq!(
                    errors.problems()[0].option,
                    snake_case(&option),
                    "{row}: {errors}"
                );
                rejected.push(option);
            }
        }
    }
    if cfg!(miri) {
        return;
    }
    // Each option of the core is in rows of both kinds.
    let options = "baseMs capMs minMs factor stepMs truncateAt maxRetryAfterMs maxAttempts jitter";
    for option in options.split(' ') {
        for list in [&accepted, &rejected] {
            assert!(list.iter().any(|name| name == option), "{option}");
        }
    }
    assert!(accepted.len() >= 30 && rejected.len() >= 25);
}
