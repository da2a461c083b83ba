//! Decisions of policies with any options that are valid, for any numbers at all: no panic, and each wait is a number
//! that ends before the deadline.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use rejitter::decide::{Decision, Draws, Failure, Hint, MAX_MS, Previous};
use rejitter::internals::kinds;
use rejitter::{Backoff, Jitter, RetryOptions, RetryPolicy};

/// Mostly such as options allow, or all would be refused.
#[derive(Debug, Clone, Copy, Arbitrary)]
enum Number {
    Any(f64),
    Whole(u16),
    Large(u64),
    Share(u16),
}

impl Number {
    #[allow(clippy::cast_precision_loss)] // The nearest number will do.
    fn get(self) -> f64 {
        match self {
            Self::Any(number) => number,
            Self::Whole(number) => f64::from(number),
            Self::Large(number) => number as f64,
            Self::Share(number) => f64::from(number) / 65_536.0,
        }
    }
}

#[derive(Debug, Arbitrary)]
struct Numbers {
    backoff: u8,
    jitter: (u8, Number),
    options: [Option<Number>; 6],
    truncate_at: Option<u8>,
    max_attempts: Option<u64>,
    caps: bool,
    attempt: u64,
    previous: Option<(Number, Number)>,
    remaining_ms: Option<Number>,
    curve_ms: Option<Number>,
    hint: Option<(bool, Number)>,
    draws: (Number, Number),
}

fuzz_target!(|numbers: Numbers| {
    let code = |pick: u8, rows: &[kinds::Row]| rows[usize::from(pick) % rows.len()].0;
    let (kind, parameter) = numbers.jitter;
    let backoff = Backoff::from_code(code(numbers.backoff, kinds::BACKOFFS), f64::NAN);
    let jitter = Jitter::from_code(code(kind, kinds::JITTERS), parameter.get());
    let [base_ms, cap_ms, min_ms, factor, step_ms, max_retry_after_ms] =
        numbers.options.map(|each| each.map(Number::get));
    let mut options = RetryOptions::default();
    options.backoff = backoff.expect("a code of the table");
    options.jitter = jitter.expect("a code of the table");
    (options.base_ms, options.cap_ms, options.min_ms) = (base_ms, cap_ms, min_ms);
    (options.factor, options.step_ms) = (factor, step_ms);
    options.max_retry_after_ms = max_retry_after_ms;
    options.truncate_at = numbers.truncate_at.map(u32::from);
    options.max_attempts = numbers.max_attempts;
    options.cap_long_retry_after = numbers.caps;
    let Ok(policy) = RetryPolicy::from_options(options) else {
        return;
    };
    let mut failure = Failure::of_attempt(numbers.attempt);
    failure.previous = numbers.previous.map(|(delay_ms, r)| Previous {
        delay_ms: delay_ms.get(),
        r: r.get(),
    });
    failure.remaining_ms = numbers.remaining_ms.map_or(f64::INFINITY, Number::get);
    failure.curve_ms = numbers.curve_ms.map(Number::get);
    failure.hint = match numbers.hint {
        None => Hint::None,
        Some((true, ms)) => Hint::Exactly(ms.get()),
        Some((false, ms)) => Hint::Server(ms.get()),
    };
    let (r, r2) = (numbers.draws.0.get(), numbers.draws.1.get());
    let decision = policy.decide(&failure, Draws { r, r2 });
    let Decision::Retry { delay_ms } = decision else {
        return;
    };
    assert!(
        !(delay_ms >= failure.remaining_ms),
        "{delay_ms} of {}",
        failure.remaining_ms
    );
    // What the caller orders is taken as it is; of a draw outside [0, 1) nothing is promised.
    let drawn = |r: f64| (0.0..1.0).contains(&r);
    if !matches!(failure.hint, Hint::Exactly(_)) && drawn(r) && drawn(r2) {
        assert!(
            (0.0..=MAX_MS).contains(&delay_ms),
            "{delay_ms} of {policy:?}"
        );
    }
});
