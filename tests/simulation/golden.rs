//! Every simulation, bit for bit: the same file runs natively, in Node and in browsers.

use rejitter::simulation::{
    Arrivals, BudgetOptions, Contention, ContentionOptions, HedgeDelay, HedgeRule, Hedging,
    HedgingOptions, Load, LoadBreaker, LoadBudget, LoadOptions, LoadProtection, Noise, Normal,
    Outage, OutageOptions, RateHints, RateLimit, RateLimitOptions, ServerLoad, Simulation,
    Strategy,
};
use rejitter::{Jitter, OptionErrors, RetryPolicy, Seed, UNLIMITED};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// FNV-1a over the bits of numbers.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn floats(mut self, numbers: &[f64]) -> Self {
        for number in numbers {
            // One NaN is as good as another.
            let bits = if number.is_nan() { 0 } else { number.to_bits() };
            self.0 = (self.0 ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    fn counts(mut self, numbers: &[u32]) -> Self {
        for number in numbers {
            self.0 = (self.0 ^ u64::from(*number)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }
}

fn policy(jitter: Jitter) -> RetryPolicy {
    RetryPolicy::exponential()
        .with_jitter(jitter)
        .with_max_attempts(UNLIMITED)
}

const SEED: u64 = 2_015;

/// Runs a simulation to its end and adds its results to a digest. In slices they are the same.
fn add<S: Simulation>(
    digest: Digest,
    make: impl Fn() -> Result<S, OptionErrors>,
    read: impl Fn(&S, Digest) -> Digest,
) -> Digest {
    let [mut whole, mut sliced] = [(); 2].map(|()| make().unwrap());
    assert!(whole.finish().done);
    let mut before = sliced.step(0);
    while !before.done {
        let progress = sliced.step(997);
        assert!(progress.events <= before.events + 997 && progress.share >= before.share);
        before = progress;
    }
    assert_eq!(before.share, 1.0);
    let digest = [whole, sliced].map(|simulation| read(&simulation, digest));
    assert_eq!(digest[0].0, digest[1].0);
    digest[0]
}

#[test]
fn normal_and_exponential_variates() {
    let normal = Normal::new();
    let mut noise = Noise::new(Seed::new(SEED), 1);
    let mut draws: Vec<f64> = (0..200_000).map(|_| normal.draw(&mut noise)).collect();
    draws.extend((0..50_000).map(|_| noise.exponential()));
    assert_eq!(Digest::new().floats(&draws).0, 0x8b4e_588d_32a7_6605);
}

#[test]
fn contention() {
    let mut digest = Digest::new();
    for strategy in Strategy::ALL {
        let policy = strategy.policy(5.0, 2_000.0).unwrap();
        let make = || {
            Contention::new(ContentionOptions {
                clients: 60,
                runs: 10,
                ..ContentionOptions::new(policy, Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            digest
                .floats(simulation.times_ms())
                .counts(simulation.calls())
        });
    }
    assert_eq!(digest.0, 0x841e_7d3a_aefa_95b5);
}

#[test]
fn outage() {
    let mut digest = Digest::new();
    for jitter in [
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
        Jitter::PollyV2,
    ] {
        let make = || {
            Outage::new(OutageOptions {
                clients: 300,
                spread_ms: 500.0,
                capacity_per_s: 40.0,
                burst: 5.0,
                latency_ms: 12.5,
                ..OutageOptions::new(policy(jitter), Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            digest
                .floats(simulation.latencies_ms())
                .floats(simulation.traces().times_ms())
                .floats(simulation.served_ms())
                .counts(simulation.attempts())
                .counts(simulation.bins().arrivals())
                .counts(simulation.bins().accepted())
        });
    }
    assert_eq!(digest.0, 0xfd02_3581_f322_9a2f);
}

/// Outages of many kinds: digests of all that they report.
#[test]
fn outages_of_random_settings() {
    let jitters = [
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
    ];
    let mut digest = Digest::new();
    for i in 0..200_u64 {
        let draw = |lane| Seed::new(99).draws(i, lane).r;
        let pick = |lane, values: &[f64]| values[(draw(lane) * values.len() as f64) as usize];
        let limited = draw(1) < 0.5;
        let backoff = match i % 12 {
            0..4 => RetryPolicy::exponential(),
            4..8 => RetryPolicy::linear(),
            _ => RetryPolicy::custom(),
        };
        let options = OutageOptions {
            clients: 1 + (draw(2) * 300.0) as u32,
            spread_ms: pick(3, &[0.0, 50.0, 5_000.0]),
            down_ms: pick(4, &[0.0, 1.0, 3_000.0, 20_000.0]),
            capacity_per_s: pick(5, &[0.7, 10.0, 100.0, 1e5, f64::INFINITY]),
            burst: pick(6, &[1.0, 5.5, 100.0]),
            rejection_cost: pick(11, &[0.0, 0.05, 1.0]),
            latency_ms: pick(7, &[0.0, 0.25, 80.0]),
            deadline_ms: pick(8, &[f64::INFINITY, 10_000.0]),
            horizon_ms: pick(9, &[600.0, 60_000.0, 600_000.0]),
            bin_ms: pick(10, &[1.0, 100.0, 777.0]),
            traced: 10,
            curve: Vec::from(&[50.0, 300.0, 1_000.0][..(i % 12).saturating_sub(8) as usize]),
            seed: Seed::new(i),
            policy: backoff
                .with_jitter(jitters[i as usize % 4])
                .with_max_attempts(if limited { 6 } else { UNLIMITED }),
        };
        digest = add(
            digest,
            || Outage::new(options.clone()),
            |simulation, digest| {
                let shares = [0.0, 0.5, 0.99, 1.0].map(|share| simulation.time_to_serve_ms(share));
                let (time, work) = simulation.costs();
                digest
                    .floats(simulation.latencies_ms())
                    .floats(simulation.traces().times_ms())
                    .floats(simulation.served_ms())
                    .counts(simulation.attempts())
                    .counts(simulation.bins().arrivals())
                    .counts(simulation.bins().accepted())
                    .counts(simulation.bins().rejected())
                    .counts(&[simulation.give_ups()])
                    .floats(&shares.map(|ms| ms.unwrap_or(f64::NAN)))
                    .floats(&[time.mean, time.ci95, work.mean, work.ci95])
            },
        );
    }
    assert_eq!(digest.0, 0x3ec4_1f86_8144_b2f6);
}

/// A bucket of tokens, without refunds.
fn tokens(per_success: f64, per_request: f64, capacity: f64) -> LoadBudget {
    LoadBudget::Tokens {
        options: BudgetOptions {
            capacity: Some(capacity),
            per_success: Some(per_success),
            refund: false,
            ..BudgetOptions::default()
        },
        per_request,
        per_second: 0.0,
    }
}

#[test]
fn load() {
    let mut digest = Digest::new();
    for (arrivals, budget) in [
        (
            Arrivals::Poisson { per_s: 280.0 },
            Some(tokens(0.1, 0.0, 10.0)),
        ),
        (
            Arrivals::Closed {
                clients: 400,
                think_ms: 900.0,
            },
            Some(tokens(0.0, 0.2, 50.0)),
        ),
        (Arrivals::Regular { per_s: 280.0 }, None),
        (
            Arrivals::Closed {
                clients: 700,
                think_ms: 0.0,
            },
            Some(tokens(0.1, 0.1, 10.0)),
        ),
    ] {
        let make = || {
            Load::new(LoadOptions {
                arrivals,
                failure_share: if budget.is_some() { 0.02 } else { 0.0 },
                protection: LoadProtection {
                    budget,
                    ..LoadProtection::default()
                },
                horizon_ms: 60_000.0,
                ..LoadOptions::new(policy(Jitter::Full), Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            let bins = simulation.bins();
            digest
                .floats(&bins.response_ms)
                .counts(&bins.requests)
                .counts(&bins.successes)
                .counts(&bins.retries)
                .counts(&bins.timeouts)
                .counts(&bins.failures)
                .floats(&[simulation.recovered_after_ms().unwrap_or(f64::NAN)])
        });
    }
    assert_eq!(digest.0, 0x5500_41bd_2ad4_086b);
}

#[test]
fn protection() {
    let mut digest = Digest::new();
    let once_a_second = LoadBudget::Tokens {
        options: BudgetOptions::default(),
        per_request: 0.0,
        per_second: 1.0,
    };
    for (processes, budget) in [
        (1, BudgetOptions::default().into()),
        (3, BudgetOptions::default().into()),
        (7, once_a_second),
    ] {
        let make = || {
            Load::new(LoadOptions {
                arrivals: Arrivals::Poisson { per_s: 280.0 },
                protection: LoadProtection {
                    budget: Some(budget),
                    breaker: Some(LoadBreaker::default()),
                },
                processes,
                horizon_ms: 60_000.0,
                ..LoadOptions::new(policy(Jitter::Full), Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            let (bins, phases) = (simulation.bins(), simulation.phases());
            let totals = simulation.totals();
            digest
                .counts(&[totals.openings, totals.give_ups, totals.retries].map(|n| n as u32))
                .floats(&[simulation.admitted_after_ms().unwrap_or(f64::NAN)])
                .floats(&bins.response_ms)
                .counts(&bins.rejected_by_breaker)
                .counts(&bins.rejected_by_budget)
                .floats(&phases.times_ms)
                .counts(&phases.processes)
                .counts(&phases.phases)
        });
    }
    let shared = |max_hold_ms| RateHints::Shared { max_hold_ms };
    for (hints, workers, jobs) in [
        (RateHints::Ignored, 50, 1_000),
        (RateHints::Followed, 50, 1_000),
        (RateHints::Followed, 2, 6),
        (shared(30_000.0), 50, 1_000),
        (shared(5_000.0), 200, 1_000),
        (shared(f64::INFINITY), 2, 6),
    ] {
        let make = || {
            RateLimit::new(RateLimitOptions {
                hints,
                workers,
                jobs,
                limit: if jobs == 6 { 2 } else { 100 },
                ..RateLimitOptions::new(policy(Jitter::Full).with_max_attempts(6), Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            let totals = simulation.totals();
            digest
                .counts(simulation.bins().accepted())
                .counts(simulation.bins().rejected())
                .floats(&[totals.end_ms])
                .floats(&[totals.done as f64, totals.failed as f64])
                .floats(&[totals.rejected_by_cooldown as f64])
        });
    }
    assert_eq!(digest.0, 0xf5b6_788c_55ea_eea0);
}

#[test]
fn hedging() {
    let after = |delay_ms, max_ratio| {
        let delay = HedgeDelay::Fixed(delay_ms);
        Some(HedgeRule { delay, max_ratio })
    };
    let learned = |quantile| {
        let delay = HedgeDelay::Learned(quantile);
        Some(HedgeRule {
            delay,
            ..HedgeRule::default()
        })
    };
    let on = |servers, utilisation| {
        Some(ServerLoad {
            servers,
            utilisation,
        })
    };
    let usual = Some(HedgeRule::default());
    let mut digest = Digest::new();
    for (hedge, load) in [
        (None, None),
        (after(60.0, f64::INFINITY), None),
        (after(0.0, 0.001), None),
        (usual, None),
        (learned(0.5), None),
        (None, on(10, 0.7)),
        (usual, Some(ServerLoad::default())),
        (usual, on(10_000, 0.001)),
        (after(50.0, f64::INFINITY), on(10, 0.7)),
        (after(0.0, f64::INFINITY), on(1, 0.2)),
        (after(0.0, f64::INFINITY), on(2, 0.2)),
    ] {
        let make = || {
            Hedging::new(HedgingOptions {
                requests: 20_000,
                hedge,
                load,
                ..HedgingOptions::new(Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            let quantiles = [0.5, 0.01, 0.001].map(|share| simulation.exceeded_by(share));
            let totals = simulation.totals();
            let digest = digest
                .floats(&[totals.hedges, totals.won, totals.rejected].map(|n| n as f64))
                .floats(&simulation.survival())
                .floats(&quantiles)
                .floats(&[simulation.mean_ms()]);
            let Some(exact) = simulation.exact() else {
                return digest;
            };
            let numbers = [exact.p50_ms, exact.p99_ms, exact.p999_ms, exact.extra];
            digest.floats(&exact.survival).floats(&numbers)
        });
    }
    assert_eq!(digest.0, 0x770d_30ee_6d11_1b22);
}
