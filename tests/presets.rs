//! The presets equal JavaScript's: both are held to one table.

use std::time::Duration;

use rejitter::{RetryPolicy, Seed, presets};
use serde_json::Value;

use crate::common;

const VECTORS: &str = include_str!("vectors/presets.json");

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

#[test]
fn the_presets_are_javascript_s() {
    let rows: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    let policies: Vec<_> = rows
        .iter()
        .filter(|row| row["policy"].is_object())
        .collect();
    let mut names: Vec<_> = policies
        .iter()
        .map(|row| row["preset"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    let mut expected = PRESETS.map(|(name, ..)| name);
    expected.sort_unstable();
    assert_eq!(names, expected);
    for (name, policy, timeout) in PRESETS {
        let row = policies.iter().find(|row| row["preset"] == name).unwrap();
        let mut options = row["policy"].as_object().expect("options").clone();
        let total = options
            .remove("totalTimeoutMs")
            .map(|ms| ms.as_u64().unwrap());
        let expected = common::policy(&options.into());
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
