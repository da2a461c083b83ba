//! The presets equal JavaScript's, read from the source of the package.

#![cfg(not(target_family = "wasm"))]

mod common;

use std::time::Duration;

use rejitter::{RetryPolicy, Seed, presets};
use serde_json::{Map, Value};

const JAVASCRIPT: &str = include_str!("../src/js/options/presets.js");

const PRESETS: [(&str, RetryPolicy, Option<Duration>); 12] = [
    ("awsSdk2020", presets::AWS_SDK_2020, None),
    ("awsSdk2026", presets::AWS_SDK_2026, None),
    (
        "awsSdk2026Throttling",
        presets::AWS_SDK_2026_THROTTLING,
        None,
    ),
    (
        "googleHttpClient",
        presets::GOOGLE_HTTP_CLIENT,
        Some(presets::GOOGLE_HTTP_CLIENT_TIMEOUT),
    ),
    ("grpc", presets::GRPC, None),
    ("polly", presets::POLLY, None),
    (
        "cenkalti",
        presets::CENKALTI,
        Some(presets::CENKALTI_TIMEOUT),
    ),
    ("goRetryableHttp", presets::GO_RETRYABLE_HTTP, None),
    ("jpillora", presets::JPILLORA, None),
    ("pRetry", presets::P_RETRY, None),
    ("pRetryRandomized", presets::P_RETRY_RANDOMIZED, None),
    ("truncatedBinary", presets::TRUNCATED_BINARY, None),
];

/// The object literal of the source as JSON: names and words quoted, comments and separators of digits dropped.
fn table() -> Map<String, Value> {
    let (_, literal) = JAVASCRIPT.split_once("=> ({").expect("the table starts");
    let (literal, _) = literal.split_once("\n});").expect("the table ends");
    let lines = literal
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut json = String::from("{");
    for token in tokens(&lines.collect::<Vec<_>>().join("\n")) {
        match token.chars().next() {
            Some('\'') => json.push_str(&token.replace('\'', "\"")),
            Some(c) if c.is_ascii_digit() => json.push_str(&token.replace('_', "")),
            Some(c) if c.is_alphabetic() => json.push_str(&format!("\"{token}\"")),
            Some('}') => {
                while json.ends_with(',') {
                    json.pop();
                }
                json.push('}');
            }
            _ => json.push_str(&token),
        }
    }
    let json = format!("{}}}", json.trim_end_matches(','));
    serde_json::from_str(&json).expect("the table is JSON")
}

/// Words, numbers and strings, and everything else by character.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut quoted = false;
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    for c in text.chars() {
        let joins = quoted || word(c) && tokens.last().is_some_and(|token| token.chars().all(word));
        if c == '\'' {
            quoted = !quoted;
        }
        match tokens.last_mut() {
            Some(last) if joins => last.push(c),
            _ if c.is_whitespace() => tokens.push(String::new()),
            _ => tokens.push(c.to_string()),
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

#[test]
fn the_presets_are_javascript_s() {
    let table = table();
    let names: Vec<_> = table.keys().map(String::as_str).collect();
    let mut expected = PRESETS.map(|(name, ..)| name);
    expected.sort_unstable();
    assert_eq!(names, expected);
    for (name, policy, timeout) in PRESETS {
        let preset = &table[name];
        let mut options = preset["options"].as_object().expect("options").clone();
        let total = options
            .remove("totalTimeoutMs")
            .map(|ms| ms.as_u64().unwrap());
        // A function of JavaScript's errors.
        options.remove("retryIf");
        let rule = preset["capRule"].as_str().expect("a rule").to_lowercase();
        options.insert("capRule".to_owned(), rule.into());
        let expected = RetryPolicy::from_options(common::options(&options.into())).unwrap();
        assert_eq!(policy, expected, "{name}");
        assert_eq!(timeout, total.map(Duration::from_millis), "{name}");
        let seed = Seed::from(name);
        let waits: Vec<_> = policy.delays(seed).take(20).collect();
        assert!(
            waits.into_iter().eq(expected.delays(seed).take(20)),
            "{name}"
        );
    }
}
