//! The options and their rules.

use super::elementary::{MAX_MS, at_least, at_most, or};
use super::problems::{NOT_NEGATIVE, Problems, Range, within};
use super::{Backoff, CapRule, Jitter};

/// `max_attempts` without a limit.
pub const UNLIMITED: u64 = u64::MAX;

const MILLISECONDS: Range = (
    0.0,
    MAX_MS,
    "a number of milliseconds between 0 and 2^53 - 1",
);
const FACTOR: Range = (1.0, f64::MAX, "a finite number of at least 1");
/// Above its end `cap/2^(N−1)` would be nothing.
const TRUNCATE_AT: Range = (1.0, 1_024.0, "an integer between 1 and 1,024");

/// A struct of options, each with its default. All defaults are a constant, too.
macro_rules! options {
    ($(#[$about:meta])* $name:ident: $($(#[$doc:meta])* $option:ident: $type:ty = $default:expr,)+) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $option: $type,)+
            #[doc = concat!("More options may follow: end a list of some with `..", stringify!($name), "::default()`, \
                which the attribute `non_exhaustive` would forbid.")]
            #[doc(hidden)]
            #[allow(clippy::pub_underscore_fields)]
            pub _more: (),
        }

        impl $name {
            #[doc = concat!("`", stringify!($name), "::default()`, for constants: every option unset.")]
            pub const DEFAULT: Self = Self { $($option: $default,)+ _more: () };
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($option), &self.$option))+
                    .finish()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::DEFAULT
            }
        }
    };
}
#[cfg(feature = "machines")]
pub(crate) use options;

options! {
    /// Options of a [`RetryPolicy`](super::RetryPolicy). `None` means the default.
    ///
    /// The names are those of the JavaScript package, in this language's spelling.
    RetryOptions:

    /// The backoff function. Defaults to [`Backoff::Exponential`].
    backoff: Backoff = Backoff::Exponential,
    /// How the wait is drawn below the curve. Defaults to [`Jitter::Full`].
    jitter: Jitter = Jitter::Full,
    /// Initial ceiling, in ms: between 0 and [`MAX_MS`]. Defaults to 100; for
    /// [`Backoff::Truncated`] with a finite cap to `cap/2^(truncate_at−1)`.
    base_ms: Option<f64> = None,
    /// Upper bound of every ceiling, in ms: non-negative or infinite, at least `base_ms`. Defaults
    /// to 10,000, or to a longer `base_ms`. [`Backoff::Custom`] has no default cap.
    cap_ms: Option<f64> = None,
    /// Minimum wait, in ms: between 0 and the cap. Defaults to 0. A minimum above the curve removes
    /// the jitter: every such wait is exactly the minimum.
    min_ms: Option<f64> = None,
    /// Growth of the exponential curve from wait to wait: finite, at least 1. Defaults to 2. Only
    /// with [`Backoff::Exponential`].
    factor: Option<f64> = None,
    /// Growth of the linear curve from wait to wait, in ms: between 0 and [`MAX_MS`]. Defaults to
    /// `base_ms`. Only with [`Backoff::Linear`].
    step_ms: Option<f64> = None,
    /// Wait at which truncated binary exponential backoff stops growing: between 1 and 1,024.
    /// Defaults to 10. Only with [`Backoff::Truncated`] and [`Jitter::Slotted`].
    truncate_at: Option<u32> = None,
    /// Longest server hint that is followed, in ms: non-negative or infinite. A longer one ends the
    /// operation. Defaults to 60,000.
    max_retry_after_ms: Option<f64> = None,
    /// Follow a longer server hint up to `max_retry_after_ms`, instead of ending the operation: the
    /// retry then comes earlier than the server requested. Defaults to false.
    cap_long_retry_after: bool = false,
    /// Maximum number of attempts, the first included: at least 1; [`UNLIMITED`] for no limit.
    /// Defaults to 6.
    max_attempts: Option<u64> = None,
    /// Quantity that the cap bounds. Defaults to [`CapRule::Bound`]; presets that copy other systems use
    /// other rules.
    #[doc(hidden)]
    cap_rule: CapRule = CapRule::Bound,
}

impl RetryOptions {
    /// Finds the problems, in the order of the fields.
    pub(crate) const fn problems(&self) -> Problems {
        let mut problems = Problems::NONE;
        problems.range("base_ms", self.base_ms, MILLISECONDS);
        problems.range("cap_ms", self.cap_ms, NOT_NEGATIVE);
        if let (Some(base), Some(cap)) = (self.base_ms, self.cap_ms) {
            let comparable = !cap.is_nan() && !base.is_nan();
            let allowed = !comparable || cap >= base;
            problems.require("cap_ms", self.cap_ms, "at least base_ms", allowed);
        }
        problems.range("min_ms", self.min_ms, MILLISECONDS);
        match self.min_ms {
            Some(min) if within(self.min_ms, 0.0, MAX_MS) => {
                let cap = self.resolved_cap_ms();
                problems.require(
                    "min_ms",
                    self.min_ms,
                    "at most cap_ms (which defaults to 10,000, or to a longer base_ms)",
                    cap.is_nan() || min <= cap,
                );
            }
            _ => {}
        }
        self.check_curve(&mut problems);
        problems.range("max_retry_after_ms", self.max_retry_after_ms, NOT_NEGATIVE);
        problems.require(
            "max_attempts",
            Some(0.0),
            "a positive integer",
            !matches!(self.max_attempts, Some(0)),
        );
        problems
    }

    /// Checks the options that apply only to some backoffs and jitters.
    const fn check_curve(&self, problems: &mut Problems) {
        let (parameter, rule, allowed) = match self.jitter {
            Jitter::Proportional { ratio } => (
                Some(ratio),
                "proportional with a ratio above 0 and at most 1",
                ratio > 0.0 && ratio <= 1.0,
            ),
            Jitter::Additive { ratio } => (
                Some(ratio),
                "additive with a ratio above 0 and at most 1,000",
                ratio > 0.0 && ratio <= 1_000.0,
            ),
            Jitter::AdditiveMax { max_ms } => (
                Some(max_ms),
                "additive with a maximum above 0 and at most 2^53 - 1 milliseconds",
                max_ms > 0.0 && max_ms <= MAX_MS,
            ),
            _ => (None, "", true),
        };
        problems.require("jitter", parameter, rule, allowed);
        let follows = self.jitter.follows_the_curve();
        let (no_factor, no_step) = if follows {
            (
                "omitted, because it applies only to the exponential backoff",
                "omitted, because it applies only to the linear backoff",
            )
        } else {
            (
                "omitted, because the jitter replaces the exponential backoff",
                "omitted, because the jitter replaces the linear backoff",
            )
        };
        let grows = follows && matches!(self.backoff, Backoff::Exponential);
        problems.range("factor", self.factor, FACTOR);
        problems.require("factor", self.factor, no_factor, grows);
        let climbs = follows && matches!(self.backoff, Backoff::Linear);
        problems.range("step_ms", self.step_ms, MILLISECONDS);
        problems.require("step_ms", self.step_ms, no_step, climbs);
        let truncate_at = match self.truncate_at {
            Some(n) => Some(n as f64),
            None => None,
        };
        problems.range("truncate_at", truncate_at, TRUNCATE_AT);
        problems.require(
            "truncate_at",
            truncate_at,
            "omitted, because it applies only to the truncated backoff and slotted jitter",
            matches!(self.backoff, Backoff::Truncated) || matches!(self.jitter, Jitter::Slotted),
        );
    }

    /// The cap after defaults, before it is known to be valid.
    pub(crate) const fn resolved_cap_ms(&self) -> f64 {
        match self.cap_ms {
            Some(cap) => at_most(cap, MAX_MS),
            // The caller's function decides how long its waits are.
            None if matches!(self.backoff, Backoff::Custom) && self.jitter.follows_the_curve() => {
                MAX_MS
            }
            None => self.default_cap_ms(),
        }
    }

    const fn default_cap_ms(&self) -> f64 {
        at_least(or(self.base_ms, 0.0), DEFAULT_CAP_MS)
    }

    /// These options for a curve that is a list: its longest entry raises the default cap.
    #[cfg(feature = "serde")]
    pub(crate) fn of_list(self, list: &[f64]) -> Self {
        if !self.jitter.follows_the_curve() {
            return self;
        }
        let longest = |cap_ms: f64, ms: &f64| cap_ms.max(*ms);
        let cap_ms = list.iter().fold(self.default_cap_ms(), longest);
        Self {
            cap_ms: self.cap_ms.or(Some(cap_ms)),
            ..self
        }
    }
}

/// See [`RetryOptions::cap_ms`].
pub(super) const DEFAULT_CAP_MS: f64 = 10_000.0;
