//! Rejected options, each with its name, its value and the rule; and odd ones that work.

use rejitter::decide::MAX_MS;
use rejitter::simulation::{
    Arrivals, BreakerOptions, BudgetOptions, Contention, ContentionOptions, HedgeDelay, HedgeRule,
    Hedging, HedgingOptions, Load, LoadBreaker, LoadBudget, LoadOptions, LoadProtection, Outage,
    OutageOptions, RateHints, RateLimit, RateLimitOptions, ServerLoad, ServiceTimes, Simulation,
    Strategy,
};
use rejitter::{OptionErrors, RetryPolicy, Seed, UNLIMITED};
use serde_json::{Value, json};

use crate::common;

fn policy() -> RetryPolicy {
    RetryPolicy::default()
}

/// The only complaint is about this option.
fn rejected<T>(result: Result<T, OptionErrors>, option: &str) {
    let Err(errors) = result else {
        panic!("{option} was accepted");
    };
    let [problem] = errors.problems() else {
        panic!("{option}: {errors}");
    };
    assert_eq!(problem.option, option);
    assert!(!problem.rule.is_empty());
    let text = errors.to_string();
    assert!(text.starts_with(&format!("{option} must be ")), "{text}");
    assert!(
        text.ends_with(&format!(", got {}", problem.value)),
        "{text}"
    );
}

/// Each field set to each of the values is rejected under its own name, or that after `as`.
macro_rules! rejects {
    ($new:path, $options:expr, $($($field:ident).+ $(as $name:literal)?: [$($value:expr),* $(,)?])*) => {
        $(for value in [$($value),*] {
            let mut options = $options.clone();
            options.$($field).+ = value;
            let name = [$($name,)? stringify!($($field).+)][0];
            rejected($new(options), &name.replace(' ', ""));
        })*
    };
}

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

#[test]
fn an_outage_is_checked() {
    let good = OutageOptions::new(policy(), Seed::new(0));
    rejects! { Outage::new, good,
        clients: [0, 1_000_001, u32::MAX]
        spread_ms: [-1.0, NAN, INF]
        down_ms: [-1e-9, NAN, 1.1e12]
        capacity_per_s: [0.0, -3.0, NAN]
        burst: [0.9, NAN]
        rejection_cost: [-1e-9, 1.000_1, NAN, INF]
        latency_ms: [-1.0, NAN, INF]
        deadline_ms: [0.0, NAN, -5.0]
        horizon_ms: [0.0, NAN, INF]
        bin_ms: [0.0, -1.0, NAN, INF, 0.5]
        traced: [1_000_001, u32::MAX]
        curve: [vec![5.0, -1.0], vec![NAN]]
    }
    let endless = |options: Value| common::policy(&options).with_max_attempts(UNLIMITED);
    let still = endless(json!({ "backoff": "fixed", "baseMs": 0 }));
    // Polly's waits are multiples of nothing; and what is below the last digit of a time is lost.
    let polly = endless(json!({ "jitter": "pollyV2", "baseMs": 0 }));
    let hardly = endless(json!({ "backoff": "fixed", "baseMs": 1e-11 }));
    let mut listed = OutageOptions {
        policy: RetryPolicy::custom().with_max_attempts(UNLIMITED),
        ..good.clone()
    };
    // Time would stand still.
    rejects! { Outage::new, good,
        policy as "latency_ms": [still, polly, hardly]
    }
    rejects! { Outage::new, listed,
        curve as "latency_ms": [vec![5.0, 0.0]]
    }
    listed.curve = vec![0.0, 5.0];
    assert!(Outage::new(listed).is_ok());
    let moving = OutageOptions {
        policy: still,
        latency_ms: 10.0,
        ..good.clone()
    };
    assert!(Outage::new(moving).unwrap().finish().done);
    // All at once.
    let errors = Outage::new(OutageOptions {
        clients: 0,
        burst: 0.0,
        bin_ms: NAN,
        ..good
    });
    let names: Vec<_> = errors
        .unwrap_err()
        .problems()
        .iter()
        .map(|p| p.option)
        .collect();
    assert_eq!(names, ["clients", "burst", "bin_ms"]);
}

#[test]
fn contention_is_checked() {
    let good = ContentionOptions::new(policy(), Seed::new(0));
    rejects! { Contention::new, good,
        clients: [0, 100_001]
        hop_mean_ms: [-1.0, NAN, INF]
        hop_sd_ms: [-1.0, NAN, 1.1e6]
        runs: [0, u32::MAX]
        curve: [vec![-1.0]]
    }
    for strategy in Strategy::ALL {
        for (base, cap, option) in [
            (-1.0, 5.0, "base_ms"),
            (NAN, 5.0, "base_ms"),
            (5.0, 4.0, "cap_ms"),
        ] {
            rejected(strategy.policy(base, cap), option);
        }
        assert_eq!(strategy.policy(5.0, 7.0).unwrap().max_attempts(), UNLIMITED);
    }
}

#[test]
fn load_is_checked() {
    let good = LoadOptions::new(policy(), Seed::new(0));
    let open = |per_s| Arrivals::Regular { per_s };
    let random = |per_s| Arrivals::Poisson { per_s };
    let closed = |clients, think_ms| Arrivals::Closed { clients, think_ms };
    rejects! { Load::new, good,
        arrivals: [open(0.0), open(NAN), open(INF), random(-1.0), random(1e6), closed(0, 1.0),
            closed(1_000_001, 1.0), closed(1, NAN), closed(1, -1.0)]
        capacity_per_s: [0.0, NAN, INF]
        timeout_ms: [0.0, NAN, INF, 1e-11]
        down_from_ms: [-1.0, NAN, INF]
        down_ms: [-1.0, NAN, INF]
        failure_share: [-0.1, 1.1, NAN]
        bin_ms: [0.0, NAN, INF, 0.01]
        horizon_ms: [0.0, -1.0, NAN, INF]
        curve: [vec![-1.0]]
        processes: [0, 1_001]
    }
}

#[test]
fn protection_is_checked() {
    let good = LoadOptions::new(policy(), Seed::new(0));
    let options = BudgetOptions::default();
    let tokens = |options, per_request, per_second| {
        Some(LoadBudget::Tokens {
            options,
            per_request,
            per_second,
        })
    };
    let grpc = |max_tokens, token_ratio| {
        Some(LoadBudget::Grpc {
            max_tokens,
            token_ratio,
        })
    };
    let draw = |draw| {
        Some(LoadBreaker {
            draw: Some(draw),
            ..LoadBreaker::default()
        })
    };
    // The core's own rules: tests/vectors/parts.json has all of them.
    let negative = BudgetOptions {
        capacity: Some(-1.0),
        ..options
    };
    let never = BreakerOptions {
        close_after: Some(0),
        ..BreakerOptions::default()
    };
    rejects! { Load::new, good,
        protection.budget as "budget.capacity": [Some(negative.into())]
        protection.breaker as "breaker.close_after": [Some(never.into())]
        protection.budget as "budget.per_request": [tokens(options, -0.1, 0.0), tokens(options, NAN, 0.0),
            tokens(options, INF, 0.0)]
        protection.budget as "budget.per_second": [tokens(options, 0.0, -0.1), tokens(options, 0.0, NAN),
            tokens(options, 0.0, INF)]
        protection.budget as "budget.max_tokens": [grpc(0.9, 0.1), grpc(1_001.0, 0.1), grpc(NAN, 0.1)]
        protection.budget as "budget.token_ratio": [grpc(10.0, 0.0), grpc(10.0, NAN)]
        protection.breaker as "breaker.draw": [draw(-0.1), draw(1.1), draw(NAN)]
    }
    // A client that is rejected must not ask again at the same time for ever.
    let at_once = LoadOptions {
        arrivals: Arrivals::Closed {
            clients: 3,
            think_ms: 0.0,
        },
        protection: LoadProtection {
            breaker: Some(LoadBreaker::default()),
            ..LoadProtection::default()
        },
        ..good
    };
    rejected(Load::new(at_once), "arrivals");
}

#[test]
fn a_rate_limit_is_checked() {
    let good = RateLimitOptions::new(policy(), Seed::new(0));
    let shared = |max_hold_ms| RateHints::Shared { max_hold_ms };
    rejects! { RateLimit::new, good,
        jobs: [0, 1_000_001]
        workers: [0, 100_001]
        limit: [0, u32::MAX]
        window_ms: [0.0, -1.0, NAN, INF]
        latency_ms: [0.0, NAN, INF, 1e-10]
        horizon_ms: [0.0, NAN, INF]
        bin_ms: [0.0, NAN, INF, 0.5]
        curve: [vec![NAN]]
        hints as "cooldown.max_hold_ms": [shared(-1.0), shared(NAN)]
    }
}

#[test]
fn hedging_is_checked() {
    let good = HedgingOptions::new(Seed::new(0));
    let hedge = |delay, max_ratio| Some(HedgeRule { delay, max_ratio });
    let fixed = |ms| hedge(HedgeDelay::Fixed(ms), 0.1);
    let learned = |quantile| hedge(HedgeDelay::Learned(quantile), 0.1);
    let share = |max_ratio| hedge(HedgeDelay::Fixed(5.0), max_ratio);
    let load = |servers, utilisation| {
        Some(ServerLoad {
            servers,
            utilisation,
        })
    };
    rejects! { Hedging::new, good,
        requests: [0, 10_000_001, u32::MAX]
        service.mean_ms: [0.0, 0.009, 1.1e6, NAN]
        service.slow_share: [-0.1, 1.1, NAN]
        service.slow_from_ms: [-1.0, 1.1e6, NAN]
        service.slow_mean_ms: [-1.0, INF, NAN]
        hedge as "hedge.delay_ms": [fixed(-1.0), fixed(9_007_199_254_740_992.0), fixed(INF), fixed(NAN)]
        hedge as "hedge.quantile": [learned(0.0), learned(1.0), learned(-0.5), learned(NAN)]
        hedge as "hedge.max_ratio": [share(0.0), share(0.000_9), share(1.1), share(-INF), share(NAN)]
        load as "load.servers": [load(0, 0.7), load(10_001, 0.7), load(u32::MAX, 0.7)]
        load as "load.utilisation": [load(5, 0.0), load(5, 0.000_9), load(5, 2.1), load(5, NAN)]
    }
}

/// The largest and the smallest numbers that are allowed: no panic, and an end.
#[test]
fn the_limits_work() {
    let seed = Seed::new(0);
    let tiny = Outage::new(OutageOptions {
        clients: 2,
        horizon_ms: f64::MIN_POSITIVE,
        bin_ms: f64::MIN_POSITIVE,
        capacity_per_s: f64::MIN_POSITIVE,
        burst: INF,
        deadline_ms: f64::MIN_POSITIVE,
        ..OutageOptions::new(policy(), seed)
    });
    assert_eq!(tiny.unwrap().finish().events, 2);
    let long = Outage::new(OutageOptions {
        down_ms: 1e12,
        horizon_ms: 1e12,
        bin_ms: 1e6,
        ..OutageOptions::new(policy(), seed)
    });
    assert!(long.unwrap().finish().done);
    let slow = Contention::new(ContentionOptions {
        clients: 3,
        hop_mean_ms: 0.0,
        hop_sd_ms: 0.0,
        runs: 2,
        ..ContentionOptions::new(Strategy::None.policy(0.0, 0.0).unwrap(), seed)
    });
    let mut slow = slow.unwrap();
    assert!(slow.finish().done);
    assert_eq!(slow.times_ms(), [0.0, 0.0]);
    let late = Load::new(LoadOptions {
        arrivals: Arrivals::Closed {
            clients: 3,
            think_ms: 0.0,
        },
        capacity_per_s: 1e-9,
        timeout_ms: 1e9,
        down_from_ms: 1e9,
        down_ms: 1e9,
        horizon_ms: 1e9,
        bin_ms: 1e9,
        ..LoadOptions::new(policy(), seed)
    });
    assert!(late.unwrap().finish().done);
    for (slow_share, ms) in [(1.0, 0.0), (1.0, 1e6), (0.0, 0.0)] {
        let extreme = Hedging::new(HedgingOptions {
            requests: 1_000,
            service: ServiceTimes {
                mean_ms: 0.01,
                slow_share,
                slow_from_ms: ms,
                slow_mean_ms: ms,
            },
            hedge: Some(HedgeRule {
                delay: HedgeDelay::Fixed(MAX_MS),
                max_ratio: 0.001,
            }),
            load: Some(ServerLoad {
                servers: 1,
                utilisation: 1e-3,
            }),
            seed,
        });
        let mut extreme = extreme.unwrap();
        assert!(extreme.finish().done);
        assert!(extreme.mean_ms().is_finite() && extreme.totals().hedges == 0);
    }
}
