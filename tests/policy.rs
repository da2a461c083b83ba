//! Accepted and rejected options, and the properties of every accepted policy.

use rejitter::decide::{Decision, Draws, Failure, Hint, MAX_MS, Previous, duration_from_ms};
use rejitter::internals::{CapRule, Wait};
use rejitter::{Backoff, Jitter, OptionErrors, RetryOptions, RetryPolicy, Seed, UNLIMITED};

use serde_json::json;

use crate::common::{self, random::Random};

const BACKOFFS: [Backoff; 6] = [
    Backoff::Fixed,
    Backoff::Linear,
    Backoff::Exponential,
    Backoff::Truncated,
    Backoff::Fibonacci,
    Backoff::Custom,
];

/// The largest number below 1 that has 53 bits: the largest draw.
const LARGEST_DRAW: f64 = 1.0 - 1.0 / (1u64 << 53) as f64;

fn policy(options: RetryOptions) -> RetryPolicy {
    RetryPolicy::from_options(options).expect("valid options")
}

fn problems_of(options: RetryOptions) -> Vec<(&'static str, String)> {
    let error: OptionErrors = RetryPolicy::from_options(options).expect_err("must be rejected");
    error
        .problems()
        .iter()
        .map(|problem| (problem.option, problem.to_string()))
        .collect()
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let ceilings: Vec<f64> = (1..=9)
        .map(|k| policy(RetryOptions::default()).ceiling_ms(k))
        .collect();
    assert_eq!(
        ceilings,
        [
            100.0, 200.0, 400.0, 800.0, 1_600.0, 3_200.0, 6_400.0, 10_000.0, 10_000.0
        ]
    );
    assert_eq!(policy(RetryOptions::default()).max_attempts(), 6);
    assert_eq!(RetryPolicy::default(), policy(RetryOptions::default()));

    let truncated = RetryPolicy::truncated();
    assert_eq!(truncated.ceiling_ms(1), 19.53125);
    assert_eq!(truncated.ceiling_ms(9), 5_000.0);
    assert_eq!(truncated.ceiling_ms(10), 10_000.0);
    assert_eq!(truncated.ceiling_ms(u64::MAX), 10_000.0);

    // A base above the default cap raises it.
    let long = common::policy(&json!({ "baseMs": 60_000 }));
    assert_eq!(long.ceiling_ms(5), 60_000.0);
    let uncapped = common::policy(&json!({ "capMs": "Infinity" }));
    assert_eq!(uncapped.ceiling_ms(5_000), MAX_MS);
}

/// Log-uniform, because what breaks formulas is the order of magnitude.
fn magnitude(random: &Random, lo: f64, hi: f64) -> f64 {
    (lo.ln() + random.unit() * (hi.ln() - lo.ln())).exp()
}

fn random_options(random: &Random) -> RetryOptions {
    let backoff = random.one(&BACKOFFS);
    let jitter = random.one(&[
        Jitter::None,
        Jitter::Full,
        Jitter::Equal,
        Jitter::Decorrelated,
        Jitter::DecorrelatedBounded,
        Jitter::Proportional {
            ratio: 1.0 - random.unit(),
        },
        Jitter::Additive {
            ratio: magnitude(random, 1e-3, 1_000.0),
        },
        Jitter::AdditiveMax {
            max_ms: magnitude(random, 1e-3, 1e12),
        },
        Jitter::Slotted,
        Jitter::PollyV2,
    ]);
    let base = magnitude(random, 1e-3, 1e6);
    let cap = random.one(&[base, base * magnitude(random, 1.0, 1e9), f64::INFINITY]);
    let curve = jitter.follows_the_curve();
    let sometimes = |given: bool, value: f64| given.then_some(value);
    RetryOptions {
        backoff,
        jitter,
        base_ms: Some(if random.chance(0.05) { 0.0 } else { base }),
        cap_ms: Some(cap),
        min_ms: sometimes(random.below(3) == 0, base * random.unit()),
        factor: sometimes(
            curve && backoff == Backoff::Exponential && random.chance(0.5),
            magnitude(random, 1.001, 1e300),
        ),
        step_ms: sometimes(
            curve && backoff == Backoff::Linear && random.chance(0.5),
            magnitude(random, 1e-6, 1e9),
        ),
        truncate_at: (backoff == Backoff::Truncated || jitter == Jitter::Slotted)
            .then(|| random.below(60) + 1),
        max_attempts: Some(UNLIMITED),
        cap_rule: random.one(&[
            CapRule::Bound,
            CapRule::Bound,
            CapRule::Ceiling,
            CapRule::Draw,
        ]),
        ..RetryOptions::default()
    }
}

#[test]
fn every_wait_is_finite_and_within_its_bounds_and_ceilings_never_fall() {
    let random = Random::new(0xfeed);
    let far = [
        50,
        64,
        1_024,
        1_025,
        5_000,
        100_000,
        1 << 31,
        1 << 32,
        1 << 53,
        u64::MAX,
    ];
    for _ in 0..common::some(20_000) {
        let options = random_options(&random);
        let policy = policy(options);
        let cap = options.cap_ms.expect("given").min(MAX_MS);
        let floor = options.min_ms.unwrap_or(0.0);
        let (mut ceiling_before, mut highest_before, mut previous) = (0.0, 0.0, None);
        for k in (1..=40).chain(far) {
            let ceiling = policy.ceiling_ms(k);
            assert!(ceiling >= ceiling_before, "{options:?}: ceiling {k} fell");
            assert!(ceiling >= floor, "{options:?}: {ceiling}");
            assert!(
                ceiling <= cap || options.cap_rule == CapRule::Draw,
                "{options:?}: {ceiling}"
            );
            ceiling_before = ceiling;
            let wait = Wait {
                previous,
                ..Wait::number(k)
            };
            let (lo, hi) = policy.bounds_ms(&wait);
            assert!(floor.min(cap) <= lo && lo <= hi, "{options:?}: {lo} … {hi}");
            assert!(
                hi <= cap || options.cap_rule == CapRule::Ceiling,
                "{options:?}: wait {k} may exceed the cap: {hi}"
            );
            if options.jitter.follows_the_curve() {
                assert!(hi >= highest_before, "{options:?}: bound {k} fell");
            }
            highest_before = hi;
            for r in [0.0, random.unit(), LARGEST_DRAW] {
                for r2 in [0.0, LARGEST_DRAW] {
                    let delay = policy.delay_ms(&wait, Draws { r, r2 });
                    assert!(
                        (lo..=hi).contains(&delay),
                        "{options:?}: wait {k} is {delay}, not in {lo} … {hi}"
                    );
                }
            }
            let r = random.unit();
            let delay_ms = policy.delay_ms(&wait, Draws { r, r2: 0.5 });
            previous = Some(Previous { delay_ms, r });
        }
    }
}

/// A server cannot switch the client's own backoff off.
#[test]
fn a_hint_never_shortens_the_computed_wait() {
    let random = Random::new(7);
    let (mut computed_won, mut hint_won) = (0, 0);
    for _ in 0..common::some(20_000) {
        let policy = policy(random_options(&random));
        let k = random.one(&[1, 2, 5, 20, 1_000]);
        let previous = Some(Previous {
            delay_ms: policy.base_ms() * magnitude(&random, 1.0, 1e6),
            r: random.unit(),
        })
        .filter(|_| k > 1);
        let draws = Draws {
            r: random.unit(),
            r2: random.unit(),
        };
        let hint = magnitude(&random, 1e-6, 6e4);
        let failure = |hint| Failure {
            previous,
            curve_ms: Some(500.0),
            hint,
            ..Failure::of_attempt(k)
        };
        let wait = |hint| match policy.decide(&failure(hint), draws) {
            Decision::Retry { delay_ms } => delay_ms,
            stop => panic!("{policy:?}: {stop:?}"),
        };
        let (without, with) = (wait(Hint::None), wait(Hint::Server(hint)));
        let spread = hint + draws.r * (hint / 2.0).max(policy.base_ms());
        assert_eq!(with, without.max(spread), "{policy:?}, wait {k}");
        if without > spread {
            computed_won += 1;
        } else {
            hint_won += 1;
        }
    }
    assert!(cfg!(miri) || (computed_won > 1_000 && hint_won > 1_000));
}

/// The curve is the caller's own: a silent cap would change it.
#[test]
fn a_custom_curve_has_no_default_cap() {
    let custom = RetryOptions {
        backoff: Backoff::Custom,
        ..RetryOptions::default()
    };
    assert_eq!(policy(custom).cap_ms(), MAX_MS);
    let capped = RetryOptions {
        cap_ms: Some(50.0),
        ..custom
    };
    assert_eq!(policy(capped).cap_ms(), 50.0);
    // A jitter with a curve of its own has the default cap.
    let jittered = RetryOptions {
        jitter: Jitter::Decorrelated,
        ..custom
    };
    assert_eq!(policy(jittered).cap_ms(), 10_000.0);
    let with_min = |options| RetryOptions {
        min_ms: Some(20_000.0),
        ..options
    };
    assert_eq!(names_of(with_min(jittered)), ["min_ms"]);
    assert_eq!(policy(with_min(custom)).min_ms(), 20_000.0);
}

fn names_of(options: RetryOptions) -> Vec<&'static str> {
    problems_of(options)
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn the_iterator_gives_one_wait_less_than_attempts_and_starts_anew() {
    let limited = RetryPolicy::exponential().with_max_attempts(5);
    let mut delays = limited.delays(7);
    assert_eq!(delays.size_hint(), (4, Some(4)));
    let first: Vec<_> = delays.by_ref().collect();
    assert_eq!(first.len(), 4);
    assert_eq!(delays.size_hint(), (0, Some(0)));
    assert_eq!(delays.next(), None);
    delays.reset();
    let second: Vec<_> = delays.by_ref().collect();
    assert_eq!(second.len(), 4);
    assert_ne!(first, second, "the next operation draws afresh");
    for (k, wait) in (1u64..).zip(&second) {
        let draws = Seed::new(7).draws(1, k);
        let decided = limited.delay_ms(&Wait::number(k), draws);
        assert_eq!(*wait, duration_from_ms(decided));
    }
    let once = RetryPolicy::no_retries();
    assert_eq!(once.delays(7).next(), None);
    let endless = RetryPolicy::exponential().with_max_attempts(UNLIMITED);
    assert_eq!(endless.delays(7).size_hint(), (usize::MAX, None));
}

/// Not without end, although a custom curve has no default cap.
#[test]
fn a_custom_curve_without_values_is_ten_seconds() {
    for cap_rule in [CapRule::Bound, CapRule::Ceiling, CapRule::Draw] {
        for (cap_ms, ceiling) in [(None, 10_000.0), (Some(50.0), 50.0), (Some(1e6), 10_000.0)] {
            let policy = policy(RetryOptions {
                backoff: Backoff::Custom,
                base_ms: Some(1.0),
                cap_ms,
                cap_rule,
                ..RetryOptions::default()
            });
            let waits: Vec<f64> = common::delays_ms(&policy, Seed::new(5)).collect();
            let drawn = |ceiling: f64| (1..=5).map(move |k| Seed::new(5).draws(0, k).r * ceiling);
            if cap_rule == CapRule::Draw {
                let cap = cap_ms.unwrap_or(f64::INFINITY);
                let expected = drawn(10_000.0).map(|ms| ms.min(cap));
                assert_eq!(waits, expected.collect::<Vec<f64>>());
            } else {
                assert_eq!(policy.ceiling_ms(3), ceiling);
                assert_eq!(waits, drawn(ceiling).collect::<Vec<f64>>());
            }
        }
    }
}

#[test]
fn a_truncated_backoff_without_a_cap_starts_at_the_default_base() {
    for cap_ms in [json!("Infinity"), json!(MAX_MS)] {
        let endless = common::policy(&json!({ "backoff": "truncated", "capMs": cap_ms }));
        assert_eq!(endless.base_ms(), 100.0);
        assert_eq!(endless.ceiling_ms(1), 100.0);
        assert_eq!(endless.ceiling_ms(10), 51_200.0);
        assert_eq!(
            endless.ceiling_ms(5_000),
            51_200.0,
            "the truncation ends the growth"
        );
    }
}
