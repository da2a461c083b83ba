//! Load over time: open and closed arrivals.

use rejitter::simulation::{
    Arrivals, BudgetOptions, Load, LoadBudget, LoadOptions, LoadProtection, Simulation, summary,
};
use rejitter::{RetryPolicy, Seed};

type Budget = Option<LoadBudget>;

fn options(budget: Budget) -> LoadOptions {
    let policy = RetryPolicy::exponential().with_max_attempts(2);
    LoadOptions {
        protection: protected(budget),
        horizon_ms: 600_000.0,
        ..LoadOptions::new(policy, Seed::from("load"))
    }
}

fn protected(budget: Budget) -> LoadProtection {
    LoadProtection {
        budget,
        ..LoadProtection::default()
    }
}

const fn tokens(per_success: f64, per_request: f64, capacity: f64) -> Budget {
    let options = BudgetOptions {
        capacity: Some(capacity),
        per_success: Some(per_success),
        refund: false,
        ..BudgetOptions::DEFAULT
    };
    Some(LoadBudget::Tokens {
        options,
        per_request,
        per_second: 0.0,
    })
}

const PER_REQUEST: Budget = tokens(0.0, 0.1, 10.0);
const PER_SUCCESS: Budget = tokens(0.1, 0.0, 10.0);

fn finished(options: LoadOptions) -> Load {
    let mut simulation = Load::new(options).unwrap();
    assert!(simulation.finish().done);
    simulation
}

/// Clients that wait for their answers cannot overload the server for long.
#[test]
fn closed_arrivals_recover_without_a_budget() {
    let simulation = finished(LoadOptions {
        // 280 per second, while answers come at once.
        arrivals: Arrivals::Closed {
            clients: 280,
            think_ms: 1_000.0,
        },
        ..options(None)
    });
    let recovered = simulation.recovered_after_ms().unwrap();
    println!("closed: recovers {recovered:.0} ms after the outage");
    assert!(recovered < 20_000.0, "{recovered}");
}

#[test]
fn attempts_are_conserved_and_budgets_kept() {
    for (arrivals, budget) in [
        (Arrivals::Regular { per_s: 280.0 }, None),
        (Arrivals::Regular { per_s: 280.0 }, PER_REQUEST),
        (Arrivals::Poisson { per_s: 280.0 }, PER_SUCCESS),
        (Arrivals::Poisson { per_s: 500.0 }, PER_REQUEST),
        (
            Arrivals::Closed {
                clients: 700,
                think_ms: 1_000.0,
            },
            PER_SUCCESS,
        ),
        (
            Arrivals::Closed {
                clients: 700,
                think_ms: 0.0,
            },
            PER_REQUEST,
        ),
    ] {
        let options = LoadOptions {
            arrivals,
            horizon_ms: 100_000.0,
            ..options(budget)
        };
        let simulation = finished(options);
        let totals = simulation.totals();
        let (begun, retries) = (totals.requests, totals.retries);
        let (successes, give_ups) = (totals.successes, totals.give_ups);
        let bins = simulation.bins();
        let sum = |column: &[u32]| column.iter().map(|n| u64::from(*n)).sum::<u64>();
        let (first, again) = (sum(&bins.requests), sum(&bins.retries));
        let (in_time, late) = (sum(&bins.successes), sum(&bins.timeouts));
        // The last ones are still on their way.
        assert!(first <= begun && again <= retries && in_time + late <= first + again);
        assert_eq!(in_time, successes);
        assert_eq!(late, sum(&bins.timeouts));
        assert!(successes + give_ups <= begun);
        assert_eq!(late, retries + give_ups);
        assert!(late > 0, "{arrivals:?}");
        let deposits = match budget {
            None => f64::INFINITY,
            Some(LoadBudget::Tokens { per_request, .. }) if per_request > 0.0 => first as f64 * 0.1,
            Some(_) => successes as f64 * 0.1,
        };
        assert!(retries as f64 <= 10.0 + deposits + 1e-6);
        // One server: a limited number of responses per second, none while it stands still.
        for (bin, successes) in bins.successes.iter().enumerate() {
            assert!(*successes <= 301, "{successes} in bin {bin}");
            assert!(!(11..19).contains(&bin) || *successes == 0);
        }
    }
}

#[test]
fn open_arrivals_come_at_their_rate() {
    for arrivals in [
        Arrivals::Regular { per_s: 280.0 },
        Arrivals::Poisson { per_s: 280.0 },
    ] {
        let simulation = finished(LoadOptions {
            arrivals,
            ..options(PER_SUCCESS)
        });
        let counts = &simulation.bins().requests[..600];
        let found = summary(counts.iter().map(|n| f64::from(*n)));
        let random = arrivals == Arrivals::Poisson { per_s: 280.0 };
        let variance = if random { 280.0 } else { 0.0 };
        let error = 4.0 * f64::sqrt(variance / 600.0) + 0.01;
        assert!((found.mean - 280.0).abs() < error, "{}", found.mean);
        // The variance of counts is their mean, to 4·√(2/599).
        assert!(
            (found.sd.powi(2) - variance).abs() <= 0.25 * variance + 1.0,
            "{}",
            found.sd
        );
    }
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
            ..options(None)
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
            ..options(None)
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
