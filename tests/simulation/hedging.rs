//! Hedges: the reference numbers of the design, closed forms, and queues whose response times are known.
//!
//! 95% of the attempts take an exponential time with the mean 20 ms, 5% take 500 ms and an exponential time with the
//! mean 500 ms. With load: 10 servers at 70%, exponential times with the mean 10 ms, hedges after 50 ms.

use rejitter::Seed;
use rejitter::simulation::{
    HedgeDelay, HedgeRule, Hedging, HedgingOptions, ServerLoad, ServiceTimes, Simulation, Summary,
    summary,
};

const UNBOUNDED: f64 = f64::INFINITY;

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

fn learned(max_ratio: f64) -> Option<HedgeRule> {
    Some(HedgeRule {
        max_ratio,
        ..HedgeRule::default()
    })
}

fn loaded(hedge: Option<HedgeRule>, seed: u64) -> HedgingOptions {
    HedgingOptions {
        service: exponential(10.0),
        load: Some(ServerLoad::default()),
        ..options(hedge, seed)
    }
}

fn exponential(mean_ms: f64) -> ServiceTimes {
    ServiceTimes {
        mean_ms,
        slow_share: 0.0,
        ..ServiceTimes::default()
    }
}

fn finished(options: HedgingOptions) -> Hedging {
    let mut simulation = Hedging::new(options).unwrap();
    assert!(simulation.finish().done);
    let totals = simulation.totals();
    assert_eq!(totals.requests, u64::from(options.requests));
    assert!(totals.won <= totals.hedges && totals.hedges <= totals.requests);
    simulation
}

/// The numbers of 20 runs.
fn over_seeds(make: impl Fn(u64) -> HedgingOptions, of: impl Fn(&Hedging) -> f64) -> Summary {
    let numbers: Vec<f64> = (0..20).map(|seed| of(&finished(make(seed)))).collect();
    let found = summary(numbers.iter().copied());
    println!("{:.5} ± {:.5}", found.mean, found.ci95);
    found
}

/// An expected value that is exact: the mean is off by at most 4 standard errors, and those are small.
fn is_mean(found: &Summary, expected: f64) {
    let off = (found.mean - expected).abs();
    assert!(off <= 4.0 / 1.96 * found.ci95, "{found:?}, not {expected}");
    assert!(found.ci95 < 0.05 * expected, "{found:?} says little");
}

fn hedged(simulation: &Hedging) -> f64 {
    let totals = simulation.totals();
    totals.hedges as f64 / totals.requests as f64
}

/// The time of the grid that is this number.
fn at(ms: f64) -> usize {
    Hedging::times_ms()
        .iter()
        .position(|time| *time == ms)
        .unwrap()
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
                ..options(after(delay_ms, 0.1).filter(|_| delay_ms < UNBOUNDED), 1)
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

/// Dvoretzky, Kiefer and Wolfowitz: of n independent times, no share is off by √(ln(2/ε)/2n), but with probability ε.
#[test]
fn a_sample_has_the_distribution_of_the_closed_form() {
    let constant = ServiceTimes {
        slow_share: 0.4,
        slow_mean_ms: 0.0,
        ..ServiceTimes::default()
    };
    for service in [ServiceTimes::default(), exponential(20.0), constant] {
        for hedge in [
            None,
            after(0.0, UNBOUNDED),
            after(20.0, UNBOUNDED),
            after(60.0, UNBOUNDED),
            after(100.0, UNBOUNDED),
            after(600.0, UNBOUNDED),
        ] {
            let n = 300_000;
            let run = finished(HedgingOptions {
                requests: n,
                service,
                ..options(hedge, 5)
            });
            let exact = run.exact().unwrap();
            let bound = ((2.0 / 1e-6_f64).ln() / 2.0 / f64::from(n)).sqrt();
            for ((ms, share), expected) in Hedging::times_ms()
                .into_iter()
                .zip(run.survival())
                .zip(&exact.survival)
            {
                assert!(
                    (share - expected).abs() < bound,
                    "{hedge:?}: {share} at {ms}, not {expected}"
                );
            }
            // Binomial, as is each of these counts of requests.
            let deviation = (exact.extra * (1.0 - exact.extra) / f64::from(n)).sqrt();
            assert!((hedged(&run) - exact.extra).abs() <= 4.0 * deviation);
        }
    }
}

/// The attempts are the same with and without hedges.
#[test]
fn hedges_start_for_the_attempts_that_take_longer() {
    let without = finished(options(None, 3)).survival();
    for max_ratio in [UNBOUNDED, 0.1, 0.001] {
        let with = finished(options(after(60.0, max_ratio), 3));
        assert_eq!(with.survival()[..=at(60.0)], without[..=at(60.0)]);
        let totals = with.totals();
        let slow = without[at(60.0)] * totals.requests as f64;
        assert_eq!((totals.hedges + totals.rejected) as f64, slow.round());
        assert_eq!(totals.rejected == 0, max_ratio == UNBOUNDED);
    }
}

/// The tokens are a Markov chain, in tenths: a request returns one, and with the probability of a slow attempt a hedge
/// takes ten. Even a budget for more hedges than are needed on average is empty at times.
#[test]
fn the_share_of_rejected_hedges_is_that_of_the_chain() {
    for (delay_ms, extra) in [(60.0, 0.097_297_715), (100.0, 0.056_401_050)] {
        let mut shares = [1.0 / 101.0; 101];
        for _ in 0..200_000 {
            let mut next = [0.0; 101];
            for (tokens, share) in shares.into_iter().enumerate() {
                next[(tokens + 1).min(100)] += share * (1.0 - extra);
                let left = if tokens >= 10 { tokens - 10 } else { tokens };
                next[left + 1] += share * extra;
            }
            shares = next;
        }
        let expected = extra * shares[..10].iter().sum::<f64>();
        println!("{expected:.6}");
        let rejected = |run: &Hedging| run.totals().rejected as f64 / run.totals().requests as f64;
        let found = over_seeds(|seed| options(after(delay_ms, 0.1), seed), rejected);
        assert!(
            (found.mean - expected).abs() <= 4.0 / 1.96 * found.ci95 + 1e-7,
            "{found:?}"
        );
    }
}

/// The reference: 5.2%, and 11.9% if only winners were recorded.
#[test]
fn a_learned_delay_hedges_the_share_that_it_is_for() {
    let share = |make: fn(u64) -> HedgingOptions| over_seeds(make, hedged).mean;
    let alone = share(|seed| options(learned(UNBOUNDED), seed));
    assert!((0.050..0.055).contains(&alone), "{alone}");
    // Some 150 requests a second, few of which wait: a window has ten times the samples.
    let busy = share(|seed| HedgingOptions {
        load: Some(ServerLoad {
            servers: 10_000,
            utilisation: 0.001,
        }),
        ..options(learned(UNBOUNDED), seed)
    });
    assert!((0.051..0.054).contains(&busy), "{busy}");
    // A delay is the upper edge of its slot: too long by an eighth at most, e^(−9/8·ln 20).
    let smooth = share(|seed| HedgingOptions {
        service: exponential(20.0),
        ..options(learned(UNBOUNDED), seed)
    });
    assert!((0.034..0.05).contains(&smooth), "{smooth}");
    let median = share(|seed| {
        let delay = HedgeDelay::Learned(0.5);
        options(
            learned(UNBOUNDED).map(|rule| HedgeRule { delay, ..rule }),
            seed,
        )
    });
    assert!((0.45..0.51).contains(&median), "{median}");
}

/// Each server is a queue of its own with random arrivals (M/M/1): response times are exponentially distributed with
/// the mean 1/(μ − λ).
#[test]
fn without_hedges_response_times_are_those_of_a_queue() {
    for utilisation in [0.3, 0.7] {
        let make = |seed| HedgingOptions {
            load: Some(ServerLoad {
                servers: 10,
                utilisation,
            }),
            ..loaded(None, seed)
        };
        let mean_ms = 10.0 / (1.0 - utilisation);
        is_mean(&over_seeds(make, Hedging::mean_ms), mean_ms);
        for share in [0.5_f64, 0.1, 0.01] {
            let found = over_seeds(make, |run| run.exceeded_by(share));
            is_mean(&found, -share.ln() * mean_ms);
        }
        for ms in [1.0, 10.0, 32.0, 64.0] {
            let found = over_seeds(make, |run| run.survival()[at(ms)]);
            is_mean(&found, (-ms / mean_ms).exp());
        }
    }
}

/// The servers get 1.4 times what they can do, and the queues grow as long as requests come: the response times have no
/// distribution to which they converge. The reference is 88 s, the median of 310,000 requests.
#[test]
fn unbounded_hedges_make_a_busy_server_collapse() {
    for requests in [100_000, 310_000] {
        let run = finished(HedgingOptions {
            requests,
            ..loaded(after(50.0, UNBOUNDED), 1)
        });
        let p50_ms = run.exceeded_by(0.5);
        println!("{requests}: {:.4} hedged, {p50_ms:.0} ms", hedged(&run));
        assert!(hedged(&run) > 0.997);
        // Half of the requests come within T/2, when each server is 0.4·T/2 behind.
        let expected_ms = f64::from(requests) / 0.7 * 0.4 / 2.0;
        assert!(
            (p50_ms / expected_ms - 1.0).abs() < 0.04,
            "{p50_ms}, not {expected_ms}"
        );
        assert_eq!(
            (p50_ms / 1_000.0).round(),
            if requests == 100_000 { 28.0 } else { 88.0 }
        );
    }
    // Servers with capacity to spare do not collapse.
    let quiet = finished(HedgingOptions {
        load: Some(ServerLoad {
            servers: 10,
            utilisation: 0.4,
        }),
        ..loaded(after(50.0, UNBOUNDED), 1)
    });
    assert!(quiet.exceeded_by(0.5) < 15.0 && hedged(&quiet) < 0.1);
}

#[test]
fn a_hedge_goes_to_another_server() {
    let won = |servers| {
        let run = finished(HedgingOptions {
            load: Some(ServerLoad {
                servers,
                utilisation: 0.2,
            }),
            ..loaded(after(0.0, UNBOUNDED), 1)
        });
        assert_eq!(run.totals().hedges, 100_000);
        run.totals().won
    };
    // A server that has the attempt answers it first.
    assert_eq!(won(1), 0);
    // Attempt and hedge are equal if neither ever waits behind the other.
    assert!((won(2) as f64 / 1e5 - 0.5).abs() < 0.01, "{}", won(2));
}
