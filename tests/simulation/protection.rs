//! Does the server recover, and with which protection? The reference numbers of the design.
//!
//! 280 requests a second on a server of 300, a time limit of 1 s, an outage of 10 s, waits of 100 ms·2^(k − 1).

use rejitter::simulation::{
    BreakerOptions, BudgetOptions, Load, LoadBreaker, LoadBudget, LoadOptions, LoadPhases,
    LoadProtection, Simulation,
};
use rejitter::{Jitter, RetryPolicy, Seed};

fn options(max_attempts: u64, jitter: Jitter, protection: LoadProtection) -> LoadOptions {
    let policy = RetryPolicy::exponential()
        .with_jitter(jitter)
        .with_max_attempts(max_attempts);
    LoadOptions {
        protection,
        horizon_ms: 600_000.0,
        ..LoadOptions::new(policy, Seed::from("protection"))
    }
}

fn finished(options: LoadOptions) -> Load {
    let mut load = Load::new(options).unwrap();
    assert!(load.finish().done);
    load
}

fn run(max_attempts: u64, protection: LoadProtection) -> Load {
    finished(options(max_attempts, Jitter::None, protection))
}

fn budget(budget: impl Into<LoadBudget>) -> LoadProtection {
    LoadProtection {
        budget: Some(budget.into()),
        breaker: None,
    }
}

fn capacity(capacity: f64) -> BudgetOptions {
    BudgetOptions {
        capacity: Some(capacity),
        ..BudgetOptions::default()
    }
}

fn per_second(per_second: f64) -> LoadProtection {
    budget(LoadBudget::Tokens {
        options: BudgetOptions::default(),
        per_request: 0.0,
        per_second,
    })
}

/// The breaker's defaults, each opening of a middle length.
fn breaker() -> LoadProtection {
    LoadProtection {
        budget: None,
        breaker: Some(LoadBreaker {
            options: BreakerOptions::default(),
            draw: Some(0.5),
        }),
    }
}

fn both() -> LoadProtection {
    LoadProtection {
        budget: Some(BudgetOptions::default().into()),
        ..breaker()
    }
}

/// Seconds until it recovers, to a decimal, if it does; and the number of granted retries.
fn row(load: &Load) -> (Option<f64>, u64) {
    let after = load.recovered_after_ms();
    let seconds = after.map(|ms| (ms / 100.0).round() / 10.0);
    (seconds, load.totals().retries)
}

#[test]
fn without_a_budget_it_never_recovers() {
    for (attempts, retries) in [(2, 164_920), (4, 493_808)] {
        let load = run(attempts, LoadProtection::default());
        assert_eq!(row(&load), (None, retries));
    }
    let alone = run(1, LoadProtection::default());
    assert_eq!(row(&alone), (Some(126.0), 0));
}

#[test]
fn a_budget_by_requests_does_not_help() {
    let by_requests = budget(LoadBudget::Tokens {
        options: BudgetOptions {
            capacity: Some(10.0),
            per_success: Some(0.0),
            refund: false,
            ..BudgetOptions::default()
        },
        per_request: 0.1,
        per_second: 0.0,
    });
    for attempts in [2, 4] {
        assert_eq!(row(&run(attempts, by_requests)), (None, 16_501));
    }
}

/// It takes as long as without retries, and a second more for each 20 of them: what the server has to spare.
#[test]
fn a_budget_by_successes_removes_what_retries_add() {
    for attempts in [2, 4] {
        for (options, seconds, retries) in [
            (BudgetOptions::default(), 128.5, 50),
            (capacity(10.0), 126.5, 10),
            (capacity(500.0), 151.1, 500),
            (BudgetOptions::AWS_SDK_2026, 127.8, 35),
        ] {
            let load = run(attempts, budget(options));
            assert_eq!(row(&load), (Some(seconds), retries));
            assert_eq!(load.totals().rejected_by_breaker, 0);
        }
    }
}

/// The server has 20 requests a second to spare: a floor of half of that doubles the time, and one above it never
/// lets the server recover.
#[test]
fn a_floor_above_the_spare_capacity_keeps_the_overload_alive() {
    for attempts in [2, 4] {
        for (floor, expected) in [(1.0, Some(135.7)), (10.0, Some(264.95)), (30.0, None)] {
            let load = run(attempts, per_second(floor));
            let seconds = load.recovered_after_ms().map(|ms| ms / 1_000.0);
            assert_eq!(seconds.is_some(), expected.is_some(), "{floor} per second");
            let difference = seconds.unwrap_or_default() - expected.unwrap_or_default();
            // 10 per second: 265.0 for 2 attempts, 264.9 for 4, as the last digit is rounded.
            assert!(difference.abs() <= 0.051, "{floor} per second: {seconds:?}");
        }
    }
}

#[test]
fn a_breaker_removes_the_queue() {
    for (attempts, seconds, retries) in [(2, 0.2, 376), (4, 0.2, 502)] {
        let load = run(attempts, breaker());
        assert_eq!(row(&load), (Some(seconds), retries));
    }
    // To the digit.
    let recovered = run(4, breaker()).recovered_after_ms().unwrap();
    assert!(
        (recovered - 246.428_571_428_572_5).abs() < 1e-9,
        "{recovered}"
    );
}

#[test]
fn a_budget_and_a_breaker_remove_both() {
    for (attempts, rejected) in [(2, 3_333), (4, 3_383)] {
        let load = run(attempts, both());
        let totals = load.totals();
        assert_eq!(row(&load), (Some(0.2), 50));
        assert_eq!((totals.openings, totals.rejected_by_breaker), (4, rejected));
        let phases = load.phases();
        assert_eq!(phases.processes, [0; 9]);
        let (open, half) = (LoadPhases::OPEN, LoadPhases::HALF_OPEN);
        let closed = LoadPhases::CLOSED;
        assert_eq!(
            phases.phases,
            [open, half, open, half, open, half, open, half, closed]
        );
        // Each probe but the last one met the outage; openings of 3/4·1 s, twice and four times that, the longest.
        for (i, ms) in [(0, 750.0), (2, 1_500.0), (4, 3_000.0), (6, 3_000.0)] {
            let lasted = phases.times_ms[i + 1] - phases.times_ms[i];
            assert!((lasted - ms).abs() < 5.0, "{lasted}");
        }
        // Requests are rejected until the last probe has been answered, some time after the outage.
        let admitted = load.admitted_after_ms().unwrap();
        println!("{attempts} attempts: all admitted {admitted:.0} ms after the outage");
        let closed = phases.times_ms[8] - 20_000.0;
        assert!(closed > 3_200.0 && (0.0..10.0).contains(&(closed - admitted)));
    }
}
