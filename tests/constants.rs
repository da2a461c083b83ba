//! Policies made of durations are those made of options, and check the same rules.

use std::time::Duration;

use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, UNLIMITED, presets};
use serde_json::json;

use crate::common;

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_policy_of_durations_is_that_of_its_options() {
    for (policy, options) in [
        (RetryPolicy::exponential(), json!({})),
        (
            RetryPolicy::exponential()
                .with_base(250 * MS)
                .with_factor(1.5)
                .with_cap(3_000 * MS)
                .with_min(5 * MS)
                .with_max_attempts(9)
                .with_max_retry_after(7_000 * MS)
                .with_capped_retry_after(true)
                .with_jitter(Jitter::Equal),
            json!({
                "baseMs": 250, "factor": 1.5, "capMs": 3_000, "minMs": 5, "maxAttempts": 9, "maxRetryAfterMs": 7_000,
                "longRetryAfter": "cap", "jitter": "equal",
            }),
        ),
        (
            RetryPolicy::fixed(20 * MS).with_jitter(Jitter::additive(3 * MS)),
            json!({ "backoff": "fixed", "baseMs": 20, "jitter": { "type": "additive", "maxMs": 3 } }),
        ),
        // A default follows the option that it depends on, whichever is set first.
        (
            RetryPolicy::linear().with_base(20 * MS),
            json!({ "backoff": "linear", "baseMs": 20 }),
        ),
        (
            RetryPolicy::linear().with_step(3 * MS).with_base(20 * MS),
            json!({ "backoff": "linear", "baseMs": 20, "stepMs": 3 }),
        ),
        (
            RetryPolicy::exponential().with_base(30_000 * MS),
            json!({ "baseMs": 30_000 }),
        ),
        (
            RetryPolicy::truncated()
                .with_cap(1_024 * MS)
                .with_truncate_at(5),
            json!({ "backoff": "truncated", "capMs": 1_024, "truncateAt": 5 }),
        ),
        (
            RetryPolicy::exponential().with_cap(Duration::MAX),
            json!({ "capMs": "Infinity" }),
        ),
        (
            RetryPolicy::linear().with_max_attempts(UNLIMITED),
            json!({ "backoff": "linear", "maxAttempts": "Infinity" }),
        ),
        (RetryPolicy::fibonacci(), json!({ "backoff": "fibonacci" })),
        (
            RetryPolicy::reconnecting(),
            json!({ "baseMs": 5_000, "capMs": 30_000, "maxAttempts": "Infinity", "maxRetryAfterMs": 3_600_000 }),
        ),
        (RetryPolicy::no_retries(), json!({ "maxAttempts": 1 })),
    ] {
        assert_eq!(policy, common::policy(&options));
    }
    let custom = RetryOptions {
        backoff: Backoff::Custom,
        ..RetryOptions::DEFAULT
    };
    assert_eq!(Ok(RetryPolicy::custom()), RetryPolicy::from_options(custom));
}

/// The message of the first rule that the change breaks.
fn refusal(change: impl FnOnce() -> RetryPolicy + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(change).expect_err("invalid");
    *panic.downcast::<String>().expect("a text")
}

/// All rules are rows of refusals.json: these are what only setters have, the names and their values as types.
#[test]
fn a_setter_that_breaks_a_rule_names_its_option() {
    let exponential = RetryPolicy::exponential;
    let long = refusal(move || exponential().with_base(Duration::MAX));
    let both = refusal(move || {
        exponential()
            .with_factor(2.0)
            .with_jitter(Jitter::Decorrelated)
    });
    let wide = Jitter::Proportional { ratio: 2.0 };
    for (message, expected) in [
        (
            long,
            "base must be a number of milliseconds between 0 and 2^53 - 1",
        ),
        (
            both,
            "factor must be omitted, because the jitter replaces the exponential backoff",
        ),
        (
            refusal(move || exponential().with_cap(MS).with_min(2 * MS)),
            "min must be at most cap (which defaults to 10,000, or to a longer base)",
        ),
        (
            refusal(|| RetryPolicy::truncated().with_truncate_at(0)),
            "truncate_at must be an integer between 1 and 1,024",
        ),
        (
            refusal(move || exponential().with_jitter(wide)),
            "jitter must be proportional with a ratio above 0 and at most 1",
        ),
    ] {
        assert_eq!(message, format!("rejitter: {expected}"));
    }
}

#[test]
fn what_the_caller_did_not_set_gives_way() {
    let hour = Duration::from_secs(3_600);
    for policy in [
        RetryPolicy::exponential(),
        presets::GRPC,
        presets::GOOGLE_HTTP_CLIENT,
        presets::GO_RETRYABLE_HTTP,
        presets::JPILLORA,
        presets::TRUNCATED_BINARY,
    ] {
        for time in [MS, hour] {
            assert_eq!(policy.with_base(time).base_ms(), ms(time));
            assert_eq!(policy.with_cap(time).cap_ms(), ms(time));
            assert_eq!(policy.with_min(time).min_ms(), ms(time));
            assert!(policy.with_min(time).cap_ms() >= ms(time));
            assert!(policy.with_cap(time).base_ms() <= ms(time));
        }
        // In any order.
        let base = policy.with_base(5_000 * MS);
        let (cap, min) = (10_000 * MS, 6_000 * MS);
        assert_eq!(
            base.with_cap(cap),
            policy.with_cap(cap).with_base(5_000 * MS)
        );
        assert_eq!(
            base.with_min(min).with_cap(cap),
            policy.with_cap(cap).with_base(5_000 * MS).with_min(min)
        );
    }
    const SLOW: RetryPolicy = presets::GRPC.with_base(Duration::from_secs(5));
    assert_eq!(SLOW.cap_ms(), 5_000.0);
    for contradicts in [
        || presets::GRPC.with_base(2 * MS).with_cap(MS),
        || presets::GRPC.with_cap(MS).with_base(2 * MS),
        || presets::GRPC.with_min(2 * MS).with_cap(MS),
        || RetryPolicy::fixed(2 * MS).with_cap(MS),
        || {
            RetryPolicy::from_options(RetryOptions::DEFAULT.with_cap(MS))
                .unwrap()
                .with_base(2 * MS)
        },
    ] {
        assert!(refusal(contradicts).contains("must be at"));
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

#[test]
fn a_single_wait_is_that_of_the_iterator() {
    let jitters = [
        Jitter::Full,
        Jitter::Equal,
        Jitter::Proportional { ratio: 0.2 },
        Jitter::None,
        Jitter::Decorrelated,
        Jitter::DecorrelatedBounded,
        Jitter::PollyV2,
        Jitter::Slotted,
    ];
    let policies = jitters.map(|jitter| RetryPolicy::exponential().with_jitter(jitter));
    let others = [
        RetryPolicy::linear(),
        RetryPolicy::fibonacci(),
        RetryPolicy::truncated(),
    ];
    for policy in policies.into_iter().chain(others) {
        let jitter = policy.jitter();
        let waits: Vec<_> = policy.delays("waits").collect();
        for (k, wait) in (1..).zip(&waits) {
            assert_eq!(policy.delay(k, "waits"), *wait, "{jitter:?}");
        }
        assert_eq!(waits.len(), 5);
        // The number of attempts does not limit it.
        let patient = policy.with_max_attempts(UNLIMITED);
        assert_eq!(Some(policy.delay(40, 3)), patient.delays(3).nth(39));
        assert_eq!(policy.delay(0, 3), policy.delay(1, 3));
    }
}
