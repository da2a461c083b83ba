//! The documented retry settings of other systems. They equal the presets of the JavaScript package, and
//! are tested against numbers that those systems publish.
//!
//! ```
//! use rejitter::{RetryPolicy, presets};
//! use std::time::Duration;
//!
//! const POLICY: RetryPolicy = presets::GRPC.with_max_attempts(6);
//! assert!(POLICY.delays(1).all(|delay| delay <= Duration::from_millis(1_200)));
//! ```

use core::time::Duration;

use crate::core::{Backoff, CapRule, Jitter, Own, RetryOptions, RetryPolicy, UNLIMITED};

const fn of(base_ms: f64, cap_ms: f64, max_attempts: u64) -> RetryOptions {
    RetryOptions {
        base_ms: Some(base_ms),
        cap_ms: Some(cap_ms),
        max_attempts: Some(max_attempts),
        ..RetryOptions::DEFAULT
    }
}

/// The policy of a preset. None of its values is the caller's own, so setters move those that contradict theirs.
const fn preset(options: RetryOptions) -> RetryPolicy {
    RetryPolicy::constant(options).with_own(Own {
        base: false,
        cap: false,
        min: false,
    })
}

/// Standard mode of the AWS SDKs since 2020: `r·1 s·2^(k−1)`, clamped to 20 s, 3 attempts.
pub const AWS_SDK_2020: RetryPolicy = preset(RetryOptions {
    cap_rule: CapRule::Draw,
    ..of(1_000.0, 20_000.0, 3)
});

/// The AWS SDKs since 2026: full jitter below `min(20 s, 50 ms·2^(k−1))`, 3 attempts, for transient errors.
pub const AWS_SDK_2026: RetryPolicy = preset(of(50.0, 20_000.0, 3));

/// [`AWS_SDK_2026`] when the service throttles: from 1 s.
pub const AWS_SDK_2026_THROTTLING: RetryPolicy = preset(of(1_000.0, 20_000.0, 3));

/// `ExponentialBackOff` of Google's HTTP client for Java. That client ends an operation after
/// [`GOOGLE_HTTP_CLIENT_TIMEOUT`].
pub const GOOGLE_HTTP_CLIENT: RetryPolicy = preset(RetryOptions {
    factor: Some(1.5),
    jitter: Jitter::Proportional { ratio: 0.5 },
    cap_rule: CapRule::Ceiling,
    ..of(500.0, 60_000.0, UNLIMITED)
});

/// The total timeout that belongs to [`GOOGLE_HTTP_CLIENT`]: 15 minutes.
pub const GOOGLE_HTTP_CLIENT_TIMEOUT: Duration = Duration::from_secs(900);

/// gRPC's proposal A6, with the values of its example.
pub const GRPC: RetryPolicy = preset(RetryOptions {
    factor: Some(2.0),
    jitter: Jitter::Proportional { ratio: 0.2 },
    cap_rule: CapRule::Ceiling,
    ..of(100.0, 1_000.0, 4)
});

/// Polly 8 for .NET: exponential with `UseJitter`. The delay of 2 s and 3 retries are its defaults.
pub const POLLY: RetryPolicy = preset(RetryOptions {
    jitter: Jitter::PollyV2,
    ..of(2_000.0, f64::INFINITY, 4)
});

/// cenkalti/backoff for Go, which ends an operation after [`CENKALTI_TIMEOUT`].
pub const CENKALTI: RetryPolicy = GOOGLE_HTTP_CLIENT;

/// The total timeout that belongs to [`CENKALTI`]: 15 minutes.
pub const CENKALTI_TIMEOUT: Duration = Duration::from_secs(900);

/// hashicorp/go-retryablehttp: from 1 s, doubling up to 30 s, 4 retries, no jitter.
pub const GO_RETRYABLE_HTTP: RetryPolicy = preset(RetryOptions {
    jitter: Jitter::None,
    ..of(1_000.0, 30_000.0, 5)
});

/// jpillora/backoff for Go with `Jitter`: uniform from its `Min` to the ceiling, clamped to its `Max`.
pub const JPILLORA: RetryPolicy = preset(RetryOptions {
    min_ms: Some(100.0),
    cap_rule: CapRule::Draw,
    ..of(100.0, 10_000.0, UNLIMITED)
});

/// p-retry for Node.js: 10 retries from 1 s without a cap, no jitter (`randomize: false`).
pub const P_RETRY: RetryPolicy = preset(RetryOptions {
    jitter: Jitter::None,
    ..of(1_000.0, f64::INFINITY, 11)
});

/// [`P_RETRY`] with `randomize: true`: every wait times a random number between 1 and 2.
pub const P_RETRY_RANDOMIZED: RetryPolicy = preset(RetryOptions {
    jitter: Jitter::Additive { ratio: 1.0 },
    cap_rule: CapRule::Draw,
    ..of(1_000.0, f64::INFINITY, 11)
});

/// Truncated binary exponential backoff up to 10 s at the tenth wait, without a limit of attempts.
pub const TRUNCATED_BINARY: RetryPolicy = preset(RetryOptions {
    backoff: Backoff::Truncated,
    truncate_at: Some(10),
    cap_ms: Some(10_000.0),
    max_attempts: Some(UNLIMITED),
    ..RetryOptions::DEFAULT
});
