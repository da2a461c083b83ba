//! The tables of docs/migration/backon-tokio-retry.md: each row's two sides give the same waits.

use std::time::Duration;

use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder, FibonacciBuilder};
use rejitter::{Jitter, RetryPolicy};
use tokio_retry::strategy::{ExponentialBackoff, FibonacciBackoff, FixedInterval, jitter};

const PAGE: &str = include_str!("../../../../docs/migration/backon-tokio-retry.md");

const POLICY: RetryPolicy = RetryPolicy::exponential()
    .with_base(s(1))
    .with_cap(s(60))
    .with_max_attempts(4)
    .with_jitter(Jitter::None);

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const fn s(s: u64) -> Duration {
    Duration::from_secs(s)
}

/// The shortest and the longest of each wait, in seconds, of many operations.
fn ranges(waits: impl Fn(u64) -> Vec<Duration>) -> Vec<[f64; 2]> {
    let mut ranges = vec![[f64::INFINITY, 0.0]; waits(0).len()];
    for operation in 0..400 {
        let waits = waits(operation);
        assert_eq!(waits.len(), ranges.len());
        for ([least, most], wait) in ranges.iter_mut().zip(waits) {
            *least = least.min(wait.as_secs_f64());
            *most = most.max(wait.as_secs_f64());
        }
    }
    ranges
}

/// Both draw from the same range, or wait equally long. The extremes of 400 draws are this close to the ends of the
/// range, but for odds of 1 in 10^8.
fn same(row: &str, old: &[[f64; 2]], new: &[[f64; 2]]) {
    assert_eq!(old.len(), new.len(), "{row}");
    for (one, other) in old.iter().zip(new) {
        let near = (0..2).all(|end| (one[end] - other[end]).abs() <= one[1] / 20.0);
        assert!(near, "{row}: {old:?} and {new:?}");
    }
}

/// Compares both sides, and returns the text of each row.
macro_rules! rows {
    ($($old:expr => $new:expr, $waits:expr;)*) => {
        vec![$({
            let (old, new) = (stringify!($old), stringify!($new));
            let policy = $new;
            same(old, &ranges(|_| $waits($old)), &ranges(|n| policy.delays(n).collect()));
            [old, new].map(text)
        }),*]
    };
}

/// Code without spaces and marks.
fn text(code: &str) -> String {
    code.replace('`', "").split_whitespace().collect()
}

#[test]
fn both_sides_of_each_row_give_the_same_waits() {
    fn backon(builder: impl BackoffBuilder) -> Vec<Duration> {
        builder.build().collect()
    }
    fn tokio(strategy: impl Iterator<Item = Duration>) -> Vec<Duration> {
        strategy.collect()
    }
    let rows = rows![
        ExponentialBuilder::default() =>
            RetryPolicy::exponential().with_base(s(1)).with_cap(s(60)).with_max_attempts(4).with_jitter(Jitter::None),
            backon;
        ExponentialBuilder::default().with_factor(3.0) => POLICY.with_factor(3.0), backon;
        ExponentialBuilder::default().with_min_delay(ms(200)) => POLICY.with_base(ms(200)), backon;
        ExponentialBuilder::default().with_max_delay(s(2)) => POLICY.with_cap(s(2)), backon;
        ExponentialBuilder::default().with_max_times(9) => POLICY.with_max_attempts(10), backon;
        ExponentialBuilder::default().with_jitter() => POLICY.with_jitter(Jitter::Additive { ratio: 1.0 }), backon;
        ConstantBuilder::default().with_delay(ms(200)) =>
            RetryPolicy::fixed(ms(200)).with_max_attempts(4).with_jitter(Jitter::None), backon;
        FibonacciBuilder::default() =>
            RetryPolicy::fibonacci().with_base(s(1)).with_cap(s(60)).with_max_attempts(4)
                .with_jitter(Jitter::None), backon;
        ExponentialBackoff::from_millis(2).factor(100).take(4) =>
            RetryPolicy::exponential().with_base(ms(200)).with_max_attempts(5).with_jitter(Jitter::None), tokio;
        ExponentialBackoff::from_millis(10).take(3) =>
            RetryPolicy::exponential().with_base(ms(10)).with_factor(10.0).with_max_attempts(4)
                .with_jitter(Jitter::None), tokio;
        ExponentialBackoff::from_millis(2).factor(100).max_delay(s(1)).take(4) =>
            RetryPolicy::exponential().with_base(ms(200)).with_cap(s(1)).with_max_attempts(5)
                .with_jitter(Jitter::None), tokio;
        ExponentialBackoff::from_millis(2).factor(100).map(jitter).take(4) =>
            RetryPolicy::exponential().with_base(ms(200)).with_max_attempts(5), tokio;
        FixedInterval::from_millis(200).take(4) =>
            RetryPolicy::fixed(ms(200)).with_max_attempts(5).with_jitter(Jitter::None), tokio;
        FibonacciBackoff::from_millis(10).take(6) =>
            RetryPolicy::fibonacci().with_base(ms(10)).with_max_attempts(7).with_jitter(Jitter::None), tokio;
    ];
    let page: Vec<[String; 2]> = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('|'))
        .map(|(old, new)| [old, new.trim_end_matches(['|', ' '])].map(text))
        .collect();
    assert_eq!(page, rows);
}
