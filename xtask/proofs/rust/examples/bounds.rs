//! Every decision has the bounds that the documentation states, for all numbers that options and failures may be.
//!
//! The last steps of a wait clamp it, so it is within its bounds unless something before was NaN or below the least.
//! Of numbers that are not negative, sums, products and quotients are NaN only where one of them is 0 or infinite, and
//! a difference changes its sign only where two of them cross: between such places nothing new can happen, because each
//! step grows or falls with each of its numbers, and so does what rounding makes of it. The numbers here are those
//! places with their neighbours: 0, the least number, the ends of each range, what is compared with each other, and
//! attempts at which powers overflow. All that belong together are tried in every combination.

use rejitter::decide::{Decision, Draws, Failure, Hint, MAX_MS, Previous};
use rejitter::internals::{CapRule, PolicyInternals};
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy, StopReason, UNLIMITED};

const LEAST: f64 = f64::from_bits(1);
const LARGEST_DRAW: f64 = 1.0 - f64::EPSILON / 2.0;
const DRAWS: [f64; 4] = [0.0, LEAST, 0.5, LARGEST_DRAW];
const TIMES: [f64; 5] = [0.0, LEAST, 100.0, 10_000.0, MAX_MS];
/// Powers of 2 stop being whole numbers that count exactly, and overflow.
const ATTEMPTS: [u64; 10] = [
    1,
    2,
    3,
    53,
    54,
    1_024,
    1_025,
    1 << 31,
    u32::MAX as u64,
    UNLIMITED - 1,
];

/// The curves, with the ends of their parameters.
fn curves() -> Vec<RetryOptions> {
    let of = |backoff| RetryOptions {
        backoff,
        ..RetryOptions::DEFAULT
    };
    let mut curves: Vec<_> = [Backoff::Fixed, Backoff::Fibonacci, Backoff::Custom]
        .map(of)
        .into();
    for factor in [1.0, 1.0_f64.next_up(), 2.0, f64::MAX] {
        curves.push(RetryOptions {
            factor: Some(factor),
            ..of(Backoff::Exponential)
        });
    }
    for step_ms in [0.0, LEAST, MAX_MS] {
        curves.push(RetryOptions {
            step_ms: Some(step_ms),
            ..of(Backoff::Linear)
        });
    }
    for truncate_at in [1, 2, 1_024] {
        curves.push(RetryOptions {
            truncate_at: Some(truncate_at),
            ..of(Backoff::Truncated)
        });
    }
    curves
}

/// The jitters, with the ends of their parameters: those that follow the curve, and those that have their own.
fn jitters() -> [Vec<Jitter>; 2] {
    let mut following = vec![Jitter::None, Jitter::Full, Jitter::Equal];
    following
        .extend([LEAST, 0.5, 1.0_f64.next_down(), 1.0].map(|ratio| Jitter::Proportional { ratio }));
    following.extend([LEAST, 1.0, 1_000.0].map(|ratio| Jitter::Additive { ratio }));
    following.extend([LEAST, 10_000.0, MAX_MS].map(|max_ms| Jitter::AdditiveMax { max_ms }));
    let own = vec![
        Jitter::Decorrelated,
        Jitter::DecorrelatedBounded,
        Jitter::Slotted,
        Jitter::PollyV2,
    ];
    [following, own]
}

/// All policies of these numbers that are valid, with their options.
fn policies(mut each: impl FnMut(RetryOptions, RetryPolicy)) {
    let [following, own] = jitters();
    let mut kinds: Vec<RetryOptions> = Vec::new();
    for curve in curves() {
        kinds.extend(
            following
                .iter()
                .map(|&jitter| RetryOptions { jitter, ..curve }),
        );
    }
    for jitter in own {
        let alone = RetryOptions {
            jitter,
            ..RetryOptions::DEFAULT
        };
        kinds.push(alone);
        if jitter == Jitter::Slotted {
            kinds.extend([1, 2, 1_024].map(|n| RetryOptions {
                truncate_at: Some(n),
                ..alone
            }));
        }
    }
    for kind in kinds {
        for cap_rule in [CapRule::Bound, CapRule::Ceiling, CapRule::Draw] {
            for base_ms in TIMES {
                for cap_ms in [base_ms, base_ms.next_up(), 10_000.0, MAX_MS, f64::INFINITY] {
                    for min_ms in [0.0, LEAST, base_ms, cap_ms.next_down(), cap_ms] {
                        let options = RetryOptions {
                            cap_rule,
                            base_ms: Some(base_ms),
                            cap_ms: Some(cap_ms),
                            min_ms: Some(min_ms),
                            max_attempts: Some(UNLIMITED),
                            ..kind
                        };
                        if let Ok(policy) = RetryPolicy::from_options(options) {
                            each(options, policy);
                        }
                    }
                }
            }
        }
    }
}

/// The waits of a policy after failures without a hint: what they depend on, and the decision.
fn waits(policy: &RetryPolicy, mut each: impl FnMut(Failure, Draws)) {
    let cap = policy.cap_ms();
    let jitter = policy.jitter();
    let mut befores = vec![None];
    if matches!(
        jitter,
        Jitter::Decorrelated | Jitter::DecorrelatedBounded | Jitter::PollyV2
    ) {
        for delay_ms in [policy.min_ms(), policy.base_ms(), cap / 3.0, cap] {
            befores.extend([0.0, LARGEST_DRAW].map(|r| Some(Previous { delay_ms, r })));
        }
    }
    let mut curve = vec![None];
    if policy.backoff() == Backoff::Custom {
        curve.extend([f64::NAN, -1.0, 0.0, LEAST, cap, f64::INFINITY].map(Some));
    }
    let seconds: &[f64] = if jitter == Jitter::PollyV2 {
        &DRAWS
    } else {
        &[0.0]
    };
    for attempt in ATTEMPTS {
        for &previous in &befores {
            for &curve_ms in &curve {
                let failure = Failure {
                    previous,
                    curve_ms,
                    ..Failure::of_attempt(attempt)
                };
                for r in DRAWS {
                    seconds
                        .iter()
                        .for_each(|&r2| each(failure, Draws { r, r2 }));
                }
            }
        }
    }
}

/// The longest wait that the documentation allows without a hint.
fn longest(policy: &RetryPolicy) -> f64 {
    let cap = policy.cap_ms();
    let most = match policy.jitter() {
        _ if !policy.may_exceed_the_cap() => cap,
        Jitter::Proportional { ratio } => cap * (1.0 + ratio),
        Jitter::Additive { ratio } => cap + ratio * cap,
        Jitter::AdditiveMax { max_ms } => cap + max_ms,
        _ => cap,
    };
    most.min(MAX_MS)
}

fn delay(policy: &RetryPolicy, failure: &Failure, draws: Draws) -> f64 {
    match policy.decide(failure, draws) {
        Decision::Retry { delay_ms } => delay_ms,
        stop => panic!("{stop:?} of {policy:?} after {failure:?}"),
    }
}

fn main() {
    let (mut count, mut decisions) = (0, 0_u64);
    policies(|_, policy| {
        count += 1;
        let most = longest(&policy);
        waits(&policy, |failure, draws| {
            let computed = delay(&policy, &failure, draws);
            let about = || format!("{computed} of {policy:?} after {failure:?} with {draws:?}");
            assert!(
                policy.min_ms() <= computed && computed <= most,
                "{}",
                about()
            );
            // What would end at the deadline does not start.
            for (remaining_ms, begins) in
                [(computed, false), (computed.next_up(), true), (0.0, false)]
            {
                let decision = policy.decide(
                    &Failure {
                        remaining_ms,
                        ..failure
                    },
                    draws,
                );
                let expected = if begins {
                    Decision::Retry { delay_ms: computed }
                } else {
                    Decision::Stop(StopReason::Deadline)
                };
                assert_eq!(decision, expected, "{}", about());
            }
            decisions += 4;
        });
    });

    // A hint meets a policy through its base, and its wait.
    let mut hinted = 0_u64;
    policies(|options, _| {
        if options.cap_rule != CapRule::Bound {
            return;
        }
        for longest_ms in [0.0, LEAST, 60_000.0, MAX_MS, f64::INFINITY] {
            for caps in [false, true] {
                let followed = longest_ms.min(MAX_MS);
                let policy = RetryPolicy::from_options(RetryOptions {
                    max_retry_after_ms: Some(longest_ms),
                    cap_long_retry_after: caps,
                    ..options
                });
                let policy = policy.expect("valid before");
                let most = (followed + policy.base_ms().max(followed / 2.0)).min(MAX_MS);
                for attempt in [1, 2, UNLIMITED - 1] {
                    for r in DRAWS {
                        let draws = Draws { r, r2: 0.0 };
                        let failure = Failure::of_attempt(attempt);
                        let computed = delay(&policy, &failure, draws);
                        for ms in [
                            f64::NAN,
                            -1.0,
                            0.0,
                            LEAST,
                            followed,
                            followed.next_up(),
                            f64::INFINITY,
                        ] {
                            let failure = Failure {
                                hint: Hint::Server(ms),
                                ..failure
                            };
                            hinted += 1;
                            if ms > followed && !caps {
                                let decision = policy.decide(&failure, draws);
                                assert_eq!(
                                    decision,
                                    Decision::Stop(StopReason::Hint),
                                    "{ms}, {policy:?}"
                                );
                                continue;
                            }
                            let wait = delay(&policy, &failure, draws);
                            let asked = if ms > 0.0 { ms.min(followed) } else { 0.0 };
                            let least = computed.max(asked);
                            let most = if ms > 0.0 {
                                computed.max(most)
                            } else {
                                computed
                            };
                            assert!(
                                least <= wait && wait <= most,
                                "{wait} for {ms}, {r} of {policy:?}"
                            );
                        }
                    }
                }
            }
        }
    });
    println!(
        "{} decisions of {count} policies, {hinted} with hints: all within their bounds",
        decisions + hinted
    );
}
