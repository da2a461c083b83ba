//! Numbers that are known from elsewhere: the AWS figure, the reference numbers of the design, closed forms.
//!
//! A mean is right when its 95% confidence interval and the reference's overlap.

use std::collections::BTreeMap;

use rejitter::{Jitter, RetryPolicy, Seed, UNLIMITED};
use rejitter_lab::simulation::{
    BreakerOptions, BudgetOptions, Contention, ContentionOptions, HedgeDelay, HedgeRule, Hedging,
    HedgingOptions, Load, LoadBreaker, LoadBudget, LoadOptions, LoadProtection, Outage,
    OutageOptions, RateHints, RateLimit, RateLimitOptions, RateLimiter, ServiceTimes, Simulation,
    Strategy, summary,
};

/// In another implementation, of 10,000 seeds.
#[test]
fn contention_is_the_published_figure() {
    const RUNS: u32 = 1_000;
    let mut wrong = Vec::new();
    let mut sum_of_squares = 0.0;
    let reference: BTreeMap<u32, BTreeMap<String, [f64; 4]>> =
        serde_json::from_str(include_str!("../../../../tests/vectors/contention.json")).unwrap();
    for (clients, by_strategy) in reference {
        for strategy in Strategy::ALL {
            let policy = strategy.policy(5.0, 2_000.0).unwrap();
            let mut simulation = Contention::new(ContentionOptions {
                clients,
                runs: RUNS,
                ..ContentionOptions::new(policy, Seed::from("contention"))
            })
            .unwrap();
            assert!(simulation.finish().done);
            let name = format!("{strategy:?}").to_lowercase();
            let [calls, calls_sd, ms, ms_sd] = by_strategy[name.as_str()];
            for (ours, mean, sd) in [
                (simulation.calls_summary(), calls, calls_sd),
                (simulation.time_summary(), ms, ms_sd),
            ] {
                let (a, b) = (ours.sd / f64::from(RUNS).sqrt(), sd / 100.0);
                let off = (ours.mean - mean).abs();
                sum_of_squares += (off / a.hypot(b)).powi(2);
                // A deviation is known to 1/√(2n) of itself, if the distribution is normal; these are not, and the
                // reference is rounded.
                if off > 1.96 * (a + b) || (ours.sd / sd - 1.0).abs() > 0.2 {
                    wrong.push(format!(
                        "{name}, {clients} clients: {ours:?}, not {mean} ± {sd}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // All cells a little off would pass one by one. 30 ± 4·√(2·30), were they independent.
    assert!(sum_of_squares < 61.0, "{sum_of_squares}");
}

/// 30 s, base 100, cap 10,000: attempts per client, and the share of the clients that the busiest 100 ms after recovery
/// is expected to hold.
///
/// Clients are independent here, so that 100,000 of them show the expectation. (Of 1,000, the busiest of these many
/// bins holds more by chance: 2.7% with full jitter.)
#[test]
fn the_herd_after_an_outage_is_as_large_as_expected() {
    const CLIENTS: u32 = 100_000;
    let clients = f64::from(CLIENTS);
    // The third number: how far the attempts are rounded.
    for (jitter, attempts, rounding, busiest) in [
        (Jitter::None, 10.0, 0.0, 1.0),
        (Jitter::Full, 13.396, 0.000_5, 0.020),
        (Jitter::Equal, 11.231, 0.000_5, 0.015),
        (Jitter::Decorrelated, 16.62, 0.005, 0.020),
    ] {
        let policy = RetryPolicy::exponential()
            .with_jitter(jitter)
            .with_max_attempts(UNLIMITED);
        let mut simulation = Outage::new(OutageOptions {
            clients: CLIENTS,
            ..OutageOptions::new(policy, Seed::from("outage"))
        })
        .unwrap();
        assert!(simulation.finish().done);
        let (_, work) = simulation.costs();
        // 10,000 runs of 1,000 clients: the reference's own interval is narrower.
        let error = work.ci95 * (1.0 + (clients / 1e7).sqrt()) + rounding;
        assert!(
            (work.mean - attempts).abs() <= error,
            "{jitter:?}: {}",
            work.mean
        );
        let peak = simulation.bins().peak(30_000.0).unwrap();
        let share = f64::from(peak.arrivals) / clients;
        // Rounded to 0.1%, and the highest of many equal ones.
        let error = 0.000_5 + 4.0 * (busiest * (1.0 - busiest) / clients).sqrt();
        assert!((share - busiest).abs() <= error, "{jitter:?}: {share}");
    }
}

/// 280 requests a second on a server of 300, a time limit of 1 s, an outage of 10 s, waits of 100 ms·2^(k − 1): seconds
/// until the server has recovered, if it does, and retries that were granted, of 2 attempts and of 4.
#[test]
fn load_recovers_when_the_design_says() {
    let tokens = |options, per_request, per_second| {
        Some(LoadBudget::Tokens {
            options,
            per_request,
            per_second,
        })
    };
    let capacity = |capacity| BudgetOptions {
        capacity: Some(capacity),
        ..BudgetOptions::default()
    };
    let default = BudgetOptions::default();
    let by_requests = BudgetOptions {
        per_success: Some(0.0),
        refund: false,
        ..capacity(10.0)
    };
    // Each opening of a middle length.
    let breaker = Some(LoadBreaker {
        options: BreakerOptions::default(),
        draw: Some(0.5),
    });
    for (budget, breaker, ends) in [
        (None, None, [(None, 164_920), (None, 493_808)]),
        // It takes as long as without retries (126 s), and a second more for each 20 of them: what is to spare.
        (tokens(default, 0.0, 0.0), None, [(Some(128.5), 50); 2]),
        (
            tokens(capacity(10.0), 0.0, 0.0),
            None,
            [(Some(126.5), 10); 2],
        ),
        (
            tokens(capacity(500.0), 0.0, 0.0),
            None,
            [(Some(151.1), 500); 2],
        ),
        (
            tokens(BudgetOptions::AWS_SDK_2026, 0.0, 0.0),
            None,
            [(Some(127.8), 35); 2],
        ),
        // By requests a budget does not help, and a floor above what is to spare keeps the overload alive.
        (tokens(by_requests, 0.1, 0.0), None, [(None, 16_501); 2]),
        (tokens(default, 0.0, 30.0), None, [(None, 17_719); 2]),
        // A breaker removes the queue, a budget the retries.
        (None, breaker, [(Some(0.2), 376), (Some(0.2), 502)]),
        (tokens(default, 0.0, 0.0), breaker, [(Some(0.2), 50); 2]),
    ] {
        for (attempts, expected) in [2, 4].into_iter().zip(ends) {
            let policy = RetryPolicy::exponential()
                .with_jitter(Jitter::None)
                .with_max_attempts(attempts);
            let mut load = Load::new(LoadOptions {
                protection: LoadProtection { budget, breaker },
                horizon_ms: 600_000.0,
                ..LoadOptions::new(policy, Seed::from("protection"))
            })
            .unwrap();
            assert!(load.finish().done);
            let seconds = load
                .recovered_after_ms()
                .map(|ms| (ms / 100.0).round() / 10.0);
            assert_eq!(
                (seconds, load.totals().retries),
                expected,
                "{budget:?} {breaker:?}"
            );
        }
    }
}

/// 100 requests per 10 s, 1,000 jobs, 6 attempts, full jitter: failures and requests that were rejected, in the mean of
/// 20 seeds. Those who were held come back in the first half of a window, more than it has room for.
#[test]
fn rate_limited_jobs_fail_as_often_as_the_design_says() {
    let shared = RateHints::Shared {
        max_hold_ms: f64::INFINITY,
        probe: true,
    };
    let strict = RateHints::Shared {
        max_hold_ms: f64::INFINITY,
        probe: false,
    };
    for (hints, workers, failed, rejected) in [
        (RateHints::Ignored, 50, 700.0, Some(4_381.0)),
        (RateHints::Followed, 50, 25.0, Some(475.0)),
        (RateHints::Followed, 200, 140.0, None),
        (shared, 50, 0.1, Some(266.0)),
        (shared, 200, 0.35, None),
        (strict, 50, 0.0, Some(138.0)),
        (strict, 200, 0.0, None),
    ] {
        let totals = [(); 20].iter().zip(0..).map(|(&(), seed)| {
            let mut simulation = RateLimit::new(RateLimitOptions {
                hints,
                workers,
                ..RateLimitOptions::new(RetryPolicy::default(), Seed::new(seed))
            })
            .unwrap();
            assert!(simulation.finish().done);
            let totals = simulation.totals();
            let ended = totals.done + totals.failed + totals.rejected_by_cooldown;
            assert_eq!(
                (ended, totals.requests),
                (1_000, totals.done + totals.rejected)
            );
            totals
        });
        let totals: Vec<_> = totals.collect();
        let failures = (totals.iter()).map(|each| (each.failed + each.rejected_by_cooldown) as f64);
        let rejections = totals.iter().map(|each| each.rejected as f64);
        for (found, expected) in [
            (summary(failures), Some(failed)),
            (summary(rejections), rejected),
        ] {
            let off = (found.mean - expected.unwrap_or(found.mean)).abs();
            assert!(
                off <= 2.0 * found.ci95 + 0.5,
                "{hints:?}: {found:?}, not {expected:?}"
            );
        }
    }
}

/// Against a quota of 100 in 10 s: one process that keeps it is never rejected, and needs the time that the quota
/// takes; so are ten with a tenth each. Ten that all take the whole quota are rejected.
#[test]
fn a_limiter_keeps_its_quota() {
    for (processes, limit, keeps) in [(1, 100.0, true), (10, 10.0, true), (10, 100.0, false)] {
        for seed in 0..20 {
            let mut simulation = RateLimit::new(RateLimitOptions {
                processes,
                limiter: Some(RateLimiter {
                    limit,
                    per_ms: 10_000.0,
                    ..RateLimiter::default()
                }),
                ..RateLimitOptions::new(RetryPolicy::default(), Seed::new(seed))
            })
            .unwrap();
            assert!(simulation.finish().done);
            let totals = simulation.totals();
            assert_eq!(totals.done + totals.failed, 1_000);
            assert_eq!(totals.rejected == 0, keeps, "{processes}: {totals:?}");
            if keeps {
                // The first starts of all come at once, the last of each after all before it.
                let expected = 100.0 * f64::from(1_000 - processes) + 50.0;
                assert_eq!((totals.done, totals.end_ms.round()), (1_000, expected));
            }
        }
    }
}

/// The share of attempts that take longer, written down once more.
fn longer_than(service: ServiceTimes, ms: f64) -> f64 {
    let slow = ((service.slow_from_ms - ms) / service.slow_mean_ms).exp();
    (1.0 - service.slow_share) * (-ms / service.mean_ms).exp() + service.slow_share * slow.min(1.0)
}

#[test]
fn the_closed_form_of_hedging_is_the_product_of_two_attempts() {
    let slow = ServiceTimes {
        mean_ms: 80.0,
        slow_share: 0.3,
        slow_from_ms: 0.0,
        slow_mean_ms: 1_000.0,
    };
    let never = ServiceTimes {
        slow_share: 0.0,
        ..slow
    };
    for service in [ServiceTimes::default(), slow, never] {
        for delay_ms in [0.0, 7.0, 60.0, 700.0, f64::INFINITY] {
            let made = Hedging::new(HedgingOptions {
                service,
                hedge: delay_ms.is_finite().then_some(HedgeRule {
                    delay: HedgeDelay::Fixed(delay_ms),
                    max_ratio: 0.1,
                }),
                ..HedgingOptions::new(Seed::new(1))
            })
            .unwrap();
            // Before any step.
            let exact = made.exact().unwrap();
            let expected =
                |ms: f64| longer_than(service, ms) * longer_than(service, (ms - delay_ms).max(0.0));
            for (ms, share) in Hedging::times_ms().into_iter().zip(&exact.survival) {
                assert!((share - expected(ms)).abs() < 1e-14, "{share} at {ms}");
            }
            for (ms, share) in [
                (exact.p50_ms, 0.5),
                (exact.p99_ms, 0.01),
                (exact.p999_ms, 0.001),
            ] {
                assert!((expected(ms) / share - 1.0).abs() < 1e-12, "{ms}");
            }
        }
    }
}
