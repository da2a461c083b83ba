//! What is accepted, what is refused, and what holds for every accepted policy.

#![cfg(not(target_arch = "wasm32"))]

use rejitter::{
    Backoff, Decision, Failure, Jitter, MAX_MS, OptionErrors, RetryOptions, RetryPolicy, Seed,
    StopReason, UNLIMITED,
};

const BACKOFFS: [Backoff; 4] = [
    Backoff::Fixed,
    Backoff::Linear,
    Backoff::Exponential,
    Backoff::Truncated,
];
const JITTERS: [Jitter; 4] = [
    Jitter::None,
    Jitter::Full,
    Jitter::Equal,
    Jitter::Decorrelated,
];

/// The largest number below 1 that has 53 bits: the largest draw.
const LARGEST_DRAW: f64 = 1.0 - 1.0 / (1u64 << 53) as f64;

fn policy(options: RetryOptions) -> RetryPolicy {
    RetryPolicy::new(options).expect("valid options")
}

fn refusal(options: RetryOptions) -> Vec<(&'static str, String)> {
    let error: OptionErrors = RetryPolicy::new(options).expect_err("must be refused");
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

    let truncated = policy(RetryOptions {
        backoff: Backoff::Truncated,
        ..RetryOptions::default()
    });
    assert_eq!(truncated.ceiling_ms(1), 19.53125);
    assert_eq!(truncated.ceiling_ms(9), 5_000.0);
    assert_eq!(truncated.ceiling_ms(10), 10_000.0);
    assert_eq!(truncated.ceiling_ms(u64::MAX), 10_000.0);
}

#[test]
fn a_base_above_the_default_cap_raises_it() {
    let options = RetryOptions {
        base_ms: Some(60_000.0),
        ..RetryOptions::default()
    };
    assert_eq!(policy(options).ceiling_ms(5), 60_000.0);
}

#[test]
fn an_infinite_cap_saturates() {
    let options = RetryOptions {
        cap_ms: Some(f64::INFINITY),
        ..RetryOptions::default()
    };
    assert_eq!(policy(options).ceiling_ms(5_000), MAX_MS);
}

#[test]
fn each_refusal_names_option_value_and_range() {
    let bad = [f64::NAN, -1.0, -f64::MIN_POSITIVE, f64::INFINITY];
    type Setter = fn(f64) -> RetryOptions;
    let set: [(&str, Setter); 4] = [
        ("base_ms", |v| RetryOptions {
            base_ms: Some(v),
            ..RetryOptions::default()
        }),
        ("min_ms", |v| RetryOptions {
            min_ms: Some(v),
            ..RetryOptions::default()
        }),
        ("factor", |v| RetryOptions {
            factor: Some(v),
            ..RetryOptions::default()
        }),
        ("step_ms", |v| RetryOptions {
            backoff: Backoff::Linear,
            step_ms: Some(v),
            ..RetryOptions::default()
        }),
    ];
    for (name, make) in set {
        for value in bad {
            let problems = refusal(make(value));
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!(problems[0].0, name);
            assert!(
                problems[0]
                    .1
                    .starts_with(&format!("{name} is {value}; it must be "))
            );
        }
    }
    for value in [f64::NAN, -1.0] {
        let problems = refusal(RetryOptions {
            cap_ms: Some(value),
            ..RetryOptions::default()
        });
        assert_eq!(problems[0].0, "cap_ms");
    }
    for n in [0, 1_025, u32::MAX] {
        let problems = refusal(RetryOptions {
            backoff: Backoff::Truncated,
            truncate_at: Some(n),
            ..RetryOptions::default()
        });
        assert_eq!(problems[0].0, "truncate_at");
    }
    let problems = refusal(RetryOptions {
        max_attempts: Some(0),
        ..RetryOptions::default()
    });
    assert_eq!(
        problems,
        [(
            "max_attempts",
            "max_attempts is 0; it must be a whole number from 1".to_owned()
        )]
    );
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let names = |options| {
        refusal(options)
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(RetryOptions {
            base_ms: Some(10.0),
            cap_ms: Some(9.0),
            ..RetryOptions::default()
        }),
        ["cap_ms"]
    );
    assert_eq!(
        names(RetryOptions {
            min_ms: Some(10_001.0),
            ..RetryOptions::default()
        }),
        ["min_ms"]
    );
    for (backoff, jitter) in [
        (Backoff::Fixed, Jitter::Full),
        (Backoff::Truncated, Jitter::Full),
        (Backoff::Exponential, Jitter::Decorrelated),
    ] {
        assert_eq!(
            names(RetryOptions {
                backoff,
                jitter,
                factor: Some(2.0),
                ..RetryOptions::default()
            }),
            ["factor"]
        );
    }
    assert_eq!(
        names(RetryOptions {
            step_ms: Some(2.0),
            truncate_at: Some(2),
            max_attempts: Some(0),
            ..RetryOptions::default()
        }),
        ["step_ms", "truncate_at", "max_attempts"],
        "all problems at once"
    );
}

/// A stream of test inputs; `Seed` itself is tested elsewhere.
struct Inputs(u64);

impl Inputs {
    fn unit(&mut self) -> f64 {
        self.0 += 1;
        Seed::new(0xfeed).draw(self.0, 1)
    }

    /// Log-uniform, because what breaks formulas is the order of magnitude.
    fn magnitude(&mut self, lo: f64, hi: f64) -> f64 {
        (lo.ln() + self.unit() * (hi.ln() - lo.ln())).exp()
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn options(&mut self) -> RetryOptions {
        let backoff = BACKOFFS[self.below(4)];
        let jitter = JITTERS[self.below(4)];
        let base = self.magnitude(1e-3, 1e6);
        let cap = [base, base * self.magnitude(1.0, 1e9), f64::INFINITY][self.below(3)];
        let curve = jitter != Jitter::Decorrelated;
        let sometimes = |given: bool, value: f64| given.then_some(value);
        RetryOptions {
            backoff,
            jitter,
            base_ms: Some(if self.below(20) == 0 { 0.0 } else { base }),
            cap_ms: Some(cap),
            min_ms: sometimes(self.below(3) == 0, base * self.unit()),
            factor: sometimes(
                curve && backoff == Backoff::Exponential && self.below(2) == 0,
                self.magnitude(1.001, 1e300),
            ),
            step_ms: sometimes(
                curve && backoff == Backoff::Linear && self.below(2) == 0,
                self.magnitude(1e-6, 1e9),
            ),
            truncate_at: (backoff == Backoff::Truncated)
                .then(|| u32::try_from(self.below(60)).expect("small") + 1),
            max_attempts: Some(UNLIMITED),
        }
    }
}

#[test]
fn every_wait_is_finite_and_within_its_bounds_and_ceilings_never_fall() {
    let mut inputs = Inputs(0);
    let far = [
        50,
        64,
        1_024,
        1_025,
        5_000,
        100_000,
        1 << 31,
        1 << 53,
        u64::MAX,
    ];
    for _ in 0..20_000 {
        let options = inputs.options();
        let policy = policy(options);
        let cap = options.cap_ms.expect("given").min(MAX_MS);
        let floor = options.min_ms.unwrap_or(0.0);
        let (mut ceiling_before, mut previous) = (0.0, None);
        for k in (1..=40).chain(far) {
            let ceiling = policy.ceiling_ms(k);
            assert!(ceiling >= ceiling_before, "{options:?}: ceiling {k} fell");
            assert!((floor..=cap).contains(&ceiling), "{options:?}: {ceiling}");
            ceiling_before = ceiling;
            for r in [0.0, inputs.unit(), LARGEST_DRAW] {
                let wait = policy.delay_ms(k, previous, r);
                let (lo, hi) = match options.jitter {
                    Jitter::None => (ceiling, ceiling),
                    Jitter::Full => (floor, ceiling),
                    Jitter::Equal => ((ceiling / 2.0).max(floor), ceiling),
                    Jitter::Decorrelated => (options.base_ms.expect("given").max(floor), cap),
                };
                assert!((lo..=hi).contains(&wait), "{options:?}: wait {k} is {wait}");
            }
            previous = Some(policy.delay_ms(k, previous, inputs.unit()));
        }
    }
}

#[test]
fn attempts_are_counted_before_the_deadline_is_looked_at() {
    let policy = policy(RetryOptions {
        jitter: Jitter::None,
        base_ms: Some(100.0),
        max_attempts: Some(2),
        ..RetryOptions::default()
    });
    let at = |attempt, remaining_ms| {
        policy.decide(
            &Failure {
                attempt,
                previous_ms: None,
                remaining_ms,
            },
            0.5,
        )
    };
    assert_eq!(at(1, 100.1), Decision::Retry { delay_ms: 100.0 });
    assert_eq!(
        at(1, 100.0),
        Decision::Stop(StopReason::Deadline),
        "a wait that ends at the deadline is in vain"
    );
    assert_eq!(at(2, 0.0), Decision::Stop(StopReason::Exhausted));
    assert_eq!(at(3, 1e9), Decision::Stop(StopReason::Exhausted));
}

#[test]
fn the_iterator_gives_one_wait_less_than_attempts_and_starts_anew() {
    let limited = policy(RetryOptions {
        max_attempts: Some(5),
        ..RetryOptions::default()
    });
    let mut delays = limited.delays(Seed::new(7));
    let first: Vec<f64> = delays.by_ref().collect();
    assert_eq!(first.len(), 4);
    assert_eq!(delays.next(), None);
    delays.reset();
    let second: Vec<f64> = delays.by_ref().collect();
    assert_eq!(second.len(), 4);
    assert_ne!(first, second, "the next operation draws afresh");
    for (k, wait) in (1u64..).zip(&second) {
        assert_eq!(*wait, limited.delay_ms(k, None, Seed::new(7).draw(1, k)));
    }
    let once = policy(RetryOptions {
        max_attempts: Some(1),
        ..RetryOptions::default()
    });
    assert_eq!(once.delays(Seed::new(7)).next(), None);
}

#[cfg(feature = "full")]
#[test]
fn two_random_seeds_differ() {
    assert_ne!(Seed::random().unwrap(), Seed::random().unwrap());
}
