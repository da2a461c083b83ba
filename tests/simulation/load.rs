//! Load over time, where the numbers are known.

use rejitter::simulation::{Arrivals, Load, LoadOptions, Simulation};
use rejitter::{RetryPolicy, Seed};

fn options() -> LoadOptions {
    let policy = RetryPolicy::exponential().with_max_attempts(2);
    LoadOptions {
        horizon_ms: 600_000.0,
        ..LoadOptions::new(policy, Seed::from("load"))
    }
}

fn finished(options: LoadOptions) -> Load {
    let mut simulation = Load::new(options).unwrap();
    assert!(simulation.finish().done);
    simulation
}

/// One client, one request after the other, each worked on for a second.
#[test]
fn work_in_progress_waits_for_the_end_of_the_outage() {
    for (from, expected) in [
        // Not yet started, half done, done.
        (0.0, [1_250.0, 1_000.0]),
        (500.0, [1_250.0, 1_000.0]),
        (1_000.0, [1_000.0, 1_250.0]),
        (1_500.0, [1_000.0, 1_250.0]),
        (2_000.0, [1_000.0, 1_000.0]),
    ] {
        let simulation = finished(LoadOptions {
            arrivals: Arrivals::Closed {
                clients: 1,
                think_ms: 0.0,
            },
            capacity_per_s: 1.0,
            timeout_ms: 1e6,
            down_from_ms: from,
            down_ms: 250.0,
            horizon_ms: 2_000.0,
            bin_ms: 1_000.0,
            ..options()
        });
        assert_eq!(simulation.bins().response_ms[..2], expected, "from {from}");
    }
}

#[test]
fn answers_fail_at_random_and_a_retry_meets_another_answer() {
    for attempts in [1, 3] {
        let simulation = finished(LoadOptions {
            policy: RetryPolicy::exponential().with_max_attempts(attempts),
            arrivals: Arrivals::Regular { per_s: 500.0 },
            capacity_per_s: 1e6,
            failure_share: 0.2,
            down_ms: 0.0,
            horizon_ms: 100_000.0,
            ..options()
        });
        let totals = simulation.totals();
        let lost = 1.0 - totals.successes as f64 / totals.requests as f64;
        let expected = 0.2_f64.powf(attempts as f64);
        let noise = 4.0 * (expected * (1.0 - expected) / totals.requests as f64).sqrt();
        assert!(
            (lost - expected).abs() < noise + 0.001,
            "{attempts}: {lost}"
        );
        let sum = |counts: &[u32]| counts.iter().map(|&n| u64::from(n)).sum::<u64>();
        assert_eq!(sum(&simulation.bins().timeouts), 0);
        let failures = sum(&simulation.bins().failures);
        assert_eq!(failures, totals.give_ups + totals.retries, "{attempts}");
        // No failure is a sign of an outage.
        assert_eq!(simulation.recovered_after_ms(), Some(0.0));
    }
}
