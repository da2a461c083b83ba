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
    ] {
        let make = || {
            Load::new(LoadOptions {
                arrivals,
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
        });
    }
    assert_eq!(digest.0, 0x2fc8_dd79_6cef_cfb2);
}

#[test]
fn protection() {
    let mut digest = Digest::new();
    for processes in [1, 3] {
        let make = || {
            Load::new(LoadOptions {
                arrivals: Arrivals::Poisson { per_s: 280.0 },
                protection: LoadProtection {
                    budget: Some(BudgetOptions::default().into()),
                    breaker: Some(LoadBreaker::default()),
                },
                processes,
                horizon_ms: 60_000.0,
                ..LoadOptions::new(policy(Jitter::Full), Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            let (bins, phases) = (simulation.bins(), simulation.phases());
            digest
                .floats(&bins.response_ms)
                .counts(&bins.rejected_by_breaker)
                .counts(&bins.rejected_by_budget)
                .floats(&phases.times_ms)
                .counts(&phases.processes)
                .counts(&phases.phases)
        });
    }
    for hints in [
        RateHints::Followed,
        RateHints::Shared {
            max_hold_ms: 30_000.0,
        },
    ] {
        let make = || {
            RateLimit::new(RateLimitOptions {
                hints,
                ..RateLimitOptions::new(policy(Jitter::Full), Seed::new(SEED))
            })
        };
        digest = add(digest, make, |simulation, digest| {
            let totals = simulation.totals();
            digest
                .counts(simulation.bins().accepted())
                .counts(simulation.bins().rejected())
                .floats(&[totals.end_ms])
        });
    }
    assert_eq!(digest.0, 0x085c_064d_2cf5_b962);
}

#[test]
fn hedging() {
    let after_60 = HedgeRule {
        delay: HedgeDelay::Fixed(60.0),
        max_ratio: f64::INFINITY,
    };
    let mut digest = Digest::new();
    for (hedge, load) in [
        (None, None),
        (Some(after_60), None),
        (Some(HedgeRule::default()), None),
        (Some(HedgeRule::default()), Some(ServerLoad::default())),
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
            let digest = digest
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
    assert_eq!(digest.0, 0xa3a3_9463_41a0_164f);
}
