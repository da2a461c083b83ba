//! What a user may set, and what is refused. Every problem is found before the first attempt.

use std::fmt;

use super::{Backoff, CapRule, Jitter};

/// `max_attempts` without a limit.
pub const UNLIMITED: u64 = u64::MAX;

/// The longest wait, in milliseconds: 2^53 − 1, the largest integer that an `f64` counts
/// exactly. An infinite cap saturates here.
pub const MAX_MS: f64 = 9_007_199_254_740_991.0;

/// The largest `truncate_at`: above it `cap/2^(N−1)` would be nothing.
const MAX_TRUNCATE_AT: u32 = 1_024;

/// Options of a [`RetryPolicy`](super::RetryPolicy). `None` means the default.
///
/// The names are those of the JavaScript package, in this language's spelling.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RetryOptions {
    /// The curve. Default: [`Backoff::Exponential`].
    pub backoff: Backoff,
    /// How the wait is drawn below the curve. Default: [`Jitter::Full`].
    pub jitter: Jitter,
    /// The first ceiling, in ms. From 0 to [`MAX_MS`]. Default: 100; for [`Backoff::Truncated`]
    /// `cap/2^(truncate_at−1)`.
    pub base_ms: Option<f64>,
    /// No ceiling is above this, in ms. From 0 to infinity, not below `base_ms`. Default:
    /// 10 000, or `base_ms` when that is more.
    pub cap_ms: Option<f64>,
    /// No wait is below this, in ms. From 0 to the cap. Default: 0.
    pub min_ms: Option<f64>,
    /// The exponential curve's growth from wait to wait. From 1, finite. Default: 2. Only with
    /// [`Backoff::Exponential`].
    pub factor: Option<f64>,
    /// The linear curve's growth from wait to wait, in ms. From 0 to [`MAX_MS`]. Default:
    /// `base_ms`. Only with [`Backoff::Linear`].
    pub step_ms: Option<f64>,
    /// The wait at which truncated binary exponential backoff stops growing. From 1 to 1024.
    /// Default: 10. Only with [`Backoff::Truncated`] and [`Jitter::Slotted`].
    pub truncate_at: Option<u32>,
    /// The longest server hint that is followed, in ms; a longer one ends the operation. From 0
    /// to infinity. Default: 60 000.
    pub max_retry_after_ms: Option<f64>,
    /// Follow a longer server hint as far as `max_retry_after_ms`, instead of ending the
    /// operation: the retry then comes earlier than the server asked. Default: false.
    pub cap_long_retry_after: bool,
    /// How many attempts there are at most, the first included. From 1; [`UNLIMITED`] for no
    /// limit. Default: 6.
    pub max_attempts: Option<u64>,
    /// What the cap bounds. Default: [`CapRule::Bound`]; presets that copy other systems use
    /// others.
    pub cap_rule: CapRule,
}

/// One refused option.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OptionError {
    /// The option's name, as it is spelled in Rust.
    pub option: &'static str,
    /// The value that was given.
    pub value: f64,
    /// What is allowed, as the end of the sentence "must be …".
    pub rule: &'static str,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            option,
            value,
            rule,
        } = self;
        write!(f, "{option} is {value}; it must be {rule}")
    }
}

/// All the problems of a [`RetryOptions`], at least one, in the order of its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionErrors(pub(crate) Vec<OptionError>);

impl OptionErrors {
    /// The problems.
    #[must_use]
    pub fn problems(&self) -> &[OptionError] {
        &self.0
    }
}

impl fmt::Display for OptionErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for OptionError {}

impl std::error::Error for OptionErrors {}

/// Reports a given value that is not allowed.
fn require_with(
    report: &mut impl FnMut(OptionError),
    option: &'static str,
    value: Option<f64>,
    rule: &'static str,
    allowed: bool,
) {
    if let Some(value) = value.filter(|_| !allowed) {
        report(OptionError {
            option,
            value,
            rule,
        });
    }
}

fn within(value: Option<f64>, lo: f64, hi: f64) -> bool {
    value.is_none_or(|value| (lo..=hi).contains(&value))
}

impl RetryOptions {
    /// Calls `report` for each problem, in the order of the fields.
    #[allow(clippy::too_many_lines)] // One rule after the other: a table in words.
    pub(super) fn check(&self, mut report: impl FnMut(OptionError)) {
        let mut require = |option, value, rule, allowed| {
            require_with(&mut report, option, value, rule, allowed);
        };
        require(
            "base_ms",
            self.base_ms,
            "from 0 to 2^53 - 1 milliseconds",
            within(self.base_ms, 0.0, MAX_MS),
        );
        require(
            "cap_ms",
            self.cap_ms,
            "from 0 to infinity milliseconds",
            within(self.cap_ms, 0.0, f64::INFINITY),
        );
        if let (Some(base), Some(_)) = (self.base_ms, self.cap_ms) {
            require(
                "cap_ms",
                self.cap_ms,
                "at least base_ms",
                !self.cap_ms.is_some_and(|cap| cap < base),
            );
        }
        require(
            "min_ms",
            self.min_ms,
            "from 0 to 2^53 - 1 milliseconds",
            within(self.min_ms, 0.0, MAX_MS),
        );
        if let Some(min) = self.min_ms.filter(|min| (0.0..=MAX_MS).contains(min)) {
            let cap = self.resolved_cap_ms();
            require(
                "min_ms",
                self.min_ms,
                "at most cap_ms (by default 10000, or base_ms when that is more)",
                cap.is_nan() || min <= cap,
            );
        }
        self.check_curve(&mut report);
        let mut require = |option, value, rule, allowed| {
            require_with(&mut report, option, value, rule, allowed);
        };
        require(
            "max_retry_after_ms",
            self.max_retry_after_ms,
            "from 0 to infinity milliseconds",
            within(self.max_retry_after_ms, 0.0, f64::INFINITY),
        );
        require(
            "max_attempts",
            self.max_attempts.map(|_| 0.0),
            "a whole number from 1",
            self.max_attempts != Some(0),
        );
    }

    /// What only some backoffs and jitters have.
    fn check_curve(&self, report: &mut impl FnMut(OptionError)) {
        let mut require = |option, value, rule, allowed| {
            require_with(report, option, value, rule, allowed);
        };
        let (parameter, rule, allowed) = match self.jitter {
            Jitter::Proportional { ratio } => (
                Some(ratio),
                "proportional by a ratio above 0, at most 1",
                ratio > 0.0 && ratio <= 1.0,
            ),
            Jitter::Additive { ratio } => (
                Some(ratio),
                "additive by a ratio above 0, at most 1000",
                ratio > 0.0 && ratio <= 1_000.0,
            ),
            Jitter::AdditiveMax { max_ms } => (
                Some(max_ms),
                "additive by above 0, at most 2^53 - 1 milliseconds",
                max_ms > 0.0 && max_ms <= MAX_MS,
            ),
            _ => (None, "", true),
        };
        require("jitter", parameter, rule, allowed);
        require(
            "factor",
            self.factor,
            "from 1, and finite",
            within(self.factor, 1.0, f64::MAX),
        );
        require(
            "factor",
            self.factor,
            "left out: only the exponential backoff has it",
            self.backoff == Backoff::Exponential && self.jitter.follows_the_curve(),
        );
        require(
            "step_ms",
            self.step_ms,
            "from 0 to 2^53 - 1 milliseconds",
            within(self.step_ms, 0.0, MAX_MS),
        );
        require(
            "step_ms",
            self.step_ms,
            "left out: only the linear backoff has it",
            self.backoff == Backoff::Linear && self.jitter.follows_the_curve(),
        );
        require(
            "truncate_at",
            self.truncate_at.map(f64::from),
            "a whole number from 1 to 1024",
            self.truncate_at
                .is_none_or(|n| (1..=MAX_TRUNCATE_AT).contains(&n)),
        );
        require(
            "truncate_at",
            self.truncate_at.map(f64::from),
            "left out: only the truncated backoff and slotted jitter have it",
            self.backoff == Backoff::Truncated || self.jitter == Jitter::Slotted,
        );
    }

    /// The cap after defaults, before it is known to be valid.
    pub(super) fn resolved_cap_ms(&self) -> f64 {
        match (self.cap_ms, self.base_ms) {
            (Some(cap), _) => cap.min(MAX_MS),
            (None, Some(base)) => base.max(DEFAULT_CAP_MS),
            (None, None) => DEFAULT_CAP_MS,
        }
    }
}

/// See [`RetryOptions::base_ms`].
pub(super) const DEFAULT_BASE_MS: f64 = 100.0;
/// See [`RetryOptions::cap_ms`].
pub(super) const DEFAULT_CAP_MS: f64 = 10_000.0;
/// See [`RetryOptions::factor`].
pub(super) const DEFAULT_FACTOR: f64 = 2.0;
/// See [`RetryOptions::truncate_at`].
pub(super) const DEFAULT_TRUNCATE_AT: u32 = 10;
/// See [`RetryOptions::max_retry_after_ms`].
pub(super) const DEFAULT_MAX_RETRY_AFTER_MS: f64 = 60_000.0;
/// See [`RetryOptions::max_attempts`].
pub(super) const DEFAULT_MAX_ATTEMPTS: u64 = 6;
