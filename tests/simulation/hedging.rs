//! Hedges: the reference numbers of the design, and the closed form.
//!
//! 95% of the attempts take an exponential time with the mean 20 ms, 5% take 500 ms and an exponential time with the
//! mean 500 ms.

use rejitter::Seed;
use rejitter::simulation::{HedgeDelay, HedgeRule, Hedging, HedgingOptions, ServiceTimes};

fn options(hedge: Option<HedgeRule>, seed: u64) -> HedgingOptions {
    HedgingOptions {
        hedge,
        ..HedgingOptions::new(Seed::new(seed))
    }
}

fn after(delay_ms: f64, max_ratio: f64) -> Option<HedgeRule> {
    Some(HedgeRule {
        delay: HedgeDelay::Fixed(delay_ms),
        max_ratio,
    })
}

fn exponential(mean_ms: f64) -> ServiceTimes {
    ServiceTimes {
        mean_ms,
        slow_share: 0.0,
        ..ServiceTimes::default()
    }
}

/// The share of attempts that take longer, written down once more.
fn longer_than(service: ServiceTimes, ms: f64) -> f64 {
    let slow = ((service.slow_from_ms - ms) / service.slow_mean_ms)
        .exp()
        .min(1.0);
    (1.0 - service.slow_share) * (-ms / service.mean_ms).exp() + service.slow_share * slow
}

#[test]
fn the_exact_numbers_of_the_design() {
    for (hedge, p99, p999, extra) in [
        (None, "1304.7", "2456.0", "0.0000"),
        (after(60.0, 0.1), "100.2", "759.1", "0.0973"),
        (after(100.0, 0.1), "137.4", "779.1", "0.0564"),
    ] {
        // Before any step.
        let simulation = Hedging::new(options(hedge, 1)).unwrap();
        let exact = simulation.exact().unwrap();
        assert_eq!(format!("{:.1}", exact.p50_ms), "14.9");
        assert_eq!(format!("{:.1}", exact.p99_ms), p99);
        assert_eq!(format!("{:.1}", exact.p999_ms), p999);
        assert_eq!(format!("{:.4}", exact.extra), extra);
    }
}

#[test]
fn the_closed_form_is_the_product_of_two_attempts() {
    for service in [
        ServiceTimes::default(),
        exponential(3.0),
        ServiceTimes {
            mean_ms: 80.0,
            slow_share: 0.3,
            slow_from_ms: 0.0,
            slow_mean_ms: 1_000.0,
        },
    ] {
        for delay_ms in [0.0, 7.0, 60.0, 700.0, f64::INFINITY] {
            let made = Hedging::new(HedgingOptions {
                service,
                ..options(after(delay_ms, 0.1).filter(|_| delay_ms.is_finite()), 1)
            })
            .unwrap();
            let exact = made.exact().unwrap();
            for (ms, share) in Hedging::times_ms().into_iter().zip(&exact.survival) {
                let hedge = longer_than(service, (ms - delay_ms).max(0.0));
                let expected = longer_than(service, ms) * hedge;
                assert!(
                    (share - expected).abs() < 1e-14,
                    "{share} at {ms}, not {expected}"
                );
            }
            for (ms, share) in [
                (exact.p50_ms, 0.5),
                (exact.p99_ms, 0.01),
                (exact.p999_ms, 0.001),
            ] {
                let hedge = longer_than(service, (ms - delay_ms).max(0.0));
                assert!((longer_than(service, ms) * hedge / share - 1.0).abs() < 1e-12);
            }
        }
    }
}
