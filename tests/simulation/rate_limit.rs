//! Workers and a server that limits its requests. The reference numbers of the design: means of 20 seeds.
//!
//! 100 requests per 10 s, 1,000 jobs, 50 workers, 6 attempts, full jitter.

use rejitter::simulation::{
    RateHints, RateLimit, RateLimitOptions, RateLimitTotals, Simulation, Summary, summary,
};
use rejitter::{RetryOptions, RetryPolicy, Seed};

/// No hold is too long.
const SHARED: RateHints = RateHints::Shared {
    max_hold_ms: f64::INFINITY,
};

fn options(hints: RateHints, workers: u32, seed: u64) -> RateLimitOptions {
    let policy = RetryPolicy::from_options(RetryOptions::default()).unwrap();
    RateLimitOptions {
        hints,
        workers,
        ..RateLimitOptions::new(policy, Seed::new(seed))
    }
}

fn finished(options: RateLimitOptions) -> RateLimit {
    let mut simulation = RateLimit::new(options).unwrap();
    assert!(simulation.finish().done);
    simulation
}

struct Means {
    failed: Summary,
    requests: Summary,
    rejections: Summary,
    seconds: Summary,
}

/// The means of 20 seeds; every job is counted once.
fn means(hints: RateHints, workers: u32) -> Means {
    let runs: Vec<RateLimitTotals> = (0..20)
        .map(|seed| finished(options(hints, workers, seed)).totals())
        .collect();
    for totals in &runs {
        let ended = totals.done + totals.failed + totals.rejected_by_cooldown;
        assert_eq!(ended, 1_000);
        assert_eq!(totals.requests, totals.done + totals.rejected);
    }
    let mean = |of: fn(&RateLimitTotals) -> f64| summary(runs.iter().map(of));
    Means {
        failed: mean(|totals| (totals.failed + totals.rejected_by_cooldown) as f64),
        requests: mean(|totals| totals.requests as f64),
        rejections: mean(|totals| totals.rejected as f64),
        seconds: mean(|totals| totals.end_ms / 1_000.0),
    }
}

/// Both means are of 20 seeds: their confidence intervals overlap.
fn near(found: &Summary, expected: f64) {
    let off = (found.mean - expected).abs();
    assert!(off <= 2.0 * found.ci95 + 0.5, "{found:?}, not {expected}");
}

#[test]
fn hints_ignored_fail_most_jobs() {
    let found = means(RateHints::Ignored, 50);
    near(&found.failed, 700.0);
    near(&found.requests, 4_681.0);
}

#[test]
fn hints_that_each_worker_follows_fail_some() {
    let found = means(RateHints::Followed, 50);
    near(&found.failed, 25.0);
    near(&found.rejections, 475.0);
    near(&found.seconds, 95.0);
    near(&means(RateHints::Followed, 200).failed, 140.0);
}

/// Those who were held come back in the first half of a window, more than it has room for. They are not held again: half
/// of the rejections are theirs.
#[test]
fn a_shared_cooldown_fails_one_job_in_thousands() {
    let found = means(SHARED, 50);
    near(&found.failed, 0.1);
    near(&found.rejections, 266.0);
    near(&found.seconds, 95.0);
    near(&means(SHARED, 200).failed, 0.35);
}
